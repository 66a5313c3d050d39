import RTCWire
import Testing

@testable import WebRTCKit

@Suite("Verification: what both sides come to")
struct VerificationTests {
    @Test("1,000 times both sides come to the same code, and each time to another")
    func agreement() {
        let random = SeededRandom(seed: 1)
        var seen: Set<VerificationCode> = []
        for _ in 0..<1_000 {
            var run = VerificationRun(random: random)
            run.run()
            #expect(run.caller.code != nil)
            #expect(run.caller.code == run.callee.code)
            #expect(!run.caller.isFailed && !run.callee.isFailed)
            if let code = run.caller.code { seen.insert(code) }
        }
        #expect(seen.count == 1_000)
    }

    @Test("Every picture and every digit comes up as often as every other at each place")
    func uniformity() {
        let random = SeededRandom(seed: 2)
        var pictures = [[String: Int]](repeating: [:], count: 5)
        var digits = [[Character: Int]](repeating: [:], count: 9)
        let count = 6_400
        for _ in 0..<count {
            var run = VerificationRun(random: random)
            run.run()
            guard let code = run.caller.code else { continue }
            for (place, picture) in code.emoji.enumerated() { pictures[place][picture, default: 0] += 1 }
            for (place, digit) in code.digits.enumerated() { digits[place][digit, default: 0] += 1 }
        }
        // 100 and 640 are expected, with a standard deviation of 10 and 24.
        for place in pictures { #expect(place.count == 64 && place.values.allSatisfy { abs($0 - 100) < 55 }) }
        for place in digits { #expect(place.count == 10 && place.values.allSatisfy { abs($0 - 640) < 130 }) }
    }

    @Test("Any flipped bit of any message leaves no equal codes, and what a person would see says so")
    func flippedMessages() {
        let random = SeededRandom(seed: 3)
        for step in VerificationMessage.Step.allCases {
            for bit in 0..<256 {
                var run = VerificationRun(random: random)
                run.run { message in
                    guard message.step == step else { return [message] }
                    var value = message.value
                    value[bit / 8] ^= 1 << (bit % 8)
                    return [VerificationMessage(step: step, value: value)]
                }
                #expect(run.callee.isFailed || run.caller.code != run.callee.code, "\(step), bit \(bit)")
                // The commitment binds the caller; the callee's nonce is in the code alone.
                #expect(run.callee.isFailed == (step != .nonce), "\(step), bit \(bit)")
            }
        }
    }

    @Test("Any flipped bit of any fingerprint, at either side, fails the verification")
    func flippedFingerprints() {
        let random = SeededRandom(seed: 4)
        for bit in 0..<256 {
            for which in 0..<4 {
                let honest = VerificationRun(random: random)
                var (callerView, calleeView) = (honest.callerView, honest.calleeView)
                let flip: (inout [UInt8]) -> Void = { $0[bit / 8] ^= 1 << (bit % 8) }
                switch which {
                case 0: flip(&callerView.local)
                case 1: flip(&callerView.remote)
                case 2: flip(&calleeView.local)
                default: flip(&calleeView.remote)
                }
                var run = VerificationRun(random: random, callerView: callerView, calleeView: calleeView)
                run.run()
                #expect(run.callee.isFailed && run.callee.code == nil)
                #expect(run.caller.code != nil)
            }
        }
    }

    @Test("Any flipped bit of any fingerprint or nonce is another code")
    func flippedInputs() throws {
        let random = SeededRandom(seed: 5)
        let inputs = (0..<4).map { _ in random.bytes(32) }
        func code(_ inputs: [[UInt8]]) -> VerificationCode? {
            VerificationHash.code(
                fingerprints: .init(caller: inputs[0], callee: inputs[1]), callerNonce: inputs[2],
                calleeNonce: inputs[3]
            ).flatMap { VerificationCode(digest: $0) }
        }
        let original = try #require(code(inputs))
        for input in 0..<4 {
            for bit in 0..<256 {
                var changed = inputs
                changed[input][bit / 8] ^= 1 << (bit % 8)
                let other = try #require(code(changed))
                #expect(other != original)
                // Visibly: not one picture or digit less, but most of them.
                #expect(zip(other.emoji, original.emoji).count { $0 != $1 } >= 2)
            }
        }
    }

    @Test("The roles are part of the code: with caller and callee exchanged it is another")
    func roles() throws {
        let random = SeededRandom(seed: 6)
        let (one, two, first, second) = (random.bytes(32), random.bytes(32), random.bytes(32), random.bytes(32))
        let straight = VerificationHash.code(
            fingerprints: .init(caller: one, callee: two), callerNonce: first, calleeNonce: second)
        let exchanged = VerificationHash.code(
            fingerprints: .init(caller: two, callee: one), callerNonce: second, calleeNonce: first)
        #expect(straight != exchanged)
    }

    @Test("A commitment that comes before the callee knows the certificates is kept, and nothing is said until then")
    func earlyCommitment() {
        var run = VerificationRun(random: SeededRandom(seed: 7))
        let commit = run.caller.begin(local: run.callerView.local, remote: run.callerView.remote)
        #expect(run.callee.receive(commit[0]).isEmpty)
        #expect(!run.callee.isFailed)
        let nonce = run.callee.begin(local: run.calleeView.local, remote: run.calleeView.remote)
        #expect(nonce.map(\.step) == [.nonce])
        let reveal = run.caller.receive(nonce[0])
        #expect(run.callee.receive(reveal[0]).isEmpty)
        #expect(run.callee.code != nil && run.callee.code == run.caller.code)
    }

    @Test("The same certificates again, as after a lost path, change nothing")
    func beginAgain() {
        var run = VerificationRun(random: SeededRandom(seed: 8))
        run.run()
        let code = run.caller.code
        #expect(run.caller.begin(local: run.callerView.local, remote: run.callerView.remote).isEmpty)
        #expect(run.callee.begin(local: run.calleeView.local, remote: run.calleeView.remote).isEmpty)
        #expect(run.caller.code == code && run.callee.code == code && code != nil)
    }

    @Test("Another certificate in mid-call takes the code away", arguments: [true, false])
    func anotherCertificate(isRemote: Bool) {
        let random = SeededRandom(seed: 9)
        var run = VerificationRun(random: random)
        run.run()
        let other = random.bytes(32)
        let view = run.callerView
        let messages = run.caller.begin(local: isRemote ? view.local : other, remote: isRemote ? other : view.remote)
        #expect(messages.isEmpty)
        #expect(run.caller.status == .failed && run.caller.code == nil)
    }

    @Test("Without the other side's messages there is no code, and nothing has failed", arguments: [true, false])
    func silence(isCaller: Bool) {
        var run = VerificationRun(random: SeededRandom(seed: 10))
        run.run { _ in [] }
        #expect((isCaller ? run.caller : run.callee).status == .waiting)
    }

    @Test("Without its last message the caller has a code and the callee has none")
    func lostReveal() {
        var run = VerificationRun(random: SeededRandom(seed: 11))
        run.run { $0.step == .reveal ? [] : [$0] }
        #expect(run.caller.code != nil)
        #expect(run.callee.status == .waiting)
    }
}
