import Testing

@testable import RTCSignaling

@Suite("Signing in")
struct SignInTests {
    @Test("In open mode nobody takes a device over that somebody has")
    func openMode() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let liar = world.device("alice/a")
        #expect(liar.refusal == .deviceInUse)
        #expect(alice.connection != nil)
        alice.cut()
        liar.connect()
        #expect(liar.refusal == .deviceInUse)
        alice.comeBack()
        #expect(alice.welcome?.resumed == true)
    }

    @Test("One who is authenticated takes over from its older session, and its call is detached")
    func replaced() {
        let world = VirtualExchange()
        let older = world.device("alice/a", proven: true)
        let bob = world.device("bob/b")
        older.say(.invite("call", to: "bob"))
        bob.say(.answer("call"))
        _ = bob.take()
        let newer = world.device("alice/a", proven: true)
        #expect(older.refusal == .replaced)
        #expect(bob.take() == [.peer(PeerState(call: "call", state: .gone))])
        newer.say(.attach("call", to: "bob/b", caller: true))
        #expect(newer.types() == ["attached"])
    }

    @Test("A user has so many devices and no more; one who is authenticated makes room of what is away")
    func devices() {
        let world = VirtualExchange()
        let devices = (1...8).map { world.device("alice/\($0)", proven: true) }
        let ninth = world.device("alice/9", proven: true)
        #expect(ninth.refusal == .serverFull)
        devices[3].cut()
        let tenth = world.device("alice/10", proven: true)
        #expect(tenth.refusal == nil)
        #expect(world.exchange.statistics.sessions == 8)
    }

    @Test("Presence: at once, at each change, and only of those who may be reached")
    func presence() {
        let world = VirtualExchange(mayReach: { _, to in to != "secret" })
        let watcher = world.device("alice/a")
        _ = world.device("secret/s")
        watcher.say(.watch(Watch(users: ["bob", "secret", "bob"])))
        #expect(
            watcher.take() == [
                .presence(Presence(user: "bob", devices: [])), .presence(Presence(user: "secret", devices: [])),
            ])
        let bob = world.device("bob/b")
        #expect(watcher.take() == [.presence(Presence(user: "bob", devices: [.init(device: "b", state: .online)]))])
        bob.cut()
        #expect(watcher.take() == [.presence(Presence(user: "bob", devices: [.init(device: "b", state: .away)]))])
        bob.comeBack()
        bob.say(.bye)
        #expect(watcher.take().last == .presence(Presence(user: "bob", devices: [])))
        _ = world.device("secret/t")
        watcher.say(.watch(Watch(users: [])))
        _ = world.device("bob/c")
        #expect(watcher.take().isEmpty)
    }

    @Test("Who may not be reached cannot be invited, nor sent signals")
    func policy() {
        let world = VirtualExchange(mayReach: { from, _ in from != "eve" })
        let alice = world.device("alice/a")
        let eve = world.device("eve/e")
        eve.say(.invite("call", to: "alice"))
        eve.say(.signal("x", to: "alice"))
        #expect(eve.take().errors == [.forbidden, .forbidden])
        #expect(alice.take().isEmpty)
    }

    @Test("Signals reach the devices of a user; the greater address is polite")
    func signals() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let phone = world.device("bob/phone")
        let laptop = world.device("bob/laptop")
        alice.say(.signal("hello", to: "bob"))
        guard case .signal(let signal) = try #require(phone.take().first) else { return #expect(Bool(false)) }
        #expect(signal.data == Array("hello".utf8))
        #expect(signal.polite)
        #expect(laptop.types() == ["signal"])
        phone.say(.signal("back", to: "alice/a"))
        guard case .signal(let back) = try #require(alice.take().first) else { return #expect(Bool(false)) }
        #expect(!back.polite)
    }

    @Test("Everything is forgotten in the end")
    func noLeak() {
        let world = VirtualExchange()
        for round in 0..<50 {
            let alice = world.device("alice/a\(round)")
            let bob = world.device("bob/b\(round)")
            alice.say(.watch(Watch(users: ["bob"])))
            alice.say(.invite(CallID(stringLiteral: "one\(round)"), to: "bob"))
            bob.say(.answer(CallID(stringLiteral: "one\(round)")))
            bob.say(.invite(CallID(stringLiteral: "two\(round)"), to: "alice"))
            if round % 2 == 0 { alice.say(.bye) } else { alice.cut() }
            bob.cut()
            world.advance(.seconds(30))
        }
        world.advance(.seconds(600))
        #expect(world.exchange.calls.isEmpty)
        #expect(world.exchange.users.isEmpty)
        #expect(world.exchange.watchers.isEmpty)
        #expect(world.exchange.statistics.sessions == 0)
        #expect(world.exchange.nextDeadline == nil)
    }
}
