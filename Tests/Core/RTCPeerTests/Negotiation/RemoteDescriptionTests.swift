import RTCPeer
import RTCTransport
import Testing

@Suite("What a remote description may not say")
struct RemoteDescriptionTests {
    private func offer(_ text: String) -> SessionDescription { SessionDescription(type: .offer, sdp: text) }

    @Test("the text is not SDP: the line is named")
    func syntax() throws {
        var side = try NegotiatingSide()
        let text = BrowserDescriptions.chromeData.replacing(
            "a=ice-pwd:x9cml/YzichV2+XlhiMu8gQ1", with: "a=ice-pwd:short")
        let error = #expect(throws: NegotiationError.self) { try side.take(offer(text)) }
        #expect(error?.code == .invalidSyntax)
        #expect(error?.syntax?.line == 11)
        #expect(error?.message.contains("line 11") == true)
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
        let code: NegotiationError.Code
        let text: String
        let name: String
        init(_ code: NegotiationError.Code, _ name: String, _ text: String) {
            self.code = code
            self.name = name
            self.text = text
        }
        var testDescription: String { name }
    }

    private static let chrome = BrowserDescriptions.chromeData
    static let mistakes = [
        Mistake(.missingICECredentials, "no ufrag", chrome.removingLines("a=ice-ufrag")),
        Mistake(.missingICECredentials, "no password", chrome.removingLines("a=ice-pwd")),
        Mistake(.missingFingerprint, "no fingerprint", chrome.removingLines("a=fingerprint")),
        Mistake(
            .unsupportedFingerprint, "only SHA-1",
            chrome.removingLines("a=fingerprint") + "a=fingerprint:sha-1 \(BrowserDescriptions.digest.prefix(59))\n"),
        Mistake(
            .unsupportedFingerprint, "only a hash function of the future",
            chrome.removingLines("a=fingerprint") + "a=fingerprint:blake3 00:11\n"),
        Mistake(.invalidSetup, "holdconn", chrome.replacing("actpass", with: "holdconn")),
        Mistake(.unknownMid, "a group of what is not there", chrome.replacing("BUNDLE 0", with: "BUNDLE 0 1")),
        Mistake(.duplicateMid, "a group of the same twice", chrome.replacing("BUNDLE 0", with: "BUNDLE 0 0")),
        Mistake(.duplicateMid, "two sections with one mid", chrome + "m=audio 0 RTP/AVP 0\na=mid:0\n"),
    ]

    @Test("each mistake has a name", arguments: mistakes)
    func isNamed(mistake: Mistake) throws {
        var side = try NegotiatingSide()
        expect(mistake.code, of: &side) { try $0.take(offer(mistake.text)) }
    }

    @Test("mistakes in a section that is refused anyway do not matter")
    func refusedSection() throws {
        var side = try NegotiatingSide()
        let audio = "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:a\na=rtpmap:nonsense\n"
        try side.take(offer(Self.chrome + audio))
        _ = try side.answer()
        #expect(side.changes.data != nil)
    }

    @Test("sections are never removed, moved or changed")
    func order() throws {
        var side = try NegotiatingSide()
        let both = BrowserDescriptions.safariVideoData
        try side.take(offer(both))
        _ = try side.answer()
        let sections = both.split(separator: "m=", omittingEmptySubsequences: false)
        expect(.sectionsChanged, of: &side) {
            try $0.take(offer(String(sections[0] + "m=" + sections[1]).replacing("BUNDLE 0 1", with: "BUNDLE 0")))
        }
        expect(.sectionsChanged, of: &side) { try $0.take(offer("\(sections[0])m=\(sections[2])m=\(sections[1])")) }
        expect(.sectionsChanged, of: &side) {
            try $0.take(offer(both.replacing("a=mid:1", with: "a=mid:7").replacing("BUNDLE 0 1", with: "BUNDLE 0 7")))
        }
        // The rejected section's place may be given away.
        try side.take(
            offer(
                both.replacing("m=video", with: "m=audio").replacing("a=mid:0", with: "a=mid:7").replacing(
                    "BUNDLE 0", with: "BUNDLE 7")))
    }

    @Test("an answer has the sections of the offer")
    func answerSections() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        _ = try side.offer()
        let good = BrowserDescriptions.aiortcAnswer
        func refuse(_ code: NegotiationError.Code, _ text: String) {
            expect(code, of: &side) { try $0.take(SessionDescription(type: .answer, sdp: text)) }
        }
        refuse(.sectionsChanged, good + "m=audio 0 RTP/AVP 0\na=mid:1\n")
        refuse(.sectionsChanged, String(good[..<good.range(of: "m=")].replacing(" 0\n", with: "\n")))
        refuse(.sectionsChanged, good.replacing("m=application", with: "m=audio"))
        refuse(.sectionsChanged, good.replacing("a=mid:0", with: "a=mid:1").replacing("BUNDLE 0", with: "BUNDLE 1"))
        refuse(.notOffered, good.replacing("webrtc-datachannel", with: "something-else"))
        refuse(.invalidSetup, good.replacing("a=setup:active", with: "a=setup:actpass"))
        refuse(.invalidSetup, good.replacing("a=setup:active", with: "a=setup:holdconn"))
        refuse(.missingFingerprint, good.removingLines("a=fingerprint"))
        // Without mids and groups, as before RFC 8843, it is clear all the same.
        try side.take(SessionDescription(type: .answer, sdp: good.removingLines("a=mid").removingLines("a=group")))
        #expect(side.changes.data?.mid == "0")
    }

    @Test("what an error quotes of the other side is one line that no terminal interprets")
    func quotes() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        _ = try side.offer()
        let hostile = "\u{1B}[2J\u{9B}31m\u{202E}x\u{2028}y" + String(repeating: "z", count: 10_000)
        let answer = BrowserDescriptions.aiortcAnswer
        let text = answer.replacing("UDP/DTLS/SCTP", with: hostile)
        #expect(text != answer)
        let error = #expect(throws: NegotiationError.self) {
            try side.take(SessionDescription(type: .answer, sdp: text))
        }
        #expect(error?.code == .notOffered)
        #expect(error?.message.contains(" [2J 31m x yzz") == true)
        #expect(error?.message.unicodeScalars.count == 500)
    }

    @Test("an answer does not accept what the offer had closed")
    func closedSection() throws {
        var side = try NegotiatingSide()
        try side.take(offer(BrowserDescriptions.safariVideoData))
        _ = try side.answer()
        _ = try side.offer()
        let answer = BrowserDescriptions.safariVideoData.replacing("actpass", with: "passive")
        expect(.notOffered, of: &side) { try $0.take(SessionDescription(type: .answer, sdp: answer)) }
    }

    @Test("certificate and tls-id of a connection do not change")
    func certificate() throws {
        var side = try NegotiatingSide()
        let withID = Self.chrome + "a=tls-id:aaaaaaaaaaaaaaaaaaaa\n"
        try side.take(offer(withID))
        _ = try side.answer()
        #expect(side.changes.remoteTransport?.description.tlsID == "aaaaaaaaaaaaaaaaaaaa")
        expect(.changedDTLSAssociation, of: &side) { try $0.take(offer(withID.replacing("19:E2", with: "19:E3"))) }
        expect(.changedDTLSAssociation, of: &side) { try $0.take(offer(withID.replacing("aaaa", with: "bbbb"))) }
        try side.take(
            offer(withID + "a=fingerprint:sha-512 \(BrowserDescriptions.digest):\(BrowserDescriptions.digest)\n"))
    }
}

extension String {
    fileprivate func range(of text: String) -> Index { firstRange(of: text)?.lowerBound ?? endIndex }
}
