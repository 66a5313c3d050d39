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
                    case .report(.verification, let call): codes[index] += call.code.map { [$0] } ?? []
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

    /// A call with a code on both sides.
    private func verified() throws -> TwoKits {
        let kits = try TwoKits.inCall()
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.bob.connection(.fingerprints(local: Self.theirs, remote: Self.ours))
        kits.expect(
            "alice → bob: verify commit", "bob → alice: verify nonce", "alice → bob: verify reveal", "alice: code",
            "bob: code")
        return kits
    }

    @Test("is taken away when something does not fit, once and for the whole call; the call goes on")
    func fails() throws {
        let kits = try verified()
        let call = try #require(kits.alice.core.call?.id)
        let message = VerificationMessage(step: .nonce, value: [UInt8](repeating: 3, count: 32))
        kits.alice.hears(.verify(message), of: call, from: "bob")
        kits.expect("alice: verificationFailed")
        kits.alice.hears(.verify(message), of: call, from: "bob")
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.expect()
        // Another certificate.
        kits.bob.connection(.fingerprints(local: Self.theirs, remote: Self.theirs))
        kits.expect("bob: verificationFailed")
        #expect(kits.alice.core.state == .callIsRunning && kits.bob.core.state == .callIsRunning)
    }

    @Test("fails when a message of it cannot be read, unless it is of another call or from somebody else")
    func unreadable() throws {
        let kits = try verified()
        let call = try #require(kits.alice.core.call?.id.rawValue)
        func bytes(_ call: String) -> [UInt8] {
            Array(#"{"call":"\#(call)","kind":"verify","step":"","value":""}"#.utf8)
        }
        kits.alice.signaling(.signal(bytes("0123456789abcdef"), from: "bob", isPolite: false))
        kits.alice.signaling(.signal(bytes(call), from: "mallory", isPolite: false))
        kits.expect()
        kits.alice.signaling(.signal(bytes(call), from: "bob", isPolite: false))
        kits.expect("alice: verificationFailed")
        #expect(kits.alice.core.counters.malformedSignals == 3)
    }

    @Test("is not asked for before the answer")
    func tooEarly() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        let call = try #require(kits.alice.core.call?.id)
        let message = VerificationMessage(step: .nonce, value: [UInt8](repeating: 3, count: 32))
        kits.alice.hears(.verify(message), of: call, from: "bob/2")
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        #expect(kits.alice.core.counters.unexpected == 2 && kits.alice.takeLines() == ["polite 1"])
    }

    @Test("is said again when the signalling is back, which may have lost it")
    func saidAgain() throws {
        let kits = try TwoKits.inCall()
        kits.isServerUp = false
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.bob.connection(.fingerprints(local: Self.theirs, remote: Self.ours))
        kits.expect("alice ↛ bob: verify commit")
        kits.isServerUp = true
        kits.alice.signaling(.closed)
        kits.alice.signaling(.opened)
        kits.expect(
            "alice → bob: verify commit", "bob → alice: verify nonce", "alice → bob: verify reveal", "alice: code",
            "bob: code")
        #expect(kits.alice.core.counters.unsent == 1 && kits.alice.core.nextDeadline == nil)
    }

    @Test("is said again when the other side has a new session, which may not have had it, and not otherwise")
    func newSession() throws {
        let kits = try TwoKits.inCall()
        kits.delivers = false
        let call = try #require(kits.alice.core.call?.id)
        kits.alice.signaling(.presence(call, .present, hasNewSession: true))
        kits.expect()
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.expect("alice → bob: verify commit")
        kits.alice.signaling(.presence(call, .away))
        kits.alice.signaling(.presence(call, .present))
        // It has lost nothing.
        kits.expect()
        kits.alice.signaling(.presence(call, .present, hasNewSession: true))
        kits.expect("alice → bob: verify commit")
        // Of another call, or of one that has no code.
        kits.alice.signaling(.presence(.random(from: SeededRandom(seed: 3)), .present, hasNewSession: true))
        kits.bob.signaling(.presence(call, .present, hasNewSession: true))
        kits.expect()
    }

    @Test("waits while the other side has no session, and is said once when it has one")
    func noSession() throws {
        let kits = try TwoKits.inCall()
        kits.bob.connection(.fingerprints(local: Self.theirs, remote: Self.ours))
        let call = try #require(kits.alice.core.call?.id)
        kits.alice.signaling(.presence(call, .gone))
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.expect()
        kits.alice.signaling(.presence(call, .present, hasNewSession: true))
        kits.expect(
            "alice → bob: verify commit", "bob → alice: verify nonce", "alice → bob: verify reveal", "alice: code",
            "bob: code")
        #expect(kits.alice.core.nextDeadline == nil && kits.bob.core.nextDeadline == nil)
    }

    @Test("is said again when the server may have dropped it, once for all that it has dropped")
    func dropped() throws {
        let kits = try TwoKits.inCall()
        kits.delivers = false
        let call = try #require(kits.alice.core.call?.id)
        kits.alice.signaling(.undeliverable(call))
        // Nothing was said.
        #expect(kits.alice.core.nextDeadline == nil)
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.expect("alice → bob: verify commit")
        kits.alice.signaling(.undeliverable(call))
        kits.wait(.seconds(1))
        kits.alice.signaling(.undeliverable(call))
        kits.expect()
        kits.wait(.seconds(1))
        kits.expect("alice → bob: verify commit")
        #expect(kits.alice.core.nextDeadline == nil)
        kits.alice.signaling(.undeliverable(call))
        kits.wait(.seconds(2))
        kits.expect("alice → bob: verify commit")
        // Not after the call.
        kits.alice.signaling(.undeliverable(call))
        try kits.alice.end()
        kits.wait(.seconds(4))
        kits.expect("alice → bob: hangUp normal", "alice → bob: endCall", "alice: close 1", "alice: ended")
        #expect(kits.alice.core.nextDeadline == nil)
    }

    @Test(
        "comes of it wherever in the exchange the server died, with whatever was on its way",
        arguments: 0...3, [true, false])
    func serverDies(after passed: Int, callerFirst: Bool) throws {
        let kits = try TwoKits.inCall()
        kits.alice.connection(.fingerprints(local: Self.ours, remote: Self.theirs))
        kits.bob.connection(.fingerprints(local: Self.theirs, remote: Self.ours))
        var (left, codes): (Int, [[VerificationCode]]) = (passed, [[], []])
        /// Carries all that is said, until nothing is, or the server is dead.
        func carry(_ arrives: () -> Bool) {
            var hasMore = true
            while hasMore {
                hasMore = false
                for (index, (kit, other)) in [(kits.alice, kits.bob), (kits.bob, kits.alice)].enumerated() {
                    while let effect = kit.nextEffect() {
                        hasMore = true
                        switch effect {
                        case .send(let outgoing, _): if arrives() { other.hears(outgoing, from: kit.name) }
                        case .report(.verification, let call):
                            if let code = call.code { codes[index].append(code) } else { Issue.record("it failed") }
                        default: break
                        }
                    }
                }
            }
        }
        carry {
            left -= 1
            return left >= 0
        }
        for kit in [kits.alice, kits.bob] { kit.signaling(.closed) }
        for kit in callerFirst ? [kits.alice, kits.bob] : [kits.bob, kits.alice] { kit.signaling(.opened) }
        carry { true }
        #expect(codes[0].count == 1 && codes[0] == codes[1])
    }
}
