import Testing

@testable import RTCSignaling

@Suite("Names that nobody has proved")
struct UnprovenNameTests {
    func label(_ name: String) throws -> String {
        let user = try #require(UserID(rawValue: "mallory"))
        let device = try #require(SignalingDeviceID(rawValue: "m"))
        let shown = try #require(DisplayName(rawValue: name) as DisplayName?)
        return SignalingPeer(user: user, device: device, name: shown).displayLabel
    }

    @Test("A name of 64 characters leaves room for the identifier, and the cut is seen")
    func long() throws {
        let name = String(repeating: "Alice ", count: 10) + "Lisa"
        #expect(name.count == 64)
        #expect(try label(name) == "Alice Alice Alice Alice… (mallory)")
        #expect(try label("Alice" + String(repeating: " ", count: 58) + ".") == "Alice . (mallory)")
        #expect(try label("Twenty-four characters…!") == "Twenty-four characters…! (mallory)")
        #expect(try label("e\u{301}".repeated(64)) == "e\u{301}".repeated(23) + "… (mallory)")
    }

    @Test("Whatever looks like a space is one, and nothing looks like another identifier")
    func disguises() throws {
        #expect(try label("Alice (alice)") == "Alice alice (mallory)")
        #expect(try label("Alice （alice） ⦅a⦆") == "Alice alice a (mallory)")
        #expect(try label("A\u{A0}\u{2003}\u{3000}\u{3164}\u{2800}\u{115F}B") == "A B (mallory)")
        for empty in ["()", "   ", "\u{200D}", "( \u{200C} )", "\u{3164}"] { #expect(try label(empty) == "mallory") }
        #expect(try label("mallory") == "mallory")
    }

    @Test("A proven name is shown as it is")
    func proven() throws {
        let name = try #require(DisplayName(rawValue: String(repeating: "A (b) ", count: 8)))
        let device = try #require(SignalingDeviceID(rawValue: "m"))
        let user = try #require(UserID(rawValue: "mallory"))
        #expect(
            SignalingPeer(user: user, device: device, name: name, nameIsProven: true).displayLabel == name.rawValue)
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
