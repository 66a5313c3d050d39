import RTCWire
import Testing

@testable import RTCDevices

@Suite("What an app remembers of cameras")
struct CameraHistoryTests {
    @Test("Identifiers may hold anything that a device is called")
    func anyName() {
        var history = CameraHistory()
        for id in ["a b", "a\nchosen b", "\\n", "\\", "é…", "\r\n", " ", "\u{301}\\\u{301} \u{301}"] {
            history.noteChoice(DeviceID(id))
            history.noteStreaming(DeviceID(id))
        }
        history.setFirstPosition(.back)
        #expect(CameraHistory(text: history.text) == history)
    }

    @Test("A file that holds something else is an empty history, or the part of it that is one")
    func garbage() {
        for text in [
            "", "\n\n\n", "chosen", "chosen ", "first nowhere", "\u{0}", String(repeating: "x", count: 100_000),
        ] {
            #expect(CameraHistory(text: text) == CameraHistory())
        }
        let many = (0..<1_000).map { "chosen \($0)\n" }.joined()
        #expect(CameraHistory(text: many).chosen.count == CameraHistory.limit)
        var random = SplitMix(seed: 7)
        for _ in 0..<2_000 {
            let bytes = (0..<40).map { _ in "chosen streamed\\ \n first back\r".utf8.randomElement(using: &random) ?? 0
            }
            let history = CameraHistory(text: String(decoding: bytes, as: UTF8.self))
            #expect(CameraHistory(text: history.text) == history)
        }
    }

    @Test("It is kept in a file, in a folder that is made for it")
    func file() throws {
        let folder = try TemporaryFolder()
        let store = CameraHistoryFile(path: folder.path + "/state/app/cameras")
        #expect(store.load() == nil)
        var history = CameraHistory()
        history.noteChoice("a")
        store.save(history)
        #expect(store.load() == history)
        history.noteChoice("b")
        store.save(history)
        #expect(store.load() == history)
        #expect(try folder.files(in: "state/app") == ["cameras"])
        // Where nothing can be kept, nothing is.
        let nowhere = CameraHistoryFile(path: folder.path + "/state/app/cameras/below/a/file")
        nowhere.save(history)
        #expect(nowhere.load() == nil)
        #expect(CameraHistoryFile(app: "../other") == nil)
        #expect(CameraHistoryFile(app: "") == nil)
    }
}

/// Random numbers that come again from their seed.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
