import RTCWire
import Testing

@testable import WebRTCKit

@Suite("Verification: messages that do not belong there make it fail, for the whole call")
struct VerificationBadMessageTests {
    /// Where a side stands when the bad message comes.
    enum Standing: String, CaseIterable, Sendable {
        case callerBeforeBegin, callerAwaitingNonce, callerFinished
        case calleeBeforeBegin, calleeHoldingCommitment, calleeAwaitingCommitment, calleeAwaitingReveal, calleeFinished

        /// What may come there.
        var fitting: VerificationMessage.Step? {
            switch self {
            case .callerAwaitingNonce: .nonce
            case .calleeBeforeBegin, .calleeAwaitingCommitment: .commit
            case .calleeAwaitingReveal: .reveal
            case .callerBeforeBegin, .callerFinished, .calleeHoldingCommitment, .calleeFinished: nil
            }
        }
    }

    private func make(_ standing: Standing) -> Verification {
        var run = VerificationRun(random: SeededRandom(seed: 1))
        let (caller, callee) = (run.caller, run.callee)
        let commit = run.caller.begin(local: run.callerView.local, remote: run.callerView.remote)[0]
        switch standing {
        case .callerBeforeBegin: return caller
        case .callerAwaitingNonce: return run.caller
        case .calleeBeforeBegin: return callee
        case .calleeHoldingCommitment:
            _ = run.callee.receive(commit)
            return run.callee
        case .calleeAwaitingCommitment, .calleeAwaitingReveal, .calleeFinished, .callerFinished:
            _ = run.callee.begin(local: run.calleeView.local, remote: run.calleeView.remote)
            if standing == .calleeAwaitingCommitment { return run.callee }
            let nonce = run.callee.receive(commit)[0]
            if standing == .calleeAwaitingReveal { return run.callee }
            let reveal = run.caller.receive(nonce)[0]
            _ = run.callee.receive(reveal)
            return standing == .callerFinished ? run.caller : run.callee
        }
    }

    @Test("Every message of another step than the one that may come", arguments: Standing.allCases)
    func wrongStep(standing: Standing) {
        for step in VerificationMessage.Step.allCases where step != standing.fitting {
            var side = make(standing)
            #expect(!side.isFailed)
            #expect(side.receive(VerificationMessage(step: step, value: [UInt8](repeating: 7, count: 32))).isEmpty)
            #expect(side.isFailed && side.code == nil, "\(step)")
        }
    }

    @Test("A value of another length", arguments: Standing.allCases)
    func wrongLength(standing: Standing) {
        for step in VerificationMessage.Step.allCases {
            for count in [0, 1, 16, 31, 33, 64, 100_000] {
                var side = make(standing)
                #expect(side.receive(VerificationMessage(step: step, value: .init(repeating: 7, count: count))).isEmpty)
                #expect(side.isFailed && side.code == nil, "\(step), \(count) bytes")
            }
        }
    }

    @Test("Every step that comes twice with two values", arguments: VerificationMessage.Step.allCases)
    func twice(step: VerificationMessage.Step) {
        var run = VerificationRun(random: SeededRandom(seed: 2))
        let other = VerificationMessage(step: step, value: [UInt8](repeating: 7, count: 32))
        run.run { $0.step == step ? [$0, other] : [$0] }
        let receiver = step == .nonce ? run.caller : run.callee
        #expect(receiver.isFailed && receiver.code == nil)
    }

    @Test(
        "The same message again is answered by the same, and changes nothing",
        arguments: VerificationMessage.Step.allCases)
    func same(step: VerificationMessage.Step) throws {
        var run = VerificationRun(random: SeededRandom(seed: 2))
        var said: [VerificationMessage] = []
        run.run { message in
            said.append(message)
            return message.step == step ? [message, message] : [message]
        }
        let code = try #require(run.caller.code)
        #expect(run.callee.code == code)
        #expect(Set(said.map(\.value)).count == 3, "nobody guesses a second time: each step has one value")
        for message in said {
            if message.step == .nonce {
                #expect(run.caller.receive(message) == [try #require(run.caller.lastSent)])
            } else {
                _ = run.callee.receive(message)
            }
        }
        #expect(run.caller.code == code && run.callee.code == code)
    }

