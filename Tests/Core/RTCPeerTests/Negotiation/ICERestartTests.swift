import RTCMedia
import RTCPeer
import Testing

@Suite("ICE restart (RFC 8445, section 9; RFC 9429, section 4.1.18)")
struct ICERestartTests {
    @Test("a requested restart renews the credentials of both sides")
    func requested() throws {
        var (offerer, answerer) = try connectedSides()
        let old = (offerer.credentials.fragment, answerer.credentials.fragment)
        _ = (offerer.takeChanges(), answerer.takeChanges())
        offerer.negotiator.requestICERestart()
        #expect(offerer.negotiator.needsNegotiation && offerer.negotiator.needsFreshICECredentials)

        try answerer.take(offerer.offer())
        #expect(offerer.changes.localTransport?.isRestart == true)
        #expect(answerer.negotiator.needsFreshICECredentials)
        try offerer.take(answerer.answer())
        for side in [offerer, answerer] {
            #expect(side.changes.localTransport?.isRestart == true)
            #expect(side.changes.remoteTransport?.isRestart == true)
            #expect(side.changes.remoteTransport?.isICEControlling == (side.fingerprint == offerer.fingerprint))
            #expect(side.changes.data == nil)
            #expect(!side.negotiator.needsNegotiation && !side.negotiator.needsFreshICECredentials)
        }
        #expect(offerer.credentials.fragment != old.0 && answerer.credentials.fragment != old.1)
    }

    @Test("before the first description a request changes nothing")
    func tooEarly() throws {
        var side = try NegotiatingSide()
        side.negotiator.requestICERestart()
        #expect(!side.negotiator.needsNegotiation && !side.negotiator.needsFreshICECredentials)
    }

    @Test("requested in the middle of an exchange, it is offered after it")
    func inBetween() throws {
        var (offerer, answerer) = try connectedSides()
        let offer = try offerer.offer()
        offerer.negotiator.requestICERestart()
        answerer.negotiator.requestICERestart()
        #expect(!offerer.negotiator.needsNegotiation)
        try answerer.take(offer)
        // The offer does not restart, so the answer cannot.
        #expect(!answerer.negotiator.needsFreshICECredentials)
        try offerer.take(answerer.answer())
        #expect(offerer.negotiator.needsNegotiation && answerer.negotiator.needsNegotiation)
        // One restart serves both.
        try offerer.exchange(with: &answerer)
        #expect(!offerer.negotiator.needsNegotiation && !answerer.negotiator.needsNegotiation)
    }

    @Test("requested while the first offer waits, it is offered after it")
    func duringTheFirst() throws {
        var (offerer, answerer) = (try NegotiatingSide(seed: 1), try NegotiatingSide(seed: 2))
        offerer.negotiator.addDataSection()
        let offer = try offerer.offer()
        offerer.negotiator.requestICERestart()
        try answerer.take(offer)
        try offerer.take(answerer.answer())
        #expect(offerer.negotiator.needsNegotiation && offerer.negotiator.needsFreshICECredentials)
    }

    @Test("credentials that do not fit are refused")
    func unsuitable() throws {
        var (offerer, answerer) = try connectedSides()
        let inUse = offerer.input()
        expect(.unsuitableCredentials, of: &offerer) {
            $0.refreshCredentials()
            _ = try $0.offer()
        }
        offerer.negotiator.requestICERestart()
        expect(.unsuitableCredentials, of: &offerer) { _ = try $0.negotiator.createOffer(inUse) }
        let old = answerer.input()
        try answerer.take(offerer.offer())
        expect(.unsuitableCredentials, of: &answerer) { _ = try $0.negotiator.createAnswer(old) }
    }

    @Test("a new password alone is a restart")
    func password() throws {
        var side = try NegotiatingSide()
        try side.take(SessionDescription(type: .offer, sdp: BrowserDescriptions.chromeData))
        _ = try side.answer()
        try side.take(
            SessionDescription(
                type: .offer, sdp: BrowserDescriptions.chromeData.replacing("a=ice-pwd:x", with: "a=ice-pwd:y")))
        #expect(side.negotiator.needsFreshICECredentials)
    }

    @Test("an answer may not restart by itself")
    func answer() throws {
        var (offerer, answerer) = try connectedSides()
        try answerer.take(offerer.offer())
        let inUse = answerer.credentials.fragment
        let answer = try answerer.answer().sdp.replacing("a=ice-ufrag:\(inUse)", with: "a=ice-ufrag:other")
        expect(.unexpectedICERestart, of: &offerer) { try $0.take(SessionDescription(type: .answer, sdp: answer)) }
    }

    @Test("an answer that keeps its credentials in spite of our restart is accepted")
    func stubborn() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        _ = try side.offer()
        let answer = SessionDescription(type: .answer, sdp: BrowserDescriptions.aiortcAnswer)
        try side.take(answer)
        side.negotiator.requestICERestart()
        _ = try side.offer()
        _ = side.takeChanges()
        try side.take(answer)
        #expect(side.changes.remoteTransport?.isRestart == true)
    }

    @Test("with all sections closed there is nothing to restart, and no offer is due for ever")
    func nothingOpen() throws {
        var side = try NegotiatingSide.media(seed: 1)
        var other = try NegotiatingSide.media(seed: 2)
        let id = try side.addTrack(.audio)
        try side.exchange(with: &other)
        try side.negotiator.stop(id)
        try side.exchange(with: &other)
        side.negotiator.requestICERestart()
        try side.exchange(with: &other)
        #expect(!side.negotiator.needsNegotiation && !side.negotiator.needsFreshICECredentials)
    }
}
