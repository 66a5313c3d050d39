import Testing

@testable import RTCSignaling

@Suite("What one client does, others do not feel")
struct HarmlessnessTests {
    @Test("A device that never acknowledges loses its session; those who send to it are told before")
    func neverAcknowledges() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let sloth = world.device("bob/b")
        sloth.acknowledges = false
        for _ in 0..<192 { alice.say(.signal("x", to: "bob")) }
        #expect(alice.take().errors.isEmpty)
        alice.say(.signal("x", to: "bob"))
        #expect(alice.take().errors == [.undeliverable])
        #expect(sloth.refusal == nil)

        // Its own errors fill the rest.
        for _ in 0..<70 { sloth.say(.hangup("none")) }
        #expect(sloth.refusal == .tooSlow)
        #expect(world.exchange.statistics.sessions == 1)
    }

    @Test("What waits for a device that is away has a bound too, and its session survives it")
    func floodOfAbsent() {
        let world = VirtualExchange()
        let eve = world.device("eve/e")
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        bob.cut()
        for _ in 0..<400 { eve.say(.signal("x", to: "bob")) }
        // There is still room for what matters.
        alice.say(.invite("call", to: "bob"))
        #expect(alice.take().errors == [.undeliverable])
        bob.comeBack()
        #expect(bob.welcome?.resumed == true)
        #expect(bob.take().count == 192)
    }

    @Test("Bytes are bounded as well as messages")
    func bytes() {
        let world = VirtualExchange()
        let eve = world.device("eve/e")
        let bob = world.device("bob/b")
        bob.acknowledges = false
        let text = String(repeating: "x", count: 30_000)
        for _ in 0..<50 { eve.say(.signal(text, to: "bob")) }
        #expect(eve.take().errors.contains(.undeliverable))
        #expect(bob.take().count < 20)
    }

    @Test("Invites have a rate of their own")
    func inviteFlood() throws {
        let world = VirtualExchange()
        let eve = world.device("eve/e")
        for number in 0..<10 { eve.say(.invite(CallID(stringLiteral: "call\(number)"), to: "nobody")) }
        #expect(eve.take().errors.isEmpty)
        eve.say(.invite("more", to: "nobody"))
        guard case .error(let error) = try #require(eve.take().last) else { return #expect(Bool(false)) }
        #expect(error.code == .rateLimited)
        let wait = try #require(error.retryAfter)
        #expect(wait > 0 && wait <= 2)
        world.advance(.seconds(wait))
        eve.say(.invite("again", to: "nobody"))
        #expect(eve.take().errors.isEmpty)
    }

    @Test("Nobody rings at one user more than so often, and those who are rung at can still call")
    func ringingLimits() {
        var limits = ExchangeLimits()
        limits.inviteBurst = 1_000
        let world = VirtualExchange(limits: limits)
        let bob = world.device("bob/b")
        let eve = world.device("eve/e")
        for number in 0..<3 { eve.say(.invite(CallID(stringLiteral: "eve\(number)"), to: "bob")) }
        #expect(eve.take().errors == [.tooManyCalls])
        for number in 0..<20 {
            world.device("eve\(number)/e").say(.invite(CallID(stringLiteral: "other\(number)"), to: "bob"))
        }
        #expect(bob.take().count == 16)
        let carol = world.device("carol/c")
        bob.say(.invite("mine", to: "carol"))
        #expect(carol.types() == ["invite"])
        #expect(bob.take().isEmpty)
    }

    @Test("A device runs so many calls at once and no more")
    func runningLimits() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        for number in 0..<9 {
            let other = world.device("user\(number)/u")
            alice.say(.invite(CallID(stringLiteral: "call\(number)"), to: SignalingAddress(user: other.user)))
        }
        #expect(alice.take().errors == [.tooManyCalls])
    }

    @Test("Candidates before the answer are kept within a bound")
    func earlyCandidates() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        _ = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        let lines = [String](repeating: String(repeating: "c", count: 1_000), count: 10)
        for _ in 0..<4 { alice.say(.candidates("call", lines)) }
        #expect(alice.take().errors == [.undeliverable])
    }

    @Test("The reasons that clients make up do not make the figures grow")
    func reasons() {
        var limits = ExchangeLimits()
        limits.inviteBurst = 1_000
        let world = VirtualExchange(limits: limits)
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        for number in 0..<100 {
            let call = CallID(stringLiteral: "call\(number)")
            alice.say(.invite(call, to: "bob"))
            bob.say(.answer(call))
            alice.say(.hangup(call, CallReason(rawValue: "because\(number)")))
        }
        #expect(world.exchange.statistics.endings.count <= 33)
    }
}
