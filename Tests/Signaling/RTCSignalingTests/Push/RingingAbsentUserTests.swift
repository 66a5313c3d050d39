import Testing

@testable import RTCSignaling

@Suite("Calls of users without a connection")
struct RingingAbsentUserTests {
    private func world(_ isOn: Bool = true) -> VirtualExchange {
        var limits = ExchangeLimits()
        limits.ringsAbsentUsers = isOn
        return VirtualExchange(limits: limits)
    }

    private func began(_ events: [RingEvent]) -> [RingingCall] {
        events.compactMap { if case .began(let call) = $0 { call } else { nil } }
    }

    @Test("An absent user rings; one who wakes up is invited, and answers")
    func wakesUp() throws {
        let world = world()
        let alice = world.device("alice/a", proven: true)
        alice.say(.invite("call", to: "bob"))
        #expect(alice.take().isEmpty)
        let call = try #require(began(world.takeRingEvents()).first)
        #expect(call.caller.address == "alice/a" && call.callee == "bob" && call.connectedDevices.isEmpty)
        #expect(call.timeLeft == .seconds(30) && call.media == [.audio, .video])
        world.advance(.seconds(10))
        let bob = world.device("bob/b", proven: true)
        #expect(bob.types() == ["invite"])
        bob.say(.ringing("call"))
        bob.say(.answer("call"))
        #expect(alice.types() == ["ringing", "answer"])
        #expect(
            world.takeRingEvents() == [
                .rings("call", "b"), .ended("call", .answered(by: SignalingPeer(user: "bob", device: "b"))),
            ])
        #expect(world.exchange.statistics.callsRunning == 1)
    }

    @Test("Nothing can wake a device: unavailable. Once a device is there, that changes nothing")
    func unreachable() {
        let world = world()
        let alice = world.device("alice/a", proven: true)
        alice.say(.invite("call", to: "bob"))
        world.handle(.unreachable("call"))
        #expect(alice.types() == ["unavailable"])
        #expect(world.takeRingEvents().last == .ended("call", .ended(reason: "unavailable")))
        world.handle(.unreachable("call"))
        world.handle(.unreachable("unheard-of"))
        alice.say(.invite("other", to: "bob"))
        let bob = world.device("bob/b")
        world.handle(.unreachable("other"))
        #expect(alice.take().isEmpty && bob.types() == ["invite"])
    }

    @Test(
        "Each way in which a call stops ringing is told once",
        arguments: ["cancelled", "noAnswer", "connectionLost", "declined"])
    func ends(reason: String) {
        let world = world()
        let alice = world.device("alice/a", proven: true)
        alice.say(.invite("call", to: "bob"))
        _ = world.takeRingEvents()
        switch reason {
        case "cancelled": alice.say(.cancel("call"))
        case "noAnswer": world.advance(.seconds(31))
        case "connectionLost":
            alice.cut()
            world.advance(.seconds(61))
        default: world.device("bob/b").say(.reject("call"))
        }
        // An invitation of half a minute has ended before its caller's session.
        let expected = reason == "connectionLost" ? "noAnswer" : reason
        #expect(world.takeRingEvents() == [.ended("call", .ended(reason: expected))])
        world.advance(.seconds(200))
        #expect(world.takeRingEvents().isEmpty && world.exchange.statistics.callsRinging == 0)
    }

    @Test("Connected devices are named, those whose connection is lost are not")
    func connected() throws {
        let world = world()
        let alice = world.device("alice/a", proven: true)
        world.device("bob/mac")
        let phone = world.device("bob/phone", proven: true)
        phone.cut()
        alice.say(.invite("call", to: "bob"))
        #expect(began(world.takeRingEvents()).map(\.connectedDevices) == [["mac"]])
        // Its session waits: the invitation is in it.
        phone.comeBack()
        #expect(phone.types() == ["invite"])
    }

    @Test("A token is of the user and device that have proved to be one; nobody else has any")
    func tokens() {
        let world = world()
        let bob = world.device("bob/phone", proven: true)
        bob.say(.pushToken(PushRegistration(token: PushToken(1))))
        bob.say(.pushToken(PushRegistration(token: nil)))
        #expect(
            world.takeRingEvents() == [
                .registered("bob/phone", PushToken(1)), .registered("bob/phone", nil),
            ])
        let stranger = world.device("bob/other")
        stranger.say(.pushToken(PushRegistration(token: PushToken(2))))
        #expect(stranger.take().errors == [.forbidden] && world.takeRingEvents().isEmpty)
        // A resumed session proves it anew.
        bob.cut()
        bob.comeBack()
        bob.say(.pushToken(PushRegistration(token: PushToken(3))))
        #expect(world.takeRingEvents() == [.registered("bob/phone", PushToken(3))])
    }

    @Test("Who has not proved to be somebody wakes nobody")
    func unprovenCaller() {
        let world = world()
        let mallory = world.device("alice/a")
        mallory.say(.invite("call", to: "bob"))
        #expect(mallory.types() == ["unavailable"] && world.takeRingEvents().isEmpty)
        world.device("bob/b")
        mallory.say(.invite("other", to: "bob"))
        mallory.say(.cancel("other"))
        #expect(world.takeRingEvents().isEmpty)
    }

    @Test("Without pushes everything is as it was")
    func off() {
        let world = world(false)
        let alice = world.device("alice/a", proven: true)
        alice.say(.pushToken(PushRegistration(token: PushToken(1))))
        alice.say(.invite("call", to: "bob"))
        #expect(alice.types() == ["unavailable"] && world.takeRingEvents().isEmpty)
    }

    @Test("Absent users ring at a caller's limits too")
    func limits() {
        let world = world()
        let alice = world.device("alice/a", proven: true)
        for name: CallID in ["one", "two", "three"] { alice.say(.invite(name, to: "bob")) }
        #expect(alice.take().errors == [.tooManyCalls])
        #expect(began(world.takeRingEvents()).count == 2)
    }
}
