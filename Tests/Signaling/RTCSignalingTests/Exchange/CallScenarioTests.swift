import Testing

@testable import RTCSignaling

@Suite("A call of two, as the exchange sees it")
struct CallScenarioTests {
    @Test("Invite, ringing, answer, candidates, negotiate, hang up")
    func wholeCall() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")

        alice.say(.invite("call", to: "bob"))
        let invite = bob.take()
        #expect(invite.count == 1)
        guard case .invite(let incoming) = try #require(invite.first) else { return #expect(Bool(false)) }
        #expect(incoming.call == "call")
        #expect(incoming.from.address == "alice/a")
        #expect(incoming.lifetime == 30)
        #expect(incoming.polite)
        #expect(incoming.media == [.audio, .video])
        #expect(incoming.description == .sdp(type: .offer, sdp: "v=0 offer"))

        alice.say(.candidates("call", ["one", "two"]))
        #expect(bob.types() == ["candidates"])

        bob.say(.ringing("call"))
        bob.say(.ringing("call"))
        #expect(alice.types() == ["ringing"])

        bob.say(.answer("call"))
        guard case .answer(let answer) = try #require(alice.take().first) else { return #expect(Bool(false)) }
        #expect(answer.from?.address == "bob/b")
        #expect(answer.polite == false)
        #expect(answer.description == .sdp(type: .answer, sdp: "v=0 answer"))

        bob.say(.candidates("call"))
        #expect(alice.types() == ["candidates"])
        bob.say(.negotiate("call"))
        guard case .negotiate(let fromBob) = try #require(alice.take().first) else { return #expect(Bool(false)) }
        #expect(fromBob.polite == false)
        alice.say(.negotiate("call"))
        guard case .negotiate(let fromAlice) = try #require(bob.take().first) else { return #expect(Bool(false)) }
        #expect(fromAlice.polite == true)
        #expect(world.exchange.statistics.callsRunning == 1)

