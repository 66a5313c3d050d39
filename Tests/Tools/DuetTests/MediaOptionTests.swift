import ArgumentParser
import Foundation
import RTC
import RTCFrames
import Testing

@testable import DuetShell
@testable import duet

@Suite("Options of duet peer for sound and picture")
struct MediaOptionTests {
    @Test("Nothing is sent unless it is asked for")
    func nothing() throws {
        let plan = try MediaOptions.parse([]).plan()
        #expect(plan.video == .none && plan.audio == .none)
        #expect(plan.configuration.codecs == nil && plan.videoRecording == nil && plan.audioRecording == nil)
    }

    @Test("Test pictures and tones")
    func made() throws {
        #expect(try VideoOption.parse("test") == .test(width: 640, height: 360, framesPerSecond: 30))
        #expect(try VideoOption.parse("test:1280x720") == .test(width: 1280, height: 720, framesPerSecond: 30))
        #expect(try VideoOption.parse("test:65x49@7.5") == .test(width: 65, height: 49, framesPerSecond: 7.5))
        #expect(try VideoOption.parse("none") == .none)
        #expect(try VideoOption.parse("./test") == .file("./test"))
        #expect(try AudioOption.parse("tone") == .tone(frequency: 440))
        #expect(try AudioOption.parse("tone:1000") == .tone(frequency: 1_000))
        #expect(try AudioOption.parse("none") == .none)
        #expect(try AudioOption.parse("a.wav") == .file("a.wav"))
        for bad in [
            "", "test:", "test:1280", "test:1280x", "test:x720", "test:1x1", "test:9999x720", "test:640x360@",
            "test:640x360@0", "test:640x360@nan", "test:640x360x3",
        ] {
            #expect(throws: Refusal.self) { try VideoOption.parse(bad) }
        }
        for bad in ["", "tone:", "tone:x", "tone:0", "tone:nan", "tone:99999"] {
            #expect(throws: Refusal.self) { try AudioOption.parse(bad) }
        }
    }

    @Test("Codecs are restricted by kind, in the order in which they are named")
    func codecs() throws {
        let chosen = try CodecOption.choose(["PCMA", "pcmu", "pcma"])
        #expect(chosen.filter { $0.kind == .audio }.map(\.name) == ["PCMA", "PCMU"])
        #expect(chosen.filter { $0.kind == .video } == PeerConnection.supportedCodecs(.video))
        let error = #expect(throws: Refusal.self) { try CodecOption.choose(["pcmu", "mp3"]) }
        #expect(error?.description.contains("mp3") == true && error?.description.contains("\n") == false)
    }

    @Test("SRTP profiles go by the names of their RFCs")
    func profiles() throws {
        let options = try MediaOptions.parse([
            "--srtp-profile", "AEAD_AES_256_GCM", "--srtp-profile", "AES128_CM_HMAC_SHA1_80",
        ])
        #expect(try options.plan().configuration.srtpProfiles == [.aeadAES256GCM, .aes128CMHMACSHA1_80])
        #expect(throws: (any Error).self) { try MediaOptions.parse(["--srtp-profile", "NONE"]) }
    }

    @Test("Files that are not what they say are refused, with the option and the file's name")
    func badFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file").path
        let contents = [
            "", "nonsense", "YUV4MPEG2 W64 H48\n", "YUV4MPEG2 W64 H48\nFRAME\nshort", "YUV4MPEG2 W0 H0\n",
            "RIFF\u{0}\u{0}\u{0}\u{0}WAVE",
        ]
        for content in contents {
            try Data(content.utf8).write(to: URL(filePath: file))
            for option in ["--video", "--audio"] {
                let error = #expect(throws: Refusal.self) { try MediaOptions.parse([option, file]).plan() }
                #expect(error?.description.hasPrefix("\(option) \(file): ") == true)
            }
        }
        for path in [folder.path, folder.path + "/missing"] {
            #expect(throws: Refusal.self) { try MediaOptions.parse(["--video", path]).plan() }
            #expect(throws: Refusal.self) { try MediaOptions.parse(["--audio", path]).plan() }
        }
        for option in ["--record-video", "--record-audio"] {
            #expect(throws: Refusal.self) { try MediaOptions.parse([option, folder.path]).plan() }
        }
    }
}
