import RTCSignaling
import Testing

@testable import duet

@Suite("Who it is, in the words of a terminal and a window")
struct CallNameTests {
    private func peer(_ name: String?, isProven: Bool) throws -> SignalingPeer {
        SignalingPeer(
            user: try #require(UserID(rawValue: "mallory")), device: try #require(SignalingDeviceID(rawValue: "x7")),
            name: name.flatMap { DisplayName(rawValue: $0) }, nameIsProven: isProven)
    }

    @Test(
        "A name that is not proven has the user beside it",
        arguments: [
            ("Alice", false, "Alice (mallory)"), ("Mallory M.", true, "Mallory M."), (nil, false, "mallory"),
            ("mallory", false, "mallory"), ("Alice (alice)", false, "Alice alice (mallory)"),
        ] as [(String?, Bool, String)])
    func words(_ name: String?, _ isProven: Bool, _ shown: String) throws {
        let peer = try peer(name, isProven: isProven)
        #expect(CallDisplay.text(.incoming(.random(), from: peer)) == "\(shown) calls.")
        #expect(CallDisplay.text(.answered(by: peer)) == "Answered by \(shown).")
    }
}
