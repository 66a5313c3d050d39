import Testing

@testable import DuetShell
@testable import WebRTCKit

@Suite("Who it is, in the words of a terminal and a window")
struct CallNameTests {
    private func call(_ name: String?, isProven: Bool) throws -> Call {
        let id = try #require(CallIdentifier(rawValue: "0123456789abcdef"))
        var peer = Call.Peer(id: "mallory")
        peer.take(SignalDetails(device: "mallory/x7", name: name, nameIsProven: isProven))
        return Call(id: id, peer: peer, direction: .incoming, state: .ringing, media: [])
    }

    @Test(
        "A name that is not proven has the user beside it",
        arguments: [
            ("Alice", false, "Alice (mallory)"), ("Mallory M.", true, "Mallory M."), (nil, false, "mallory"),
            ("mallory", false, "mallory"), ("Alice (alice)", false, "Alice alice (mallory)"),
        ] as [(String?, Bool, String)])
    func words(_ name: String?, _ isProven: Bool, _ shown: String) throws {
        let call = try call(name, isProven: isProven)
        #expect(CallDisplay.text(.incoming(call)) == "\(shown) calls.")
        #expect(CallDisplay.text(.answered(by: call.peer)) == "Answered by \(shown).")
    }

    @Test("What an error quotes of the other side moves no cursor")
    func quotes() {
        let quoted = "a\u{1B}[2Jb\u{9B}31m\u{202E}c\u{2028}d"
        let shown = "a [2Jb 31m c d"
        #expect(CallDisplay.text(.trouble(quoted)) == shown)
        #expect(CallDisplay.text(.note(quoted)) == shown)
        #expect(CallDisplay.text(.server(isThere: false, quoted)) == shown)
        let failed = CallReport.connection(.failed, milliseconds: 0, reason: quoted)
        #expect(CallDisplay.text(failed) == "The path failed: \(shown).")
    }
}