    @Test("What failed says nothing again")
    func failedSaysNothing() throws {
        var run = VerificationRun(random: SeededRandom(seed: 2))
        var said: [VerificationMessage] = []
        run.run { message in
            said.append(message)
            return [message]
        }
        for message in said where message.step != .nonce { #expect(!run.callee.isFailed, "\(message.step)") }
        run.callee.fail()
        for message in said where message.step != .nonce { #expect(run.callee.receive(message).isEmpty) }
        #expect(run.callee.lastSent == nil && run.callee.status == .failed)
    }

    @Test("A nonce that the commitment does not fit")
    func commitmentOfAnother() {
        var run = VerificationRun(random: SeededRandom(seed: 3))
        run.run { $0.step == .reveal ? [.init(step: .reveal, value: .init(repeating: 0, count: 32))] : [$0] }
        #expect(run.callee.isFailed)
    }

    @Test("A reveal before the callee has said its nonce, even one that the commitment fits")
    func earlyReveal() throws {
        let random = SeededRandom(seed: 4)
        let run = VerificationRun(random: random)
        let nonce = random.bytes(32)
        let commitment = try #require(
            VerificationHash.commitment(
                fingerprints: .init(caller: run.callerView.local, callee: run.callerView.remote), callerNonce: nonce))
        var callee = run.callee
        #expect(callee.receive(.init(step: .commit, value: commitment)).isEmpty)
        #expect(callee.receive(.init(step: .reveal, value: nonce)).isEmpty)
        #expect(callee.isFailed)
        #expect(callee.begin(local: run.calleeView.local, remote: run.calleeView.remote).isEmpty)
        #expect(callee.isFailed && callee.code == nil)
    }

    @Test("After a failure nothing helps: not the right message, not a new beginning", arguments: Standing.allCases)
    func forGood(standing: Standing) {
        var side = make(standing)
        side.fail()
        let run = VerificationRun(random: SeededRandom(seed: 1))
        #expect(side.begin(local: run.callerView.local, remote: run.callerView.remote).isEmpty)
        #expect(side.begin(local: run.calleeView.local, remote: run.calleeView.remote).isEmpty)
        for step in VerificationMessage.Step.allCases {
            #expect(side.receive(.init(step: step, value: .init(repeating: 7, count: 32))).isEmpty)
        }
        #expect(side.status == .failed && side.code == nil)
    }

    @Test("Fingerprints and nonces that are none")
    func ownInputs() {
        let good = [UInt8](repeating: 1, count: 32)
        for bad in [[], [UInt8](repeating: 1, count: 20), [UInt8](repeating: 1, count: 48)] {
            for isCaller in [true, false] {
                var side = Verification(isCaller: isCaller, nonce: good)
                #expect(side.begin(local: bad, remote: good).isEmpty && side.isFailed)
                side = Verification(isCaller: isCaller, nonce: good)
                #expect(side.begin(local: good, remote: bad).isEmpty && side.isFailed)
                side = Verification(isCaller: isCaller, nonce: bad)
                #expect(side.begin(local: good, remote: good).isEmpty && side.isFailed)
            }
        }
    }

    @Test("Random messages in random order never give a code, and never trap")
    func garbage() {
        let random = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            let run = VerificationRun(random: random)
            var side = random.next(below: 2) == 0 ? run.caller : run.callee
            for _ in 0..<6 {
                if random.next(below: 3) == 0 {
                    _ = side.begin(local: run.calleeView.local, remote: run.calleeView.remote)
                }
                let step = VerificationMessage.Step.allCases[Int(random.next(below: 3))]
                let count = random.next(below: 4) == 0 ? Int(random.next(below: 80)) : 32
                _ = side.receive(.init(step: step, value: random.bytes(count)))
            }
            #expect(side.isFailed && side.code == nil)
        }
    }
}
