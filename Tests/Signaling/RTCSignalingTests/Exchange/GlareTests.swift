import Testing

@testable import RTCSignaling

@Suite("Two who call each other")
struct GlareTests {
    private let world = VirtualExchange()

    @Test("The lesser identifier wins when it was first")
    func lesserFirst() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("aaa", to: "bob"))
        bob.say(.invite("bbb", to: "alice"))
        #expect(bob.take().map(\.type) == ["invite", "glare"])
        #expect(alice.take().isEmpty)
        bob.say(.answer("aaa"))
        #expect(alice.types() == ["answer"])
    }

    @Test("The lesser identifier wins when it was second")
    func lesserSecond() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        bob.say(.invite("bbb", to: "alice"))
        #expect(alice.types() == ["invite"])
        alice.say(.invite("aaa", to: "bob"))
        let told = bob.take()
        #expect(told.map(\.type) == ["invite", "glare"])
        #expect(told.last == .glare(Glare(call: "bbb", winner: "aaa")))
        let cancelled = alice.take()
        #expect(cancelled.map(\.type) == ["cancel"])
        if case .cancel(let cancel) = cancelled.first { #expect(cancel.reason == .glare) }
        bob.say(.answer("aaa"))
        #expect(alice.types() == ["answer"])
        #expect(world.exchange.statistics.callsRunning == 1)
        #expect(world.exchange.statistics.callsRinging == 0)
    }

    @Test("The other devices of the loser's callee stop to ring, and those of the winner's are told who answered")
    func otherDevices() {
        let alice = world.device("alice/a")
        let aliceTablet = world.device("alice/tablet")
        let bob = world.device("bob/b")
        let bobTablet = world.device("bob/tablet")
        bob.say(.invite("bbb", to: "alice"))
        #expect(aliceTablet.types() == ["invite"])
        alice.say(.invite("aaa", to: "bob"))
        #expect(aliceTablet.types() == ["cancel"])
        #expect(bobTablet.types() == ["invite"])
        bob.say(.answer("aaa"))
        #expect(bobTablet.types() == ["answeredElsewhere"])
    }

    @Test("A call from another device, or to another device, does not cross")
    func noGlare() {
        let alice = world.device("alice/a")
        _ = world.device("alice/tablet")
        let bob = world.device("bob/b")
        bob.say(.invite("bbb", to: "alice/tablet"))
        alice.say(.invite("aaa", to: "bob"))
        #expect(bob.types() == ["invite"])
        #expect(world.exchange.statistics.callsRinging == 2)
    }

    @Test("What is said late of the call that lost goes nowhere")
    func late() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("aaa", to: "bob"))
        bob.say(.invite("bbb", to: "alice"))
        _ = bob.take()
        bob.say(.candidates("bbb"))
        bob.say(.cancel("bbb"))
        #expect(bob.take().isEmpty)
        #expect(alice.take().isEmpty)
    }
}
