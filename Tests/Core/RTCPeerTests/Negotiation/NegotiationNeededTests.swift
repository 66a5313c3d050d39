import RTCPeer
import Testing

@Suite("Negotiation needed (W3C WebRTC, section 4.7.3)")
struct NegotiationNeededTests {
    @Test("several changes, one offer")
    func coalesced() throws {
        var (side, other) = try connectedSides()
        side.negotiator.addDataSection()
        let nothing = side.negotiator.pollNegotiationNeeded()
        #expect(!nothing)
        side.negotiator.requestICERestart()
        side.negotiator.requestICERestart()
        let polls = (0..<3).map { _ in side.negotiator.pollNegotiationNeeded() }
        #expect(polls == [true, false, false])
        try side.exchange(with: &other)
        let after = side.negotiator.pollNegotiationNeeded()
        #expect(!after)
    }

    @Test("changes in the middle of an exchange, one offer after it")
    func later() throws {
        var side = try NegotiatingSide(seed: 1)
        var other = try NegotiatingSide(seed: 2)
        try side.take(other.offer())
        side.negotiator.addDataSection()
        side.negotiator.requestICERestart()
        let during = side.negotiator.pollNegotiationNeeded()
        #expect(!during && !side.negotiator.needsNegotiation)
        try other.take(side.answer())
        let after = (0..<2).map { _ in side.negotiator.pollNegotiationNeeded() }
        #expect(after == [true, false])
    }

    @Test("what the other side's offer brings need not be offered")
    func satisfied() throws {
        var side = try NegotiatingSide(seed: 1)
        var other = try NegotiatingSide(seed: 2)
        side.negotiator.addDataSection()
        other.negotiator.addDataSection()
        try other.exchange(with: &side)
        #expect(!side.negotiator.needsNegotiation && !other.negotiator.needsNegotiation)
    }

    @Test("told once more when an exchange ends without it")
    func again() throws {
        var side = try NegotiatingSide(seed: 1)
        var other = try NegotiatingSide(seed: 2)
        side.negotiator.addDataSection()
        let first = side.negotiator.pollNegotiationNeeded()
        // An empty exchange of the other side gets in between.
        try other.exchange(with: &side)
        let second = side.negotiator.pollNegotiationNeeded()
        #expect(first && second)
    }
}