        alice.say(.hangup("call"))
        guard case .hangup(let end) = try #require(bob.take().first) else { return #expect(Bool(false)) }
        #expect(end.reason == .normal)
        bob.say(.hangup("call"))
        #expect(alice.take().isEmpty)
        #expect(bob.take().isEmpty)
        #expect(world.exchange.statistics.callsRunning == 0)
    }

    @Test("Nobody there: the call is over at once, and its identifier is used up")
    func unavailable() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.say(.invite("call", to: "bob"))
        #expect(alice.take() == [.unavailable(CallReference(call: "call"))])
        alice.say(.invite("call", to: "bob"))
        #expect(alice.take().errors == [.callExists])
        _ = world.device("bob/b")
        alice.say(.invite("other", to: "bob/c"))
        #expect(alice.types() == ["unavailable"])
    }

    @Test("Answered to a server that died, and attached before the caller invites again: it is answered again")
    func answerDied() {
        let world = VirtualExchange()
        let bob = world.device("bob/b")
        bob.say(.attach("call", to: "alice/a", caller: false))
        let eve = world.device("eve/e")
        eve.say(.invite("call", to: "bob", again: true))
        #expect(eve.take().errors == [.callExists] && bob.take().isEmpty)
        let alice = world.device("alice/a")
        alice.say(.invite("call", to: "bob", again: true))
        #expect(bob.types() == ["invite"])
        bob.say(.answer("call"))
        #expect(alice.types() == ["answer"])
        world.advance(.seconds(200))
        alice.say(.hangup("call"))
        #expect(bob.types() == ["hangup"])
    }

    @Test("Invited again, and given up before those who rang are back: they ring no longer")
    func cancelledAgain() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.say(.invite("call", to: "bob", lifetime: 20, again: true))
        alice.say(.cancel("call"))
        let carol = world.device("carol/c")
        #expect(carol.take().isEmpty)
        let bob = world.device("bob/b")
        guard case .cancel(let cancel)? = bob.take().first else { return #expect(Bool(false)) }
        #expect(cancel.call == "call" && cancel.reason == .cancelled && cancel.from?.user == "alice")
        // Whoever comes later than the call could have rung has ceased by itself.
        world.advance(.seconds(21))
        #expect(world.device("bob/late").take().isEmpty)
    }

    @Test("Invited again, and answered by one device before another one is back: that one is told")
    func answeredAgain() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.say(.invite("call", to: "bob", again: true))
        let bob = world.device("bob/b")
        bob.say(.answer("call"))
        #expect(alice.types() == ["answer"])
        #expect(world.device("bob/other").types() == ["answeredElsewhere"])
        alice.say(.hangup("call"))
        #expect(world.device("bob/third").types() == ["cancel"])
        world.advance(.seconds(31))
        #expect(world.device("bob/late").take().isEmpty)
    }

    @Test("Invited again after the server forgot the call: those who come back to it later ring")
    func again() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.say(.invite("call", to: "bob", again: true))
        #expect(alice.take().isEmpty)
        let bob = world.device("bob/b")
        #expect(bob.types() == ["invite"])
        bob.say(.answer("call"))
        #expect(alice.types() == ["answer"])

        alice.say(.invite("nobody", to: "carol", lifetime: 10, again: true))
        world.advance(.seconds(11))
        #expect(alice.types() == ["noAnswer"])
        #expect(world.exchange.users["carol"] == nil)
    }

    @Test("Rejected by one device: the caller hears it, the other devices stop ringing")
    func reject() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let phone = world.device("bob/phone")
        let laptop = world.device("bob/laptop")
        alice.say(.invite("call", to: "bob"))
        #expect(phone.types() == ["invite"])
        #expect(laptop.types() == ["invite"])

        phone.say(.reject("call"))
        guard case .reject(let reject) = try #require(alice.take().first) else { return #expect(Bool(false)) }
        #expect(reject.from?.address == "bob/phone")
        #expect(reject.reason == .declined)
        guard case .cancel(let cancel) = try #require(laptop.take().first) else { return #expect(Bool(false)) }
        #expect(cancel.reason == .rejectedElsewhere)
        #expect(phone.take().isEmpty)
    }

    @Test("Busy counts when every device is busy or gone")
    func busy() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let phone = world.device("bob/phone")
        let laptop = world.device("bob/laptop")
        let tablet = world.device("bob/tablet")
        alice.say(.invite("call", to: "bob"))
        phone.say(.busy("call"))
        laptop.say(.busy("call"))
        #expect(alice.take().isEmpty)
        tablet.say(.bye)
        #expect(alice.types() == ["busy"])
    }

    @Test("Answered elsewhere: the first answer wins, the second is too late")
    func answeredElsewhere() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let phone = world.device("bob/phone")
        let laptop = world.device("bob/laptop")
        alice.say(.invite("call", to: "bob"))
        _ = phone.take()
        _ = laptop.take()

        laptop.say(.answer("call"))
        phone.say(.answer("call"))
        #expect(alice.types() == ["answer"])
        let told = phone.take()
        guard case .answeredElsewhere(let elsewhere) = try #require(told.first) else { return #expect(Bool(false)) }
        #expect(told.count == 1)
        #expect(elsewhere.from?.address == "bob/laptop")
        #expect(laptop.take().isEmpty)

        // What the loser still says reaches nobody.
        phone.say(.candidates("call"))
        phone.say(.hangup("call"))
        #expect(alice.take().isEmpty)
        #expect(phone.take().isEmpty)
        alice.say(.negotiate("call"))
        #expect(laptop.types() == ["negotiate"])
    }

    @Test("Cancelled by the caller")
    func cancel() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        _ = bob.take()
        alice.say(.cancel("call"))
        guard case .cancel(let cancel) = try #require(bob.take().first) else { return #expect(Bool(false)) }
        #expect(cancel.reason == .cancelled)
        bob.say(.answer("call"))
        #expect(bob.take().isEmpty)
        #expect(alice.take().isEmpty)
    }

    @Test("No answer in time: both sides are told at the end of the lifetime, not before")
    func noAnswer() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob", lifetime: 20))
        bob.say(.ringing("call"))
        world.advance(.seconds(19.9))
        #expect(alice.types() == ["ringing"])
        world.advance(.seconds(0.2))
        #expect(alice.types() == ["noAnswer"])
        #expect(bob.types() == ["invite", "noAnswer"])
        bob.say(.answer("call"))
        #expect(alice.take().isEmpty)
    }

    @Test("A device that signs in while it rings gets the invite, its rest of lifetime, and the candidates so far")
    func lateDevice() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let phone = world.device("bob/phone")
        alice.say(.invite("call", to: "bob", lifetime: 30))
        alice.say(.candidates("call", ["one"]))
        alice.say(.candidates("call", ["two"]))
        world.advance(.seconds(10))
        let laptop = world.device("bob/laptop")
        let told = laptop.take()
        #expect(told.map(\.type) == ["invite", "candidates"])
        guard case .invite(let invite) = try #require(told.first) else { return #expect(Bool(false)) }
        #expect(invite.lifetime == 20)
        // In one message, however many there were.
        #expect(told.candidates == ["one", "two"])
        laptop.say(.answer("call"))
        #expect(phone.types() == ["invite", "candidates", "candidates", "answeredElsewhere"])
    }

    @Test("A call to one device rings there alone; a call to oneself rings on the other devices")
    func addressing() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let phone = world.device("bob/phone")
        let laptop = world.device("bob/laptop")
        alice.say(.invite("one", to: "bob/phone"))
        #expect(phone.types() == ["invite"])
        #expect(laptop.take().isEmpty)
        laptop.say(.answer("one"))
        #expect(laptop.take().errors == [.unknownCall])

        phone.say(.invite("self", to: "bob"))
        #expect(laptop.types() == ["invite"])
        #expect(phone.take().isEmpty)
        laptop.say(.answer("self"))
        #expect(phone.types() == ["answer"])
    }

    @Test("Calls of others are as though they did not exist")
    func strangers() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        let eve = world.device("eve/e")
        alice.say(.invite("call", to: "bob"))
        for message: ClientMessage in [
            .ringing("call"), .answer("call"), .reject("call"), .busy("call"), .cancel("call"), .hangup("call"),
            .candidates("call"), .negotiate("call"), .hangup("none"),
        ] {
            eve.say(message)
            #expect(eve.take().errors == [.unknownCall], "\(message.type)")
        }
        eve.say(.attach("call", to: "alice/a", caller: false))
        #expect(eve.take().errors == [.unknownCall])
        eve.say(.invite("call", to: "bob"))
        #expect(eve.take().errors == [.callExists])
        #expect(bob.types() == ["invite"])
        #expect(alice.take().isEmpty)
    }

    @Test("Said in the wrong state, each message is an error and changes nothing")
    func wrongState() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        _ = bob.take()
        for message: ClientMessage in [
            .ringing("call"), .answer("call"), .reject("call"), .busy("call"), .negotiate("call"),
        ] {
            alice.say(message)
            #expect(alice.take().errors == [.wrongState], "caller: \(message.type)")
        }
        for message: ClientMessage in [.cancel("call"), .candidates("call"), .negotiate("call")] {
            bob.say(message)
            #expect(bob.take().errors == [.wrongState], "callee: \(message.type)")
        }
        bob.say(.answer("call"))
        bob.say(.answer("call"))
        #expect(bob.take().errors == [.wrongState])
        bob.say(.cancel("call"))
        #expect(bob.take().errors == [.wrongState])
        #expect(alice.types() == ["answer"])
    }

    @Test("Errors say which message they are about")
    func errorReferences() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.say(.signal("x", to: "nobody"))
        let seq = alice.say(.hangup("call"))
        guard case .error(let error) = try #require(alice.take().last) else { return #expect(Bool(false)) }
        #expect(error.about == seq)
        #expect(error.call == "call")
        #expect(!error.fatal)
    }
}
