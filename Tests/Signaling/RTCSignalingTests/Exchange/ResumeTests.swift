import Testing

@testable import RTCSignaling

@Suite("Resuming a session")
struct ResumeTests {
    @Test("Nothing is lost and nothing comes twice, in both directions")
    func noLossNoDoubles() throws {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        bob.say(.answer("call"))
        _ = alice.take()
        _ = bob.take()

        bob.cut()
        #expect(alice.take().map(\.type) == ["peer"])
        for number in 1...5 { alice.say(.negotiate("call", "offer \(number)")) }
        bob.comeBack()
        #expect(bob.welcome?.resumed == true)
        let sdps = bob.take().compactMap { message -> String? in
            if case .negotiate(let negotiate) = message, case .sdp(_, let sdp) = negotiate.description {
                sdp
            } else {
                nil
            }
        }
        #expect(sdps == (1...5).map { "offer \($0)" })
        #expect(bob.numbers == Array(1...UInt64(bob.numbers.count)))
        guard case .peer(let peer) = try #require(alice.take().last) else { return #expect(Bool(false)) }
        #expect(peer.state == .present)
    }

    @Test("What the client sends again is taken once")
    func clientDoubles() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.sendRaw(Envelope(.signal("one", to: "bob"), seq: 1))
        alice.sendRaw(Envelope(.signal("two", to: "bob"), seq: 2))
        alice.cut()
        alice.comeBack()
        #expect(alice.welcome?.received == 2)
        alice.sendRaw(Envelope(.signal("one", to: "bob"), seq: 1))
        alice.sendRaw(Envelope(.signal("two", to: "bob"), seq: 2))
        alice.sendRaw(Envelope(.signal("three", to: "bob"), seq: 3))
        #expect(bob.take().count == 3)
        #expect(alice.acknowledged == 3)
        #expect(world.exchange.statistics.duplicates == 2)
    }

    @Test("A socket that seems to live gives way to the one that resumes")
    func halfDeadSocket() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        let old = alice.connection
        alice.comeBack()
        #expect(alice.welcome?.resumed == true)
        #expect(alice.connection != old)
        // The end of the old one, which comes late, changes nothing.
        if let old { world.handle(.disconnected(old)) }
        bob.say(.answer("call"))
        #expect(alice.types() == ["answer"])
    }

    @Test("A call that rings survives the caller's and the callee's absence")
    func absenceWhileRinging() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.cut()
        alice.comeBack()
        bob.cut()
        alice.say(.invite("call", to: "bob"))
        alice.say(.candidates("call"))
        bob.comeBack()
        #expect(bob.types() == ["invite", "candidates"])
        alice.cut()
        bob.say(.answer("call"))
        alice.comeBack()
        #expect(alice.types() == ["answer"])
    }

    @Test("A session that is gone, or that lacks what the client asks for, is begun anew")
    func tooLate() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.cut()
        world.advance(.seconds(61))
        alice.comeBack()
        #expect(alice.welcome?.resumed == false)
        alice.cut()
        alice.comeBack(received: 99)
        #expect(alice.welcome?.resumed == false)
        #expect(world.exchange.statistics.sessions == 1)
    }

    @Test("Only who has the secret resumes")
    func secret() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        let eve = world.device("eve/a")
        eve.cut()
        eve.connect(resume: Hello.Resume(session: alice.welcome?.session ?? "", received: 0))
        #expect(eve.welcome?.user == "eve")
        #expect(eve.welcome?.session != alice.welcome?.session)
        #expect(alice.connection != nil)
    }

    @Test("Left-out numbers, and acknowledgements of what was never sent, end the session")
    func sequence() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.sendRaw(Envelope(.signal("x", to: "bob"), seq: 2))
        #expect(alice.refusal == .sequence)
        #expect(alice.take().errors == [.sequence])
        let bob = world.device("bob/b")
        bob.sendRaw(Envelope(.ack, ack: 7))
        #expect(bob.refusal == .sequence)
        let carol = world.device("carol/c")
        carol.sendRaw(Envelope(.signal("x", to: "bob")))
        #expect(carol.refusal == .sequence)
        #expect(world.exchange.statistics.sessions == 0)
    }

    @Test("Messages of unknown type are counted and acknowledged, and otherwise ignored")
    func unknownType() {
        let world = VirtualExchange()
        let alice = world.device("alice/a")
        alice.sendRaw(Envelope(.unknown(type: "later"), seq: 1))
        #expect(alice.acknowledged == 1)
        alice.sendRaw(Envelope(.unknown(type: "later")))
        alice.sendRaw(Envelope(.signal("x", to: "nobody"), seq: 2))
        #expect(alice.take().errors == [.unavailable])
    }
}
