import RTCPeer
import RTCWire
import Testing

@Suite("Hostile signalling")
struct HostileNegotiationTests {
    @Test("damaged descriptions and candidates in any order: errors, never a trap, and we stay able to negotiate")
    func storm() throws {
        let random = SeededRandom(seed: 0xBAD)
        let seeds = BrowserDescriptions.all.map(\.text).filter { $0.utf8.count < 2_500 }
        var answered = 0
        for _ in 0..<100 {
            var side = try NegotiatingSide(seed: random.next())
            for _ in 0..<30 {
                let kind: SessionDescription.Kind = [.offer, .offer, .offer, .answer, .pranswer, .rollback][
                    Int(random.next(below: 6))]
                var bytes = Array(seeds[Int(random.next(below: UInt64(seeds.count)))].utf8)
                for _ in 0..<random.next(below: 3) { Mutation.apply(to: &bytes, random) }
                let description = SessionDescription(type: kind, sdp: String(decoding: bytes, as: UTF8.self))
                switch random.next(below: 8) {
                case 0:
                    side.negotiator.addDataSection()
                    _ = try? side.offer()
                case 1: side.negotiator.requestICERestart()
                case 2:
                    var text = Array(reflexiveCandidate.utf8)
                    Mutation.apply(to: &text, random)
                    _ = try? side.negotiator.receive(
                        ICECandidateInit(
                            candidate: String(decoding: text, as: UTF8.self),
                            sdpMid: random.next(below: 2) == 0 ? "0" : nil,
                            sdpMLineIndex: Int(truncatingIfNeeded: random.next()), usernameFragment: nil))
                case 3: _ = try? side.negotiator.rollback()
                default: _ = try? side.negotiator.receive(description, isPolite: random.next(below: 2) == 0)
                }
                if side.negotiator.signalingState == .haveRemoteOffer {
                    // Whatever was accepted can be answered, and the answer is well-formed.
                    if !side.negotiator.needsFreshICECredentials { try side.useCredentialsInUse() }
                    let answer = try side.answer()
                    answered += 1
                    #expect(try SDP(parsing: answer.sdp).serialized == answer.sdp)
                }
            }
            if side.negotiator.signalingState == .haveLocalOffer { _ = try side.negotiator.rollback() }
        }
        #expect(answered > 100)
    }
}
