import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("The verification code of a call")
struct CallVerificationTests {
    private static let (ours, theirs) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))

    /// Carries what both say, and returns the codes that each is told.
    private func carry(_ kits: TwoKits) -> [[VerificationCode]] {
        var codes: [[VerificationCode]] = [[], []]
        var hasMore = true
        while hasMore {
            hasMore = false
            for (index, (kit, other)) in [(kits.alice, kits.bob), (kits.bob, kits.alice)].enumerated() {
                while let effect = kit.nextEffect() {
                    hasMore = true
                    switch effect {
                    case .send(let outgoing, _): other.hears(outgoing, from: kit.name)
                    case .report(.verificationCode(let code)): codes[index].append(code)
                    default: break
                    }
                }
            }
        }
        return codes
    }

    @Test("is the same on both sides, whoever's DTLS is done first", arguments: [true, false])
    func same(callerFirst: Bool) throws {
        let kits = try TwoKits.inCall()
        let (first, second) = callerFirst ? (kits.alice, kits.bob) : (kits.bob, kits.alice)
        first.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        var told = carry(kits)
        #expect(told == [[], []])
        second.connection(.fingerprints(local: Self.theirs, remote: Self.ours))
        told = carry(kits)
        #expect(told[0].count == 1 && told[0] == told[1])
        // Told once more, it is the same.
        first.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        #expect(carry(kits) == [[], []])
        #expect(kits.alice.core.counters == .init() && kits.bob.core.counters == .init())
    }

    @Test("is compared in signals of its own, which wait with the rest while the server is away")
    func waits() throws {
        let kits = try TwoKits.inCall()
        kits.alice.signaling(.closed)
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.expect()
        kits.alice.signaling(.opened)
        kits.expect("alice → bob: verify commit")
        kits.bob.connection(.fingerprints(local: Self.theirs, remote: Self.ours))
        kits.expect(
            "bob → alice: verify nonce", "alice → bob: verify reveal", "alice: code", "bob: code")
    }

    @Test("is not asked for before the answer, and what a stranger says too early is bounded")
    func tooEarly() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        let call = try #require(kits.alice.core.call?.id)
        let message = VerificationMessage(step: .nonce, value: [1])
        kits.alice.hears(.verify(message), of: call, from: "bob")
        #expect(kits.alice.core.counters.unexpected == 1)
        kits.alice.hears(.answer(sdp: "a1"), of: call, from: "bob")
        for _ in 0..<10 { kits.alice.hears(.verify(message), of: call, from: "bob") }
        #expect(kits.alice.core.counters.unexpected == 7)
    }
}
