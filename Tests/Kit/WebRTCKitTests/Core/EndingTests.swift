import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("How calls end")
struct EndingTests {
    /// Alice has called and bob rings. Nothing of it is left to be expected.
    private func ringing(_ settings: CallCore.Settings = .init()) throws -> TwoKits {
        let kits = TwoKits(settings)
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing")
        return kits
    }

    @Test("A request that names a call reaches that call, and no other")
    func named() throws {
        let kits = TwoKits()
        let first = CallIdentifier.random(from: SeededRandom(seed: 8))
        let other = CallIdentifier.random(from: SeededRandom(seed: 9))
        try kits.alice.core.perform(.call("bob", media: []), on: first, at: kits.now)
        kits.alice.offers("o1")
        kits.carry()
        #expect(kits.alice.core.call?.id == first && kits.bob.core.call?.id == first)
        for action in [CallCore.Action.answer(accept: true), .answer(accept: false), .end] {
            #expect(throws: CallManagerError.self) { try kits.bob.core.perform(action, on: other, at: kits.now) }
        }
        try kits.bob.core.perform(.answer(accept: true), on: first, at: kits.now)
        // Once more, as if the kit had answered automatically before.
        try kits.bob.core.perform(.answer(accept: true), on: first, at: kits.now)
        #expect(throws: CallManagerError.self) { try kits.bob.accept() }
        #expect(throws: CallManagerError.self) { try kits.alice.core.perform(.end, on: other, at: kits.now) }
        #expect(kits.alice.core.state == .sendingCallRequest && kits.bob.core.state == .answeringCallRequest)
        try kits.alice.core.perform(.end, on: first, at: kits.now)
        kits.carry()
        kits.expectNothingLeft()
        // No other call may have its identifier.
        #expect(throws: CallManagerError.self) {
            try kits.alice.core.perform(.call("bob", media: []), on: first, at: kits.now)
        }
        kits.expectNothingLeft()
    }

    @Test("The caller gives up before it could invite: nobody is told")
    func beforeInvitation() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        try kits.alice.end()
        kits.alice.connection(.signal(.description(.init(type: .offer, sdp: "late"))), number: 1)
        kits.expect("alice: open 1 impolite", "alice: close 1", "alice: ended")
        kits.expectNothingLeft()
    }

    @Test("The caller gives up while it rings")
    func cancelled() throws {
        let kits = try ringing()
        try kits.alice.end()
        kits.expect(
            "alice → bob: cancel cancelled", "alice → bob: endCall", "alice: close 1", "alice: ended", "bob: ended")
        kits.expectNothingLeft()
    }

    @Test("The callee hangs up while it rings, which is to reject")
    func rejectedByHangingUp() throws {
        let kits = try ringing()
        try kits.bob.end()
        kits.expect(
            "bob → alice: reject declined", "bob → alice: endCall", "bob: ended", "alice: close 1",
            "alice: ended rejected")
        kits.expectNothingLeft()
    }

    @Test("The callee accepts and hangs up before there is an answer")
    func whileAnswering() throws {
        let kits = try ringing()
        try kits.bob.accept()
        try kits.bob.end()
        kits.expect(
            "bob: open 1 polite, waits", "bob: receive 1 offer o1", "bob → alice: reject declined",
            "bob → alice: endCall", "bob: close 1", "bob: ended", "alice: close 1", "alice: ended rejected")
        kits.expectNothingLeft()
    }

    @Test("Nobody answers: the caller gives up and both are told why")
    func noAnswer() throws {
        let kits = try ringing(.init(ringTimeout: .seconds(40)))
        kits.wait(.milliseconds(39_999))
        kits.expect()
        kits.wait(.milliseconds(1))
        kits.expect(
            "alice → bob: cancel noAnswer", "alice → bob: endCall", "alice: close 1", "alice: ended noAnswer",
            "bob → alice: reject noAnswer", "bob → alice: endCall", "bob: ended noAnswer")
        kits.expectNothingLeft()
    }

    @Test("The callee rings for less long than the caller: the caller is told that nobody answers")
    func calleeGivesUp() throws {
        let kits = TwoKits()
        let bob = Kit("bob", .init(ringTimeout: .seconds(10)))
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        let call = try #require(kits.alice.core.call?.id)
        bob.hears(.invite(sdp: "o1", media: []), of: call, from: "alice")
        bob.expect("incomingCall alice", "to alice: ringing")
        bob.wait(.seconds(10))
        bob.expect("to alice: reject noAnswer", "to alice: endCall", "ended noAnswer")
        kits.carry()
        kits.alice.hears(.reject(.noAnswer), of: call, from: "bob")
        #expect(kits.alice.takeLines() == ["close 1", "ended noAnswer"])
    }

    @Test("A signalling connection may learn that nobody answers, or that nobody is there")
    func fromTheServer() throws {
        for (content, line) in [
            (CallSignal.Content.noAnswer, "ended noAnswer"), (.unavailable, "ended peerUnavailable"),
            (.busy, "ended busy"), (.cancel(.answeredElsewhere), "ended"),
        ] {
            let alice = Kit("alice")
            try alice.call("bob")
            alice.offers("o1")
            alice.expect("open 1 impolite", "to bob: invite o1")
            let call = try #require(alice.core.call?.id)
            alice.hears(content, of: call, from: "bob")
            #expect(alice.takeLines().suffix(2) == ["close 1", line])
            #expect(alice.core.state == .idle && alice.core.nextDeadline == nil)
        }
        let bob = Kit("bob")
        for content in [CallSignal.Content.noAnswer, .cancel(.answeredElsewhere)] {
            let call = CallIdentifier.random(from: bob.core.random)
            bob.hears(.invite(sdp: "o1", media: []), of: call, from: "alice")
            bob.hears(content, of: call, from: "alice")
            let last = content == .noAnswer ? "ended noAnswer" : "ended"
            bob.expect("incomingCall alice", "to alice: ringing", last)
        }
    }

    @Test(
        "How a call ended that rang is told, also where there is no error",
        arguments: [
            (CallEndReason.answeredElsewhere, CallEnding.answeredElsewhere), (.rejectedElsewhere, .declinedElsewhere),
            (.cancelled, .endedByOtherSide), (.glare, .endedByOtherSide), (.replaced, .endedByOtherSide),
            (.left, .endedByOtherSide), (.noAnswer, .unanswered), (.connectionLost, .failed),
            (.connectionFailed, .failed), (.mediaFailed, .failed),
        ])
    func endings(reason: CallEndReason, ending: CallEnding) {
        let bob = Kit("bob")
        let call = CallIdentifier.random(from: bob.core.random)
        bob.hears(.invite(sdp: "o1", media: []), of: call, from: "alice")
        bob.hears(.cancel(reason), of: call, from: "alice")
        _ = bob.takeLines()
        #expect(bob.endings == [ending])
    }

    @Test("What a person of either side wants is told from each other")
    func endingsByPersons() throws {
        let declined = try ringing()
        try declined.bob.reject()
        declined.carry()
        #expect(declined.bob.endings == [.endedHere] && declined.alice.endings == [.endedByOtherSide])
        let cancelled = try ringing()
        try cancelled.alice.end()
        cancelled.carry()
        #expect(cancelled.alice.endings == [.endedHere] && cancelled.bob.endings == [.endedByOtherSide])
        let hungUp = try TwoKits.inCall()
        try hungUp.bob.end()
        hungUp.carry()
        #expect(hungUp.bob.endings == [.endedHere] && hungUp.alice.endings == [.endedByOtherSide])
    }

    @Test("The connection cannot be used: both are told", arguments: [0, 1, 2])
    func connectionFailed(stage: Int) throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        if stage > 0 { kits.alice.offers("o1") }
        kits.carry()
        if stage > 1 {
            try kits.bob.accept()
            kits.carry()
            kits.bob.connection(.failed("no codec"))
            #expect(kits.bob.core.state == .idle)
        } else {
            kits.alice.connection(.failed("no camera"))
            #expect(kits.alice.core.state == .idle)
        }
        kits.expectNothingLeft()
    }

    @Test("Both hang up at once")
    func atOnce() throws {
        let kits = try TwoKits.inCall()
        kits.delivers = false
        try kits.alice.end()
        try kits.bob.end()
        kits.expect(
            "alice → bob: hangUp normal", "alice → bob: endCall", "alice: close 1", "alice: ended",
            "bob → alice: hangUp normal", "bob → alice: endCall", "bob: close 1", "bob: ended")
        kits.deliver()
        kits.expect()
        kits.expectNothingLeft()
        // The next call is not mistaken for that one.
        kits.delivers = true
        try kits.alice.call("bob")
        kits.alice.offers("o2")
        kits.expect(
            "alice: open 2 impolite", "alice → bob: invite o2", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing")
    }

    @Test("The caller gives up while the answer is on its way")
    func crossingAnswer() throws {
        let kits = try ringing()
        kits.delivers = false
        try kits.bob.accept()
        kits.bob.answers("a1")
        try kits.alice.end()
        kits.expect(
            "alice → bob: cancel cancelled", "alice → bob: endCall", "alice: close 1", "alice: ended",
            "bob: open 1 polite, waits", "bob: receive 1 offer o1", "bob → alice: answer a1")
        kits.deliver()
        kits.expect("bob: close 1", "bob: ended")
        kits.expectNothingLeft()
        #expect(kits.alice.core.counters.late == 1)
    }

    @Test("An endCall that belongs to a signal is passed over for five seconds; any other from the peer ends the call")
    func endCalls() throws {
        let alice = Kit("alice")
        func inCall() throws -> CallIdentifier {
            try alice.call("bob")
            alice.offers("o")
            let call = try #require(alice.core.call?.id)
            alice.hears(.answer(sdp: "a"), of: call, from: "bob")
            alice.path(.connected)
            return call
        }
        // Its signal has come.
        alice.hears(.hangUp(.normal), of: try inCall(), from: "bob")
        _ = try inCall()
        alice.signaling(.endCall(from: "bob"))
        #expect(alice.core.state == .callIsRunning)
        // A second one belongs to no signal.
        alice.signaling(.endCall(from: "bob"))
        #expect(alice.core.state == .idle)
        // One whose signal comes afterwards leaves nothing to be passed over.
        var call = try inCall()
        alice.signaling(.endCall(from: "bob"))
        #expect(alice.core.state == .idle)
        alice.hears(.hangUp(.normal), of: call, from: "bob")
        call = try inCall()
        alice.signaling(.endCall(from: "bob"))
        #expect(alice.core.state == .idle)
        // One that comes too late is one of this call.
        alice.hears(.hangUp(.normal), of: call, from: "bob")
        alice.hears(.hangUp(.normal), of: try inCall(), from: "bob")
        alice.wait(.milliseconds(5_001))
        _ = try inCall()
        alice.signaling(.endCall(from: "carol"))
        #expect(alice.core.state == .callIsRunning)
        alice.signaling(.endCall(from: "bob"))
        #expect(alice.core.state == .idle && alice.core.nextDeadline == nil)
    }

    @Test("An endCall alone, before the answer, says that the peer is not there")
    func endCallBeforeAnswer() throws {
        let kits = try ringing()
        kits.alice.signaling(.endCall(from: "bob"))
        kits.bob.signaling(.endCall(from: "alice"))
        kits.expect("alice: close 1", "alice: ended peerUnavailable", "bob: ended")
        kits.expectNothingLeft()
    }

    @Test("The other side closed its connection, and its last word does not come: the call is over a second later")
    func goodBye() throws {
        let kits = try TwoKits.inCall()
        kits.bob.path(.closed)
        kits.wait(.milliseconds(999))
        kits.expect()
        kits.wait(.milliseconds(1))
        kits.expect(
            "bob → alice: hangUp normal", "bob → alice: endCall", "bob: close 1", "bob: ended", "alice: close 1",
            "alice: ended")
        kits.expectNothingLeft()
    }

    @Test("Only the last sixteen calls are remembered")
    func memory() throws {
        let bob = Kit("bob")
        let random = SeededRandom(seed: 3)
        let calls = (0..<17).map { _ in CallIdentifier.random(from: random) }
        for call in calls {
            bob.hears(.invite(sdp: "o", media: []), of: call, from: "alice")
            bob.hears(.cancel(.cancelled), of: call, from: "alice")
            #expect(bob.takeLines() == ["incomingCall alice", "to alice: ringing", "ended"])
        }
        for call in calls.dropFirst() { bob.hears(.invite(sdp: "o", media: []), of: call, from: "alice") }
        bob.expect()
        bob.hears(.invite(sdp: "o", media: []), of: calls[0], from: "alice")
        bob.expect("incomingCall alice", "to alice: ringing")
    }

    @Test("A call that was cancelled before its invitation came does not ring")
    func overtaken() throws {
        let bob = Kit("bob")
        let call = CallIdentifier.random(from: SeededRandom(seed: 3))
        bob.hears(.cancel(.cancelled), of: call, from: "alice")
        bob.hears(.invite(sdp: "o", media: []), of: call, from: "alice")
        bob.expect()
        #expect(bob.core.state == .idle)
    }
}
