import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("A call that loses its path")
struct RecoveryTests {
    @Test("A path that is gone for less than two seconds is not lost")
    func shortLoss() throws {
        let kits = try TwoKits.inCall()
        kits.alice.path(.disconnected)
        kits.wait(.milliseconds(1_999))
        kits.alice.path(.connected)
        kits.wait(.seconds(60))
        kits.expect()
        #expect(kits.alice.core.state == .callIsRunning && kits.alice.core.nextDeadline == nil)
    }

    @Test("A restart that finds no path does not hide that it is lost")
    func lossBehindRestart() throws {
        let kits = try TwoKits.inCall()
        kits.alice.path(.disconnected)
        kits.wait(.seconds(1))
        kits.alice.path(.connecting)
        kits.wait(.seconds(1))
        kits.expect("alice: connectionLost", "alice: restart 1")
        let others = try TwoKits.inCall()
        others.alice.path(.connecting)
        others.wait(.seconds(2))
        others.expect("alice: connectionLost", "alice: restart 1")
    }

    @Test("Lost, restarted every eight seconds, and found again")
    func ladder() throws {
        let kits = try TwoKits.inCall(.init(connectionTimeout: .seconds(60)))
        kits.alice.path(.disconnected)
        kits.wait(.seconds(2))
        kits.expect("alice: connectionLost", "alice: restart 1")
        #expect(kits.alice.core.state == .connecting)
        kits.alice.offers("o2")
        kits.expect("alice → bob: negotiate offer o2", "bob: receive 1 offer o2")
        kits.bob.answers("a2")
        kits.expect("bob → alice: negotiate answer a2", "alice: receive 1 answer a2")
        kits.alice.path(.failed)
        kits.wait(.milliseconds(7_999))
        kits.expect()
        kits.wait(.milliseconds(1))
        kits.expect("alice: restart 1")
        kits.wait(.seconds(8))
        kits.expect("alice: restart 1")
        kits.alice.path(.connected)
        kits.expect("alice: connectionRestored")
        #expect(kits.alice.core.state == .callIsRunning && kits.alice.core.nextDeadline == nil)
        kits.alice.path(.failed)
        kits.expect("alice: connectionLost", "alice: restart 1")
        kits.alice.path(.connected)
        kits.expect("alice: connectionRestored")
    }

    @Test("An offer that nobody answers is said again, and gets the same answer")
    func repeatedOffer() throws {
        let kits = try TwoKits.inCall()
        kits.alice.path(.failed)
        kits.alice.offers("o2")
        kits.expect(
            "alice: connectionLost", "alice: restart 1", "alice → bob: negotiate offer o2", "bob: receive 1 offer o2")
        kits.delivers = false
        kits.bob.answers("a2")
        kits.loseAll()
        kits.delivers = true
        kits.wait(.seconds(8))
        // Bob's connection would make another answer to the same offer, which alice's might take for that to a later one.
        kits.expect(
            "bob → alice: negotiate answer a2", "alice → bob: negotiate offer o2", "bob → alice: negotiate answer a2",
            "alice: receive 1 answer a2")
        kits.wait(.seconds(8))
        kits.expect("alice: restart 1")
    }

    @Test("An offer that comes twice before it is answered is taken once; said again later, it is taken again")
    func doubledOffer() throws {
        let kits = try TwoKits.inCall()
        let call = try #require(kits.alice.core.call?.id)
        kits.alice.offers("o2")
        kits.expect("alice → bob: negotiate offer o2", "bob: receive 1 offer o2")
        let offer = CallSignal.Content.negotiate(.init(type: .offer, sdp: "o2"))
        kits.bob.hears(offer, of: call, from: "alice")
        kits.expect()
        kits.wait(.seconds(2))
        kits.bob.hears(offer, of: call, from: "alice")
        kits.expect("bob: receive 1 offer o2")
    }

    @Test("An answer that comes twice is taken once")
    func repeatedAnswer() throws {
        let kits = try TwoKits.inCall()
        let call = try #require(kits.alice.core.call?.id)
        kits.alice.offers("o2")
        kits.expect("alice → bob: negotiate offer o2", "bob: receive 1 offer o2")
        kits.bob.answers("a2")
        kits.expect("bob → alice: negotiate answer a2", "alice: receive 1 answer a2")
        kits.alice.offers("o3")
        kits.alice.hears(.negotiate(.init(type: .answer, sdp: "a2")), of: call, from: "bob")
        kits.expect("alice → bob: negotiate offer o3", "bob: receive 1 offer o3")
    }

    @Test("No path again within the time-out: the call ends on both sides")
    func lostForGood() throws {
        let kits = try TwoKits.inCall(.init(connectionTimeout: .seconds(10)))
        kits.alice.path(.failed)
        kits.bob.path(.failed)
        kits.wait(.milliseconds(7_000))
        kits.expect("alice: connectionLost", "alice: restart 1", "bob: connectionLost", "bob: restart 1")
        kits.wait(.seconds(3))
        kits.expect(
            "alice: restart 1", "alice → bob: hangUp connectionFailed", "alice → bob: endCall", "alice: close 1",
            "alice: ended connectionLost", "bob: restart 1", "bob → alice: hangUp connectionFailed",
            "bob → alice: endCall", "bob: close 1", "bob: ended connectionLost")
        kits.expectNothingLeft()
    }

    @Test("The network changed: a restart at once, and no more than one a second")
    func networkChanges() throws {
        let kits = try TwoKits.inCall()
        kits.wait(.seconds(5))
        kits.alice.network(.lost)
        kits.expect()
        kits.alice.network(.restored)
        kits.expect("alice: restart 1")
        for _ in 0..<5 { kits.alice.network(.changed) }
        kits.wait(.milliseconds(999))
        kits.expect()
        kits.wait(.milliseconds(1))
        kits.expect("alice: restart 1")
        #expect(kits.alice.core.state == .callIsRunning)
        kits.wait(.seconds(60))
        kits.expect()
        #expect(kits.alice.core.nextDeadline == nil)
    }

    @Test("The network changed while there is no connection: nothing to restart")
    func networkChangesElsewhere() throws {
        let kits = TwoKits()
        kits.alice.network(.changed)
        try kits.alice.call("bob")
        kits.alice.network(.changed)
        kits.alice.offers("o1")
        kits.alice.network(.restored)
        kits.bob.network(.restored)
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing")
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.carry()
        kits.alice.network(.changed)
        #expect(kits.alice.takeLines() == ["restart 1"])
    }

    @Test("The first connection fails before there was a path: it is restarted too")
    func firstConnection() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing", "bob: open 1 polite, waits", "bob: receive 1 offer o1", "bob → alice: answer a1",
            "alice: receive 1 answer a1")
        kits.bob.path(.failed)
        kits.bob.path(.failed)
        kits.expect("bob: restart 1")
        kits.wait(.seconds(8))
        kits.expect("bob: restart 1")
        kits.bob.path(.connected)
        kits.expect("bob: started")
    }
}
