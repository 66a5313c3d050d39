import ArgumentParser
import Foundation
import RTCSignaling
import Testing
import WebRTCKit

@testable import DuetShell
@testable import duet

@Suite("Options of duet call and duet answer")
struct CallOptionTests {
    @Test("Without any, a test picture and a tone are sent")
    func nothing() throws {
        let command = try CallCommand.parse(["bob"])
        #expect(command.peer == "bob" && command.user == nil && command.ringFor == 30)
        #expect(command.options.video == .test && command.options.audio == nil)
        let local = try LocalMedia.open(video: .test, audio: nil, probe: nil) { _ in }
        #expect(local.video != nil && local.audio != nil && local.description == "a test picture, a tone")
        let silent = try LocalMedia.open(video: .none, audio: AudioOption.none, probe: nil) { _ in }
        #expect(silent.video == nil && silent.audio == nil)
    }

    @Test("What makes no sense is refused before anything happens")
    func refusals() {
        for arguments in [
            [], ["bob", "--ring-for", "0"], ["bob", "--duration", "0"], ["bob", "--token", "a", "--token-file", "b"],
            ["bob", "--name", ""], ["bob", "--connection-timeout", "0"], ["bob", "--connection-timeout", "3601"],
            ["bob", "--connection-timeout", "-3"], ["bob", "--connection-timeout", "2.5"],
        ] {
            #expect(throws: (any Error).self) { try CallCommand.parse(arguments) }
        }
        #expect(throws: (any Error).self) { try AnswerCallCommand.parse(["--stay", "--record", "a.webm"]) }
        #expect(throws: (any Error).self) { try AnswerCallCommand.parse(["--ring", "-1"]) }
        #expect(throws: (any Error).self) { try AnswerCallCommand.parse(["--connection-timeout", "0"]) }
    }

    @Test("How long a call goes on without a path is 30 s, or what an option says; less where the other side is gone")
    func connectionTimeout() throws {
        for (arguments, usual, withAbsent) in [
            ([], 30, 12), (["--connection-timeout", "3"], 3, 3), (["--connection-timeout", "3600"], 3_600, 12),
        ] as [([String], UInt64, Int)] {
            let settings = try CallOptions.parse(arguments).settings(role: .answer(.init()))
            #expect(settings.config.connectionTimeout == usual)
            #expect(settings.timeoutWithAbsent == .seconds(withAbsent))
            try settings.config.validate()
        }
        let call = try CallCommand.parse(["bob", "--connection-timeout", "1"])
        let answer = try AnswerCallCommand.parse(["--connection-timeout", "1"])
        #expect(call.options.connectionTimeout == 1 && answer.options.connectionTimeout == 1)
    }

    @Test("A server is named as ws, wss, or by the address of its page")
    func servers() throws {
        for server in ["ws://localhost:8080", "wss://example.org", "http://127.0.0.1:8080/"] {
            let options = try CallOptions.parse(["--server", server])
            #expect(try options.signaling(user: nil).url.path == "/signal")
        }
        let options = try CallOptions.parse(["--server", "localhost"])
        let refusal = #expect(throws: Refusal.self) { try options.signaling(user: nil) }
        #expect(refusal?.description.contains("localhost") == true)
    }

    @Test("A token may stand in a file")
    func tokens() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try "secret-token\n".write(to: file, atomically: true, encoding: .utf8)
        let options = try CallOptions.parse(["--token-file", file.path])
        #expect(try await options.signaling(user: nil).token?() == "secret-token")
        let missing = try CallOptions.parse(["--token-file", "/nowhere"])
        #expect(throws: Refusal.self) { try missing.signaling(user: nil) }
    }

    @Test("Files that are not what they say are refused with the option and the file's name")
    func badFiles() throws {
        for (video, audio) in [(VideoOption.file("/nowhere.y4m"), AudioOption.none), (.none, .file("/nowhere.wav"))] {
            let refusal = #expect(throws: Refusal.self) {
                try LocalMedia.open(video: video, audio: audio, probe: nil) { _ in }
            }
            #expect(refusal?.description.contains("/nowhere") == true)
            #expect(refusal?.description.contains("\n") == false)
        }
    }
}
