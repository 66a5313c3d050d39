import Testing

@testable import RTCSignaling

/// Both sides end in the same state, whatever is on its way when one of them has had enough.
@Suite("Hanging up at each moment")
struct HangUpMomentTests {
    private let world = VirtualExchange()
    private let alice: VirtualDevice
    private let bob: VirtualDevice

    init() {
        alice = world.device("alice/a")
        bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        _ = bob.take()
    }

    private func expectOver() {
        #expect(world.exchange.statistics.callsRinging == 0)
        #expect(world.exchange.statistics.callsRunning == 0)
        for message: ClientMessage in [.hangup("call"), .candidates("call"), .negotiate("call")] {
            alice.say(message)
            bob.say(message)
        }
        #expect(alice.take().isEmpty)
        #expect(bob.take().isEmpty)
    }

    @Test("By the caller before it rings: a cancel")
    func callerAtOnce() {
        alice.say(.hangup("call"))
        #expect(bob.types() == ["cancel"])
        expectOver()
    }

    @Test("By the callee instead of answering: a reject")
    func calleeInsteadOfAnswer() {
        bob.say(.hangup("call"))
        #expect(alice.types() == ["reject"])
        expectOver()
    }

    @Test("Cancel crosses the answer: the callee is hung up with the reason “cancelled”")
    func cancelCrossesAnswer() throws {
        bob.say(.answer("call"))
        alice.say(.cancel("call"))
        guard case .hangup(let end) = try #require(bob.take().first) else { return #expect(Bool(false)) }
        #expect(end.reason == .cancelled)
        #expect(alice.types() == ["answer"])
        expectOver()
    }

    @Test("Answer crosses the cancel: the callee has been told")
    func answerCrossesCancel() {
        alice.say(.cancel("call"))
        bob.say(.answer("call"))
        #expect(bob.types() == ["cancel"])
        expectOver()
    }

    @Test("Reject or busy after one's own answer: a hang-up", arguments: ["reject", "busy"])
    func secondThoughts(_ how: String) {
        bob.say(.answer("call"))
        _ = alice.take()
        bob.say(how == "busy" ? .busy("call") : .reject("call"))
        #expect(alice.types() == ["hangup"])
        expectOver()
    }

    @Test("By both at once")
    func both() {
        bob.say(.answer("call"))
        alice.say(.hangup("call"))
        bob.say(.hangup("call"))
        #expect(alice.types() == ["answer"])
        #expect(bob.types() == ["hangup"])
        expectOver()
    }

    @Test("By signing out: while it rings, and while it runs", arguments: [false, true], [false, true])
    func bye(byCaller: Bool, isAnswered: Bool) {
        if isAnswered {
            bob.say(.answer("call"))
            _ = alice.take()
        }
        (byCaller ? alice : bob).say(.bye)
        let other = (byCaller ? bob : alice).take()
        switch (byCaller, isAnswered) {
        case (_, true):
            #expect(other.map(\.type) == ["hangup"])
            if case .hangup(let end) = other.first { #expect(end.reason == .left) }
        case (true, false): #expect(other.map(\.type) == ["cancel"])
        // It may still ring on another device of the user.
        case (false, false): #expect(other.isEmpty)
        }
    }

    @Test("By a caller whose session ends while it rings")
    func callerVanishes() throws {
        alice.cut()
        world.advance(.seconds(20))
        #expect(bob.take().isEmpty)
        world.advance(.seconds(15))
        #expect(bob.types() == ["noAnswer"])

        let other = VirtualExchange(
            limits: {
                var limits = ExchangeLimits()
                limits.resumeWindow = .seconds(5)
                return limits
            }())
        let carol = other.device("carol/c")
        let dave = other.device("dave/d")
        carol.say(.invite("call", to: "dave"))
        carol.cut()
        other.advance(.seconds(6))
        guard case .cancel(let cancel) = try #require(dave.take().last) else { return #expect(Bool(false)) }
        #expect(cancel.reason == .connectionLost)
    }

    @Test("The identifier of a call that is over is forgotten after a while")
    func tombstone() {
        alice.say(.cancel("call"))
        alice.say(.invite("call", to: "bob"))
        #expect(alice.take().errors == [.callExists])
        world.advance(.seconds(61))
        alice.say(.hangup("call"))
        #expect(alice.take().errors == [.unknownCall])
    }

    @Test("A call whose identifier was used before is remembered for its own time")
    func usedAgain() {
        var limits = ExchangeLimits()
        limits.waitingBytes = 3_000
        let world = VirtualExchange(limits: limits)
        let alice = world.device("alice/a")
        world.device("bob/b")
        func callAndCancel(_ call: CallID) {
            alice.say(.invite(call, to: "bob"))
            alice.say(.cancel(call))
            world.advance(.seconds(2))
        }
        callAndCancel("call")
        world.advance(.seconds(30))
        // There is no room to remember all.
        for number in 0..<6 { callAndCancel(CallID(stringLiteral: "other\(number)")) }
        #expect(world.exchange.calls["call"] == nil)
        callAndCancel("call")
        #expect(world.exchange.calls["call"] != nil)
        world.advance(.seconds(20))
        #expect(world.exchange.calls["call"] != nil, "the time of the former one is over")
        world.advance(.seconds(41))
        #expect(world.exchange.calls["call"] == nil)
        #expect(alice.take().errors.isEmpty)
    }
}
