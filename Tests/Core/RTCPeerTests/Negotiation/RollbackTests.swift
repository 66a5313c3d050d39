import RTCPeer
import Testing

@Suite("Rollback (RFC 9429, section 4.1.10.2)")
struct RollbackTests {
    @Test("withdrawing the first offer leaves nothing, and what was wanted is still wanted")
    func firstOffer() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        let isWanted = side.negotiator.pollNegotiationNeeded()
        #expect(isWanted)
        _ = try side.offer()
        let changes = try side.negotiator.rollback()
        #expect(
            changes == [
                .rolledBack(.init(isLocal: true, unusedUsernameFragment: side.credentials.fragment)),
                .signalingState(.stable),
            ])
        #expect(side.negotiator.localDescription == nil)
        let isAnnounced = side.negotiator.pollNegotiationNeeded()
        #expect(side.negotiator.needsNegotiation && isAnnounced)
    }

    @Test("a withdrawn offer that went on with the connection costs nothing")
    func laterOffer() throws {
        var (side, _) = try connectedSides()
        let before = side.negotiator.localDescription
        _ = try side.offer()
        #expect(side.negotiator.localDescription != before)
        _ = side.takeChanges()
        let changes = try side.negotiator.rollback()
        #expect(changes.rollback == .init(isLocal: true, unusedUsernameFragment: nil))
        #expect(side.negotiator.localDescription == before)
    }

    @Test("the other side's offer is withdrawn, and nothing of it stays")
    func remoteOffer() throws {
        var (side, other) = try connectedSides()
        let before = side.negotiator.remoteDescription
        other.negotiator.requestICERestart()
        try side.take(other.offer())
        _ = side.takeChanges()
        #expect(side.negotiator.needsFreshICECredentials)
        try side.take(.rollback)
        let changes = side.takeChanges()
        #expect(changes == [.rolledBack(.init(isLocal: false, unusedUsernameFragment: nil)), .signalingState(.stable)])
        #expect(side.negotiator.remoteDescription == before)
        #expect(!side.negotiator.needsFreshICECredentials)
    }

    @Test("an offer that arrives withdraws ours, as the W3C has it since 2020")
    func implicit() throws {
        var side = try NegotiatingSide(seed: 1)
        var other = try NegotiatingSide(seed: 2)
        side.negotiator.addDataSection()
        other.negotiator.addDataSection()
        let fragment = try SDP(parsing: side.offer().sdp).media[0].level.iceUsernameFragment
        _ = side.takeChanges()
        try side.take(other.offer())
        #expect(
            side.takeChanges() == [
                .rolledBack(.init(isLocal: true, unusedUsernameFragment: fragment)), .signalingState(.haveRemoteOffer),
            ])
        // The generation that was begun may be used for the answer.
        let answer = try SDP(parsing: side.answer().sdp)
        #expect(answer.media[0].level.iceUsernameFragment == fragment)
        #expect(side.changes.localTransport?.iceUsernameFragment == fragment)
        #expect(!side.negotiator.needsNegotiation)
    }

    @Test("a malformed offer does not withdraw ours")
    func malformed() throws {
        var side = try NegotiatingSide()
        side.negotiator.addDataSection()
        _ = try side.offer()
        expect(.invalidSyntax, of: &side) { try $0.take(SessionDescription(type: .offer, sdp: "v=0")) }
        #expect(side.negotiator.signalingState == .haveLocalOffer)
    }

    @Test("a withdrawn restart is still wanted, and takes credentials of its own")
    func restart() throws {
        var (side, other) = try connectedSides()
        let inUse = side.credentials
        side.negotiator.requestICERestart()
        _ = try side.offer()
        let unused = side.credentials.fragment
        #expect(unused != inUse.fragment)
        let changes = try side.negotiator.rollback()
        #expect(changes.rollback?.unusedUsernameFragment == unused)
        #expect(side.negotiator.needsNegotiation && side.negotiator.needsFreshICECredentials)
        // An offer of the other side that does not restart is answered with what is in use.
        try side.take(other.offer())
        #expect(!side.negotiator.needsFreshICECredentials)
        side.credentials = inUse
        try other.take(side.answer())
        #expect(side.negotiator.needsNegotiation)
        try side.exchange(with: &other)
        #expect(!side.negotiator.needsNegotiation)
        #expect(other.changes.remoteTransport?.isRestart == false)
        #expect(
            other.changes.last { if case .remoteTransport = $0 { true } else { false } }.map {
                [$0].remoteTransport?.isRestart
            } == true)
    }
}
