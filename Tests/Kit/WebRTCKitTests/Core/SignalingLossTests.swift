import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("The signalling goes and comes back")
struct SignalingLossTests {
    private func loseServer(_ kits: TwoKits) {
        kits.isServerUp = false
        for kit in [kits.alice, kits.bob] { kit.signaling(.closed) }
    }

    private func restoreServer(_ kits: TwoKits) {
        kits.isServerUp = true
        for kit in [kits.alice, kits.bob] { kit.signaling(.opened) }
    }

    @Test("A running call goes on, and what was to be said is said afterwards, in order")
    func runningCall() throws {
        let kits = try TwoKits.inCall()
        loseServer(kits)
        kits.wait(.seconds(300))
        kits.expect()
        #expect(kits.alice.core.state == .callIsRunning && kits.alice.core.nextDeadline == nil)
        kits.alice.offers("o2")
        kits.alice.finds("c1")
        kits.alice.finds("c2")
        kits.expect()
        restoreServer(kits)
        kits.expect(
            "alice → bob: negotiate offer o2", "alice → bob: c1", "alice → bob: c2", "bob: receive 1 offer o2",
            "bob: receive 1 c1", "bob: receive 1 c2")
        kits.bob.answers("a2")
        kits.expect("bob → alice: negotiate answer a2", "alice: receive 1 answer a2")
        #expect(kits.alice.core.nextDeadline == nil)
    }

    @Test("Who hangs up meanwhile says so when the server is back; a call's candidates are of no use then")
    func hangUpMeanwhile() throws {
        let kits = try TwoKits.inCall()
        loseServer(kits)
        kits.alice.finds("c1")
        try kits.alice.end()
        kits.expect("alice: close 1", "alice: ended")
        #expect(kits.alice.core.state == .idle && kits.alice.core.nextDeadline == nil)
        restoreServer(kits)
        kits.expect("alice → bob: hangUp normal", "alice → bob: endCall", "bob: close 1", "bob: ended")
        kits.expectNothingLeft()
    }

    @Test("An invitation that cannot be sent is the end of the call, and the next one works")
    func invitationFails() throws {
        let kits = TwoKits()
        loseServer(kits)
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.alice.finds("c1")
        kits.expect(
            "alice: open 1 impolite", "alice ↛ bob: invite o1", "alice: close 1",
            "alice: ended signalingFailed(\"no server\")")
        kits.expectNothingLeft()
        restoreServer(kits)
        try kits.alice.call("bob")
        kits.alice.offers("o2")
        kits.expect(
            "alice: open 2 impolite", "alice → bob: invite o2", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing")
    }

    @Test("An answer that cannot be sent is the end of the call, of which the caller is told when the server is back")
    func answerFails() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing")
        loseServer(kits)
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.expect(
            "bob: open 1 polite, waits", "bob: receive 1 offer o1", "bob ↛ alice: answer a1", "bob: close 1",
            "bob: ended signalingFailed(\"no server\")")
        restoreServer(kits)
        kits.expect(
            "bob → alice: reject connectionLost", "bob → alice: endCall", "alice: close 1",
            "alice: ended peerUnavailable")
        kits.expectNothingLeft()
    }

    @Test("What fails while the server seems to be there is tried again, less and less often, five times in all")
    func triesAgain() throws {
        let kits = try TwoKits.inCall()
        kits.isServerUp = false
        kits.alice.offers("o2")
        kits.expect("alice ↛ bob: negotiate offer o2")
        kits.alice.finds("c1")
        kits.expect()
        kits.wait(.seconds(2))
        kits.expect("alice ↛ bob: negotiate offer o2", "alice ↛ bob: c1")
        kits.isServerUp = true
        kits.wait(.seconds(4))
        kits.expect(
            "alice → bob: negotiate offer o2", "alice → bob: c1", "bob: receive 1 offer o2", "bob: receive 1 c1")

        kits.isServerUp = false
        try kits.alice.end()
        kits.expect("alice ↛ bob: hangUp normal", "alice ↛ bob: endCall", "alice: close 1", "alice: ended")
        var tries = 0
        while let deadline = kits.alice.core.nextDeadline {
            kits.wait(deadline - kits.now)
            #expect(kits.alice.takeLines() == ["to bob: hangUp normal", "to bob: endCall"])
            let call = try #require(kits.bob.core.call)
            kits.alice.signaling(
                .sendingFailed(
                    .signal(CallSignal(call: call.id, .hangUp(.normal))), to: "bob", message: "no"))
            kits.alice.signaling(.sendingFailed(.endCall, to: "bob", message: "no"))
            tries += 1
        }
        #expect(tries == 4 && kits.alice.core.counters.unsent > 0)
    }

