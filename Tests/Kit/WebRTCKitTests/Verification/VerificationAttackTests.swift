import RTCWire
import Testing

@testable import WebRTCKit

/// Somebody in the signalling who has put a certificate of its own into each description: the caller has a connection with
/// it, and so has the callee. It wins if both persons see the same.
///
/// So that chances can be measured, two codes count as the same here if their first picture is: one in 64.
@Suite("Verification: somebody in the middle")
struct VerificationAttackTests {
    private static let count = 6_400
    /// One in 64 is 100, with a standard deviation of 10.
    private static let expected = 50...150

    /// What the two victims see, and what the attacker has.
    private struct Attack {
        var caller: Verification
        var callee: Verification
        /// As the caller and the callee see them: each has the attacker's certificate in the other's place.
        let withCaller: VerificationHash.Fingerprints
        let withCallee: VerificationHash.Fingerprints

        init(random: some RandomSource) {
            caller = Verification(isCaller: true, nonce: random.bytes(32))
            callee = Verification(isCaller: false, nonce: random.bytes(32))
            withCaller = .init(caller: random.bytes(32), callee: random.bytes(32))
            withCallee = .init(caller: random.bytes(32), callee: random.bytes(32))
        }

        mutating func beginCaller() -> VerificationMessage? {
            caller.begin(local: withCaller.caller, remote: withCaller.callee).first
        }

        mutating func beginCallee() { _ = callee.begin(local: withCallee.callee, remote: withCallee.caller) }

        var isWon: Bool {
            guard let one = caller.code, let other = callee.code else { return false }
            return one.emoji[0] == other.emoji[0]
        }
    }

    @Test("Who only relays the messages is caught by the commitment, every time")
    func relaying() {
        let random = SeededRandom(seed: 1)
        for _ in 0..<1_000 {
            let attack = Attack(random: random)
            var run = VerificationRun(
                random: random, callerView: (attack.withCaller.caller, attack.withCaller.callee),
                calleeView: (attack.withCallee.callee, attack.withCallee.caller))
            run.run()
            #expect(run.callee.isFailed)
        }
    }

    @Test(
        "Who runs the exchange honestly with each side has the chance of a guess, in whichever order",
        arguments: [true, false])
    func twoExchanges(isCallerFirst: Bool) throws {
        let random = SeededRandom(seed: 2)
        var wins = 0
        for _ in 0..<Self.count {
            var attack = Attack(random: random)
            let nonces = (forCaller: random.bytes(32), forCallee: random.bytes(32))
            if isCallerFirst { try finish(&attack, sayingToCaller: nonces.forCaller) }
            try finish(&attack, revealingToCallee: nonces.forCallee)
            if !isCallerFirst { try finish(&attack, sayingToCaller: nonces.forCaller) }
            #expect(!attack.caller.isFailed && !attack.callee.isFailed)
            wins += attack.isWon ? 1 : 0
        }
        #expect(Self.expected.contains(wins), "\(wins) of \(Self.count)")
    }

    @Test("Who knows the callee's code already and looks for a nonce for the caller has the chance of a guess")
    func grindingForTheCaller() throws {
        let random = SeededRandom(seed: 3)
        var wins = 0
        for _ in 0..<Self.count {
            var attack = Attack(random: random)
            let commit = attack.beginCaller()
            let commitment = try #require(commit).value
            try finish(&attack, revealingToCallee: random.bytes(32))
            // All that is known of the caller's nonce is its commitment; any other guess is as good.
            let nonce = try #require(search(attack, callerNonce: commitment, random: random))
            #expect(attack.caller.receive(.init(step: .nonce, value: nonce)).map(\.step) == [.reveal])
            wins += attack.isWon ? 1 : 0
        }
        #expect(Self.expected.contains(wins), "\(wins) of \(Self.count)")
    }

