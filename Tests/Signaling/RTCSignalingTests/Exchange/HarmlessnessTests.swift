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

    @Test(
        "A device that signs in late is invited, however many messages of candidates the caller has sent: it is not ended",
        arguments: [0, 1, 32])
    func lateDevice(count: Int) throws {
        var limits = ExchangeLimits()
        limits.inviteBurst = 1_000
        let world = VirtualExchange(limits: limits)
        let callers = (0..<8).map { world.device("eve\($0)/e") }
        for (number, eve) in callers.enumerated() {
            for call in ["a", "b"].map({ CallID(stringLiteral: "call\($0)\(number)") }) {
                eve.say(.invite(call, to: "bob", lifetime: 120, again: true))
                for _ in 0..<300 { eve.say(.candidates(call, [String](repeating: "", count: count))) }
            }
            #expect(world.exchange.calls.values.allSatisfy { $0.earlyCandidates.count <= 128 })
        }
        let bob = world.device("bob/b")
        #expect(bob.refusal == nil)
        #expect(bob.types().count { $0 == "invite" } == 16)
        // The same for one that acknowledges nothing at first.
        let sloth = world.device("bob/s", acknowledges: false)
        #expect(sloth.refusal == nil)
        #expect(sloth.take().count <= 16 * 5)
    }

    @Test("A device that signs in late gets all candidates of an honest caller, in their order")
    func lateCandidates() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.say(.invite("call", to: "bob", lifetime: 120, again: true))
        let lines = (0..<70).map { "candidate:\($0)" }
        for line in lines { alice.say(.candidates("call", [line])) }
        #expect(alice.take().errors.isEmpty)
        let bob = world.device("bob/b")
        #expect(bob.take().candidates == lines)
    }

    @Test("A device whose other side comes and goes, or says that it rings, is not ended for it")
    func comesAndGoesDuringCall() {
        let world = VirtualExchange()
        let (alice, eve) = (world.device("alice/a"), world.device("eve/e"))
        alice.say(.invite("call", to: "eve"))
        eve.say(.answer("call"))
        alice.cut()
        for _ in 0..<300 {
            eve.cut()
            eve.comeBack()
        }
        alice.comeBack()
        #expect(alice.welcome?.resumed == true)
        #expect(alice.refusal == nil)
    }

    @Test("The reasons that clients make up do not make the figures grow, and do not replace those of the protocol")
    func reasons() {
        var limits = ExchangeLimits()
        limits.inviteBurst = 1_000
        let world = VirtualExchange(limits: limits)
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        // One of them is the name of an ending that the server itself counts.
        for (number, reason) in ((0..<99).map { "because\($0)" } + ["unavailable"]).enumerated() {
            let call = CallID(stringLiteral: "call\(number)")
            alice.say(.invite(call, to: "bob"))
            bob.say(.answer(call))
            alice.say(.hangup(call, CallReason(rawValue: reason)))
        }
        #expect(world.exchange.statistics.endings.count <= 33)
        let reasons: [CallReason] = [.normal, .connectionFailed, .mediaFailed, .left, .replaced]
        for reason in reasons {
            let call = CallID(stringLiteral: "call-\(reason.rawValue)")
            alice.say(.invite(call, to: "bob"))
            bob.say(.answer(call))
            alice.say(.hangup(call, reason))
            #expect(world.exchange.statistics.endings[reason.rawValue] == 1)
        }
        alice.say(.invite("last", to: "nobody"))
        #expect(world.exchange.statistics.endings["unavailable"] == 1)
        #expect(world.exchange.statistics.endings["other"] == 100)
    }

    @Test("Calls that are over fill no memory: they are forgotten before anybody's session ends")
    func endedCalls() {
        var limits = ExchangeLimits()
        limits.waitingBytes = 100_000
        let world = VirtualExchange(limits: limits)
        let alice = world.device("alice/a")
        let eve = world.device("eve/e")
        for number in 0..<400 {
            let call = CallID(stringLiteral: "call\(number)")
            eve.say(.attach(call, to: "eve/x", caller: true))
            eve.say(.hangup(call))
            #expect(world.exchange.memory.bytes <= 100_000)
        }
        #expect(alice.refusal == nil)
        #expect(eve.refusal == nil)
        #expect(world.exchange.statistics.sessionsEvicted == 0)
        // The last one is still remembered.
        eve.say(.hangup("call399"))
        #expect(eve.take().errors.isEmpty)
    }

    @Test(
        "Calls without a session fill no memory: they are forgotten before anybody's session ends",
        arguments: [false, true])
    func callsWithoutSessions(isRunning: Bool) {
        var limits = ExchangeLimits()
        limits.waitingBytes = 100_000
        let world = VirtualExchange(limits: limits)
        let alice = world.device("alice/a")
        for number in 0..<80 {
            // Each signs in again and again, in place of its older session.
            let (one, other) = (world.device("eve/e", proven: true), world.device("eve/f", proven: true))
            for call in (0..<8).map({ CallID(stringLiteral: "call\(number)-\($0)") }) {
                one.say(.attach(call, to: "eve/f", caller: true))
                if isRunning { other.say(.attach(call, to: "eve/e", caller: false)) }
            }
            #expect(world.exchange.memory.bytes <= 100_000)
        }
        if !isRunning { #expect(world.exchange.calls.count <= 8) }
        #expect(alice.refusal == nil)
        #expect(world.exchange.statistics.sessionsEvicted == 0)
        world.advance(.seconds(200))
        #expect(world.exchange.calls.count <= 8)
    }

    @Test("A device that comes and goes for days leaves nothing behind")
    func comingAndGoing() {
        let world = VirtualExchange()
        let (alice, bob) = (world.device("alice/a"), world.device("bob/b"))
        for _ in 0..<1_000 {
            bob.cut()
            bob.comeBack()
            alice.cut()
            world.advance(.seconds(61))
            alice.connect()
        }
        #expect(world.exchange.away.count <= 2)
    }

    @Test(
        "All that waits has one bound: sessions that are away and cause most of it go first, then others, and who is small stays"
    )
    func memory() {
        var limits = ExchangeLimits()
        limits.waitingBytes = 1_000_000
        let world = VirtualExchange(limits: limits)
        let (alice, bob) = (world.device("alice/a"), world.device("bob/b"))
        bob.cut()
        alice.say(.signal("small", to: "bob"))
        let text = String(repeating: "x", count: 40_000)
        for number in 0..<40 {
            let absent = world.device("eve\(number)/e")
            absent.cut()
            for _ in 0..<3 { alice.say(.signal(text, to: SignalingAddress(user: absent.user))) }
            #expect(world.exchange.memory.bytes <= 1_000_000)
        }
        let sloths = (0..<10).map { world.device("sloth\($0)/s") }
        for sloth in sloths {
            sloth.acknowledges = false
            for _ in 0..<8 { alice.say(.signal(text, to: SignalingAddress(user: sloth.user))) }
            #expect(world.exchange.memory.bytes <= 1_000_000)
        }
        #expect(world.exchange.statistics.sessionsEvicted > 0)
        #expect(alice.refusal == nil)
        bob.comeBack()
        #expect(bob.welcome?.resumed == true && bob.types() == ["signal"])
    }

    @Test("What is kept is counted, and nothing stays counted when all have gone")
    func memoryIsGivenBack() {
        let world = VirtualExchange()
        let (alice, bob) = (world.device("alice/a"), world.device("bob/b"))
        bob.acknowledges = false
        alice.say(.watch(Watch(users: ["bob", "carol"])))
        alice.say(.invite("call", to: "bob"))
        alice.say(.candidates("call"))
        #expect(world.exchange.memory.bytes > 1_000)
        bob.say(.answer("call"))
        alice.say(.bye)
        bob.say(.bye)
        world.advance(.seconds(200))
        #expect(world.exchange.memory.bytes == 0)
    }

    @Test("Sessions are bounded: who has been away for longest makes room")
    func sessionsAway() {
        var limits = ExchangeLimits()
        limits.sessionsAway = 5
        limits.sessions = 8
        let world = VirtualExchange(limits: limits)
        let absent = (0..<7).map { world.device("user\($0)/u") }
        for device in absent { device.cut() }
        #expect(world.exchange.statistics.sessionsAway == 5)
        let present = (0..<8).map { world.device("present\($0)/p") }
        #expect(present.allSatisfy { $0.refusal == nil })
        #expect(world.exchange.statistics.sessions == 8)
        #expect(world.device("late/l").refusal == .serverFull)
    }

    @Test("Sessions that are away make room for those of their own network: others keep theirs, however old")
    func sessionsAwayByNetwork() {
        var limits = ExchangeLimits()
        limits.sessionsAway = 20
        limits.sessions = 30
        let world = VirtualExchange(limits: limits)
        let honest = (0..<4).map { world.device("honest\($0)/h", network: "home\($0 % 2)") }
        let atProxy = world.device("alice/a")
        for device in honest + [atProxy] { device.cut() }
        for number in 0..<100 { world.device("eve\(number)/e", network: "eve\(number % 2)").cut() }
        #expect(world.exchange.statistics.sessionsAway == 20)
        #expect(world.exchange.statistics.sessionsEvicted == 85)
        // Whoever comes back, or from elsewhere, is counted where it is.
        honest[0].comeBack()
        #expect(honest[0].welcome?.resumed == true)
        honest[0].network = "eve0"
        honest[0].cut()
        honest[0].comeBack()
        for number in 100..<115 { world.device("eve\(number)/e", network: "eve\(number % 2)") }
        for device in honest.dropFirst() + [atProxy] {
            device.comeBack()
            #expect(device.welcome?.resumed == true)
        }
        world.advance(.seconds(61))
        #expect(world.exchange.statistics.sessionsAway == 0 && world.exchange.away.count == 0)
    }

    @Test("What many are told of one user is written once")
    func presenceOnce() {
        let exchange = MemoryExchange(random: SeededGenerator(seed: 1))
        for number in 1...3 as ClosedRange<UInt64> {
            let user = UserID(stringLiteral: "watcher\(number)")
            exchange.handle(.signIn(ConnectionID(rawValue: number), ExchangeSignIn(user: user)), at: .zero)
            let watch = Envelope(ClientMessage.watch(Watch(users: ["bob", "nobody"])))
            exchange.handle(.message(ConnectionID(rawValue: number), watch), at: .zero)
        }
        while exchange.nextOutput() != nil {}
        exchange.handle(.signIn(ConnectionID(rawValue: 9), ExchangeSignIn(user: "bob", device: "b")), at: .zero)
        var told: [[UInt8]] = []
        while case .send(let connection, let json)? = exchange.nextOutput() {
            if connection.rawValue < 9 { told.append(json) }
        }
        #expect(told.count == 3 && Set(told).count == 1)
        let places = Set(told.map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } })
        #expect(places.count == 1, "one storage")
    }
}