    @Test("An endCall alone is not sent again, for it could end a later call")
    func endCallAlone() throws {
        let kits = try TwoKits.inCall()
        try kits.alice.end()
        kits.alice.signaling(.sendingFailed(.endCall, to: "bob", message: "no"))
        kits.carry()
        kits.alice.signaling(.closed)
        kits.alice.signaling(.opened)
        kits.alice.expect()
        #expect(kits.alice.core.nextDeadline == nil)
    }

    @Test("A call that is lost while the server is away is restarted when it is back, and then every eight seconds")
    func lostMeanwhile() throws {
        let kits = try TwoKits.inCall(.init(connectionTimeout: .seconds(60)))
        loseServer(kits)
        kits.alice.path(.failed)
        kits.alice.offers("o2")
        kits.wait(.seconds(20))
        kits.expect("alice: connectionLost", "alice: restart 1")
        restoreServer(kits)
        kits.expect("alice → bob: negotiate offer o2", "bob: receive 1 offer o2")
        kits.wait(.seconds(8))
        kits.expect("alice → bob: negotiate offer o2", "bob: receive 1 offer o2")
        kits.bob.answers("a2")
        kits.expect("bob → alice: negotiate answer a2", "alice: receive 1 answer a2")
        kits.wait(.seconds(8))
        kits.expect("alice: restart 1")

        let others = try TwoKits.inCall()
        others.alice.path(.failed)
        loseServer(others)
        others.wait(.seconds(20))
        others.expect("alice: connectionLost", "alice: restart 1")
        restoreServer(others)
        others.expect("alice: restart 1")
    }

    @Test("An offer that went out before the server died is said again, unless its answer comes first")
    func offerBefore() throws {
        let kits = try TwoKits.inCall()
        kits.delivers = false
        kits.alice.offers("o2")
        kits.loseAll()
        kits.delivers = true
        loseServer(kits)
        restoreServer(kits)
        kits.wait(.seconds(2))
        kits.expect(
            "alice → bob: negotiate offer o2", "alice → bob: negotiate offer o2", "bob: receive 1 offer o2")
        kits.bob.answers("a2")
        kits.expect("bob → alice: negotiate answer a2", "alice: receive 1 answer a2")
        kits.wait(.seconds(60))
        kits.expect()

        let others = try TwoKits.inCall()
        others.alice.offers("o2")
        others.carry()
        others.delivers = true
        loseServer(others)
        restoreServer(others)
        others.bob.answers("a2")
        others.carry()
        others.wait(.seconds(60))
        others.expect(
            "alice → bob: negotiate offer o2", "bob: receive 1 offer o2", "bob → alice: negotiate answer a2",
            "alice: receive 1 answer a2")
    }

    @Test("If there is no room for the signal that ends a call, its endCall is dropped too")
    func endWithoutRoom() throws {
        var outbox = Outbox()
        let call = CallIdentifier.random(from: SeededRandom(seed: 1))
        func entry(_ outgoing: CallCore.Outgoing, _ peer: PeerID, endsCall: Bool) -> Outbox.Entry {
            Outbox.Entry(outgoing: outgoing, peer: peer, call: call, endsCall: endsCall)
        }
        func candidate(_ number: Int) -> CallCore.Outgoing {
            .candidate(CallCandidate(call: call, ICECandidateInit(candidate: "c\(number)")))
        }
        _ = outbox.append(entry(.signal(CallSignal(call: call, .hangUp(.normal))), "bob", endsCall: true))
        _ = outbox.append(entry(candidate(2), "carol", endsCall: false))
        _ = outbox.append(entry(.endCall, "bob", endsCall: true))
        for number in 3..<Outbox.capacity {
            #expect(outbox.append(entry(candidate(number), "carol", endsCall: false)) == 0)
        }
        #expect(outbox.append(entry(candidate(0), "carol", endsCall: false)) == 2)
        #expect(outbox.entries.count == Outbox.capacity - 1)
        #expect(!outbox.contains(.endCall))
    }

    @Test("What waits for the server is bounded")
    func bounded() throws {
        let kits = try TwoKits.inCall()
        kits.alice.signaling(.closed)
        for number in 0..<1_000 { kits.alice.finds("c\(number)") }
        #expect(kits.alice.core.outbox.entries.count == Outbox.capacity)
        #expect(kits.alice.core.counters.unsent == 1_000 - Outbox.capacity)
        kits.alice.signaling(.opened)
        #expect(kits.alice.takeLines().last == "to bob: c999")
    }
}