    @Test("The same attacker would win always, if the caller said its nonce before it hears the callee's")
    func grindingWithoutCommitment() throws {
        let random = SeededRandom(seed: 4)
        var wins = 0
        for _ in 0..<100 {
            var attack = Attack(random: random)
            let callerNonce = random.bytes(32)
            attack.caller = Verification(isCaller: true, nonce: callerNonce)
            _ = attack.beginCaller()
            try finish(&attack, revealingToCallee: random.bytes(32))
            let nonce = try #require(search(attack, callerNonce: callerNonce, random: random))
            _ = attack.caller.receive(.init(step: .nonce, value: nonce))
            wins += attack.isWon ? 1 : 0
        }
        #expect(wins == 100)
    }

    @Test("Who knows the caller's code already and looks for a nonce for the callee is bound by its own commitment")
    func grindingForTheCallee() throws {
        let random = SeededRandom(seed: 5)
        for _ in 0..<300 {
            var attack = Attack(random: random)
            try finish(&attack, sayingToCaller: random.bytes(32))
            attack.beginCallee()
            let committed = random.bytes(32)
            let commitment = try #require(
                VerificationHash.commitment(fingerprints: attack.withCallee, callerNonce: committed))
            let calleeNonce = try #require(attack.callee.receive(.init(step: .commit, value: commitment)).first).value
            // A nonce that would show the caller's code to the callee is quickly found, and fits no commitment.
            var found = committed
            while code(attack.withCallee, found, calleeNonce)?.emoji[0] != attack.caller.code?.emoji[0] {
                found = random.bytes(32)
            }
            _ = attack.callee.receive(.init(step: .reveal, value: found))
            #expect(attack.callee.isFailed == (found != committed))
            #expect(attack.isWon == (found == committed))
        }
    }

    @Test("Who has not made its certificate yet hears no nonce of the callee by which to choose it")
    func grindingCertificates() {
        let random = SeededRandom(seed: 6)
        var attack = Attack(random: random)
        #expect(attack.callee.receive(.init(step: .commit, value: random.bytes(32))).isEmpty)
    }

    @Test("A second exchange in the same call, for a second guess, fails")
    func secondGuess() throws {
        let random = SeededRandom(seed: 7)
        var attack = Attack(random: random)
        try finish(&attack, revealingToCallee: random.bytes(32))
        #expect(attack.callee.code != nil)
        #expect(attack.callee.receive(.init(step: .commit, value: random.bytes(32))).isEmpty)
        #expect(attack.callee.status == .failed)
        try finish(&attack, sayingToCaller: random.bytes(32))
        #expect(attack.caller.code != nil)
        #expect(attack.caller.receive(.init(step: .nonce, value: random.bytes(32))).isEmpty)
        #expect(attack.caller.status == .failed)
    }

    /// The attacker as the caller's callee.
    private func finish(_ attack: inout Attack, sayingToCaller nonce: [UInt8]) throws {
        #expect(attack.beginCaller()?.step == .commit)
        #expect(attack.caller.receive(.init(step: .nonce, value: nonce)).map(\.step) == [.reveal])
    }

    /// The attacker as the callee's caller.
    private func finish(_ attack: inout Attack, revealingToCallee nonce: [UInt8]) throws {
        attack.beginCallee()
        let commitment = try #require(VerificationHash.commitment(fingerprints: attack.withCallee, callerNonce: nonce))
        #expect(attack.callee.receive(.init(step: .commit, value: commitment)).map(\.step) == [.nonce])
        #expect(attack.callee.receive(.init(step: .reveal, value: nonce)).isEmpty)
    }

    /// A callee's nonce by which the caller would see what the callee sees, if the caller's were `callerNonce`.
    private func search(_ attack: Attack, callerNonce: [UInt8], random: some RandomSource) -> [UInt8]? {
        for _ in 0..<2_000 {
            let nonce = random.bytes(32)
            if code(attack.withCaller, callerNonce, nonce)?.emoji[0] == attack.callee.code?.emoji[0] { return nonce }
        }
        return nil
    }

    private func code(
        _ fingerprints: VerificationHash.Fingerprints, _ callerNonce: [UInt8], _ calleeNonce: [UInt8]
    ) -> VerificationCode? {
        VerificationHash.code(fingerprints: fingerprints, callerNonce: callerNonce, calleeNonce: calleeNonce)
            .flatMap { VerificationCode(digest: $0) }
    }
}
