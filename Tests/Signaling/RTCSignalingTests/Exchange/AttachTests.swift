import Testing

@testable import RTCSignaling

@Suite("A call that outlives its server")
struct AttachTests {
    private let world = VirtualExchange()

    @Test("When both attach, the call is carried on")
    func both() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.attach("call", to: "bob/b", caller: true))
        #expect(alice.take().isEmpty)
        alice.say(.negotiate("call"))
        #expect(alice.take().errors == [.peerGone])
        bob.say(.attach("call", to: "alice/a", caller: false))
        #expect(alice.types() == ["attached"])
        #expect(bob.types() == ["attached"])
        alice.say(.negotiate("call"))
        bob.say(.hangup("call"))
        #expect(bob.types() == ["negotiate"])
        #expect(alice.types() == ["hangup"])
    }

    @Test("Who names another peer, or the wrong role, is told that there is no such call")
    func mismatch() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        let eve = world.device("eve/e")
        alice.say(.attach("call", to: "bob/b", caller: true))
        eve.say(.attach("call", to: "alice/a", caller: false))
        #expect(eve.take().errors == [.unknownCall])
        bob.say(.attach("call", to: "alice/a", caller: true))
        #expect(bob.take().errors == [.unknownCall])
        bob.say(.attach("call", to: "alice/other", caller: false))
        #expect(bob.take().errors == [.unknownCall])
        #expect(alice.take().isEmpty)
    }

    @Test("A device is not its own peer: as both sides of a call it could never leave it")
    func ownPeer() {
        let eve = world.device("eve/e")
        for isCaller in [true, false] { eve.say(.attach("call", to: "eve/e", caller: isCaller)) }
        #expect(eve.take().errors == [.malformed, .malformed])
        eve.cut()
        world.advance(.seconds(300))
        #expect(world.exchange.calls.isEmpty && world.exchange.memory.bytes == 0)
    }

    @Test("A device whose session ended is gone; it attaches again under the same name")
    func gone() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        bob.say(.answer("call"))
        _ = alice.take()
        _ = bob.take()
        bob.cut()
        world.advance(.seconds(61))
        #expect(
            alice.take() == [
                .peer(PeerState(call: "call", state: .away)), .peer(PeerState(call: "call", state: .gone)),
            ])
        alice.say(.negotiate("call"))
        #expect(alice.take().errors == [.peerGone])
        bob.connect()
        bob.say(.negotiate("call"))
        #expect(bob.take().errors == [.peerGone])
        bob.say(.attach("call", to: "alice/a", caller: false))
        #expect(bob.types() == ["attached"])
        #expect(alice.types() == ["attached"])
        // Once more does no harm.
        bob.say(.attach("call", to: "alice/a", caller: false))
        #expect(bob.types() == ["attached"])
        #expect(alice.take().isEmpty)
    }

    @Test("A call that ended meanwhile is hung up at the one who comes back")
    func ended() throws {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.invite("call", to: "bob"))
        bob.say(.answer("call"))
        bob.cut()
        world.advance(.seconds(61))
        alice.say(.hangup("call", .connectionFailed))
        bob.connect()
        _ = bob.take()
        bob.say(.attach("call", to: "alice/a", caller: false))
        guard case .hangup(let end) = try #require(bob.take().first) else { return #expect(Bool(false)) }
        #expect(end.reason == .connectionFailed)
    }

    @Test("A half whose other never comes is forgotten without a word")
    func half() {
        let alice = world.device("alice/a")
        alice.say(.attach("call", to: "bob/b", caller: true))
        world.advance(.seconds(121))
        #expect(alice.take().isEmpty)
        #expect(world.exchange.calls.isEmpty)
        alice.say(.hangup("call"))
        #expect(alice.take().errors == [.unknownCall])
    }

    @Test("Two who attach further apart than the window meet, because the first attaches again")
    func late() {
        let alice = world.device("alice/a")
        alice.say(.attach("call", to: "bob/b", caller: true))
        world.advance(.seconds(60))
        alice.say(.attach("call", to: "bob/b", caller: true))
        world.advance(.seconds(65))
        let bob = world.device("bob/b")
        bob.say(.attach("call", to: "alice/a", caller: false))
        #expect(alice.take().isEmpty && bob.take().isEmpty, "the server has forgotten the first")
        world.advance(.seconds(60))
        alice.say(.attach("call", to: "bob/b", caller: true))
        #expect(alice.types() == ["attached"])
        #expect(bob.types() == ["attached"])
    }

    @Test("The window of a call whose sessions have both ended is its own, whenever it was attached first")
    func windowAnew() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.attach("call", to: "bob/b", caller: true))
        bob.say(.attach("call", to: "alice/a", caller: false))
        world.advance(.seconds(30))
        alice.cut()
        bob.cut()
        // The sessions end after 90 s. The first window would be over after 120 s.
        world.advance(.seconds(150))
        #expect(world.exchange.calls["call"] != nil)
        world.advance(.seconds(31))
        #expect(world.exchange.calls.isEmpty)
    }

    @Test("A hang-up of one half reaches the other when it attaches")
    func hangUpOfHalf() {
        let alice = world.device("alice/a")
        let bob = world.device("bob/b")
        alice.say(.attach("call", to: "bob/b", caller: true))
        alice.say(.hangup("call"))
        bob.say(.attach("call", to: "alice/a", caller: false))
        #expect(bob.types() == ["hangup"])
    }
}
