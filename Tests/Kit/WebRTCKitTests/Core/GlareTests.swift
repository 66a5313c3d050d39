import Foundation
import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("Two calls at once")
struct GlareTests {
    /// Both are about to call each other: their connections have made no offer yet.
    private func bothCalling(isAliceLesser: Bool = true) throws -> TwoKits {
        for seed in UInt64(1)...1_000 {
            let kits = TwoKits(seed: seed)
            try kits.alice.call("bob")
            try kits.bob.call("alice")
            let (first, second) = (try #require(kits.alice.core.call?.id), try #require(kits.bob.core.call?.id))
            guard (first < second) == isAliceLesser else { continue }
            kits.expect("alice: open 1 impolite", "bob: open 1 impolite")
            return kits
        }
        throw CancellationError()
    }

    /// Both have called each other, and the invitations are under way. Alice's call is the lesser one.
    private func crossing() throws -> TwoKits {
        let kits = try bothCalling()
        kits.delivers = false
        kits.alice.offers("o1")
        kits.bob.offers("o2")
        kits.expect("alice → bob: invite o1", "bob → alice: invite o2")
        return kits
    }

    @Test("Both call each other: the lesser call stays, and who loses answers at once, without ringing")
    func bothCall() throws {
        let kits = try crossing()
        kits.bob.finds("c2")
        kits.alice.finds("c1")
        kits.expect("alice → bob: c1", "bob → alice: c2")
        kits.deliver()
        kits.expect(
            "bob → alice: cancel glare", "bob: close 1", "bob: open 2 polite, waits", "bob: receive 2 offer o1",
            "bob: receive 2 c1")
        #expect(kits.bob.core.state == .answeringCallRequest && kits.alice.core.state == .sendingCallRequest)
        kits.bob.connection(.signal(.description(.init(type: .answer, sdp: "late"))), number: 1)
        kits.bob.answers("a1")
        kits.deliver()
        kits.expect("bob → alice: answer a1")
        kits.deliver()
        kits.alice.path(.connected)
        kits.bob.path(.connected)
        kits.expect("alice: receive 1 answer a1", "alice: started", "bob: started")
        // What came of the call that lost was dropped: its invitation, its candidate, its end.
        #expect(kits.alice.core.counters == CallCore.Counters(late: 2))
        try kits.bob.end()
        kits.deliver()
        kits.carry()
        kits.deliver()
        kits.expectNothingLeft()
    }

    @Test("The call that gives way has begun when this device called, not when the other one's invitation came")
    func times() throws {
        let kits = TwoKits()
        let (first, second) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
        kits.bob.core.date = first
        try kits.bob.call("alice")
        kits.carry()
        kits.bob.core.date = second
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        #expect(kits.bob.calls.map(\.change) == [.began, .glare, .answered])
        let times = try #require(kits.bob.calls.last?.call.times)
        #expect(times.began == first && times.answered == second)
    }

    @Test("Who has not invited yet answers, whichever call is the lesser one", arguments: [true, false])
    func notInvitedYet(isAliceLesser: Bool) throws {
        let kits = try bothCalling(isAliceLesser: isAliceLesser)
        kits.alice.offers("o1")
        kits.expect(
            "alice → bob: invite o1", "bob: close 1", "bob: open 2 polite, waits", "bob: receive 2 offer o1")
        kits.bob.answers("a1")
        kits.expect("bob → alice: answer a1", "alice: receive 1 answer a1")
    }

    @Test("The winner gives up before the loser's invitation is there: nothing rings for nobody")
    func winnerGivesUp() throws {
        let kits = try crossing()
        try kits.alice.end()
        kits.expect(
            "alice → bob: cancel cancelled", "alice → bob: endCall", "alice: close 1", "alice: ended")
        kits.deliver()
        // Alice is idle when bob's invitation comes; bob has taken it back by then.
        kits.expect(
            "alice: incomingCall bob", "alice → bob: ringing", "bob → alice: cancel glare", "bob: close 1",
            "bob: open 2 polite, waits", "bob: receive 2 offer o1", "bob: close 2", "bob: ended")
        kits.deliver()
        kits.expect("alice: ended")
        kits.expectNothingLeft()
    }

    @Test("The winner's invitation cannot be sent after all: the loser is told, and does not ring on for nobody")
    func winnerFails() throws {
        let kits = try crossing()
        let invitation = CallSignal(
            call: try #require(kits.alice.core.call?.id), .invite(sdp: "o1", media: []))
        kits.loseToBob()
        kits.deliver()
        kits.expect()
        #expect(kits.alice.core.state == .sendingCallRequest && kits.bob.core.state == .sendingCallRequest)
        kits.alice.signaling(.sendingFailed(.signal(invitation), to: "bob", message: "no"))
        kits.expect("alice: close 1", "alice: ended signalingFailed(\"no\")", "alice → bob: busy")
        kits.deliver()
        kits.expect("bob: polite 1", "bob: close 1", "bob: ended busy")
        kits.expectNothingLeft()
    }

    @Test("The winner gives up when its invitation was lost: the loser is told of its own call")
    func winnerGivesUpUnheard() throws {
        let kits = try crossing()
        kits.loseToBob()
        kits.deliver()
        try kits.alice.end()
        kits.expect(
            "alice → bob: cancel cancelled", "alice → bob: endCall", "alice → bob: busy", "alice: close 1",
            "alice: ended")
        kits.deliver()
        kits.expect("bob: polite 1", "bob: close 1", "bob: ended busy")
    }

    @Test("The winner gives up when the loser has taken its call: what is said of the other call changes nothing")
    func winnerGivesUpHeard() throws {
        let kits = try crossing()
        kits.deliver()
        kits.carry()
        try kits.alice.end()
        kits.carry()
        kits.deliver()
        kits.carry()
        kits.deliver()
        kits.expectNothingLeft()
        #expect(kits.bob.core.counters.late == 1)
    }

    @Test("The loser gives up before it knows: the winner rings there")
    func loserGivesUp() throws {
        let kits = try crossing()
        try kits.bob.end()
        kits.expect("bob → alice: cancel cancelled", "bob → alice: endCall", "bob: close 1", "bob: ended")
        kits.deliver()
        kits.expect("bob: incomingCall alice", "bob → alice: ringing")
        #expect(kits.alice.core.state == .sendingCallRequest)
        kits.deliver()
        kits.expect("alice: ringing")
    }

    @Test("A third one is told that we are busy, in every state", arguments: 0..<5)
    func busy(stage: Int) throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        if stage > 0 { kits.alice.offers("o1") }
        kits.carry()
        if stage > 1 { try kits.bob.accept() }
        if stage > 2 { kits.bob.answers("a1") }
        if stage > 3 { for kit in [kits.alice, kits.bob] { kit.path(.connected) } }
        kits.carry()
        for kit in [kits.alice, kits.bob] where kit.core.state != .idle {
            let state = kit.core.state
            let call = CallIdentifier.random(from: SeededRandom(seed: 8))
            kit.hearsCandidate("c", of: call, from: "carol")
            kit.hears(.invite(sdp: "o3", media: []), of: call, from: "carol")
            kit.hears(.cancel(.cancelled), of: call, from: "carol")
            kit.signaling(.endCall(from: "carol"))
            #expect(kit.takeLines() == ["to carol: busy"])
            #expect(kit.core.state == state)
        }
        let carol = Kit("carol")
        carol.isPoliteTo["alice"] = false
        try carol.call("alice")
        carol.offers("o3")
        carol.expect("open 1 impolite", "to alice: invite o3")
        carol.hears(.busy, of: try #require(carol.core.call?.id), from: "alice")
        carol.expect("close 1", "ended busy")
    }

    @Test("The peer of a call that has lost its path calls anew: that call takes the place of the old one")
    func replaced() throws {
        let kits = try TwoKits.inCall()
        let bob = kits.bob
        let calls = (8..<10).map { CallIdentifier.random(from: SeededRandom(seed: $0)) }
        bob.hears(.invite(sdp: "o2", media: []), of: calls[0], from: "alice")
        #expect(bob.takeLines() == ["to alice: busy"])
        bob.path(.disconnected)
        bob.hears(.invite(sdp: "o3", media: [.video]), of: calls[1], from: "alice")
        #expect(
            bob.takeLines() == [
                "to alice: hangUp replaced", "close 1", "ended connectionLost", "incomingCall alice video",
                "to alice: ringing",
            ])
        try bob.accept()
        #expect(bob.takeLines() == ["open 2 polite, waits", "receive 2 offer o3"])
    }

    @Test("A caller that gave up unheard and calls again rings anew")
    func ringsAnew() throws {
        let bob = Kit("bob")
        let calls = (8..<12).map { CallIdentifier.random(from: SeededRandom(seed: $0)) }
        bob.hears(.invite(sdp: "o1", media: []), of: calls[0], from: "alice")
        bob.hears(.invite(sdp: "o2", media: []), of: calls[1], from: "alice")
        bob.expect(
            "incomingCall alice", "to alice: ringing", "to alice: reject replaced", "ended", "incomingCall alice",
            "to alice: ringing")
        try bob.accept()
        bob.hears(.invite(sdp: "o3", media: []), of: calls[2], from: "alice")
        bob.expect(
            "open 1 polite, waits", "receive 1 offer o2", "to alice: reject replaced", "close 1", "ended",
            "incomingCall alice", "to alice: ringing")
        try bob.accept()
        bob.answers("a3")
        bob.hears(.invite(sdp: "o4", media: []), of: calls[3], from: "alice")
        bob.expect(
            "open 2 polite, waits", "receive 2 offer o3", "to alice: answer a3", "to alice: hangUp replaced", "close 2",
            "ended", "incomingCall alice", "to alice: ringing")
    }
}
