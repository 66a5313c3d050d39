import Foundation
import Testing

@testable import WebRTCKit

@Suite("What an app is told of a call, from its beginning to its end")
struct CallOutcomeTests {
    /// Alice has called, and it rings at bob.
    private func ringing(_ settings: CallCore.Settings = .init()) throws -> TwoKits {
        let kits = TwoKits(settings)
        try kits.alice.call("bob", .audio)
        kits.alice.offers("o1")
        kits.carry()
        return kits
    }

    private func expect(
        _ kits: TwoKits, alice: Call.Outcome, bob: Call.Outcome, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        kits.carry()
        for (kit, outcome) in [(kits.alice, alice), (kits.bob, bob)] {
            let last = try #require(kit.calls.last, sourceLocation: sourceLocation)
            #expect(last.change == .ended && last.call.state == .ended, "\(kit.name)", sourceLocation: sourceLocation)
            #expect(last.call.outcome == outcome, "\(kit.name)", sourceLocation: sourceLocation)
        }
    }

    @Test("Each stage of a call, at both sides")
    func stages() throws {
        let kits = try ringing()
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.carry()
        kits.alice.path(.connected)
        kits.bob.path(.connected)
        kits.carry()
        kits.alice.path(.failed)
        kits.alice.path(.connected)
        kits.carry()
        let (alice, bob) = (kits.alice.calls, kits.bob.calls)
        #expect(
            alice.map(\.change) == [
                .began, .ringing, .answered, .connected, .connectionLost, .connectionRestored,
            ])
        #expect(alice.map(\.call.state) == [.calling, .ringing, .connecting, .connected, .reconnecting, .connected])
        #expect(bob.map(\.change) == [.began, .answered, .connected])
        #expect(bob.map(\.call.state) == [.ringing, .connecting, .connected])
        for (calls, peer, direction) in [(alice, "bob", Call.Direction.outgoing), (bob, "alice", .incoming)] {
            #expect(Set(calls.map(\.call.id)) == [alice[0].call.id])
            #expect(calls.allSatisfy { $0.call.peer.id == peer && $0.call.direction == direction })
            #expect(calls.allSatisfy { $0.call.media == [.audio] && $0.call.outcome == nil })
            #expect(calls.map(\.call.isAnswered) == calls.map { ![.calling, .ringing].contains($0.call.state) })
        }
    }

    @Test("The record notes when it began, was answered, was connected first and ended")
    func times() throws {
        let kits = TwoKits()
        func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
        func tell(_ seconds: Double, _ body: () throws -> Void) rethrows {
            for kit in [kits.alice, kits.bob] { kit.core.date = at(seconds) }
            try body()
            kits.carry()
        }
        try tell(1) { try kits.alice.call("bob") }
        tell(2) { kits.alice.offers("o1") }
        try tell(3) { try kits.bob.accept() }
        tell(4) { kits.bob.answers("a1") }
        tell(5) { for kit in [kits.alice, kits.bob] { kit.path(.connected) } }
        tell(6) { for kit in [kits.alice, kits.bob] { kit.path(.failed) } }
        tell(7) { for kit in [kits.alice, kits.bob] { kit.path(.connected) } }
        try tell(8) { try kits.alice.end() }
        for (kit, began, answered) in [(kits.alice, 1.0, 4.0), (kits.bob, 2.0, 3.0)] {
            let call = try #require(kit.calls.last?.call)
            #expect(call.times.began == at(began) && call.times.answered == at(answered), "\(kit.name)")
            #expect(call.times.connected == at(5) && call.times.ended == at(8), "\(kit.name)")
            #expect(call.isAnswered && call.duration() == .seconds(3), "\(kit.name)")
        }
        try tell(9) { try kits.alice.call("bob") }
        let next = try #require(kits.alice.calls.last?.call.times)
        #expect(next.began == at(9) && next.answered == nil && next.connected == nil && next.ended == nil)
    }

    @Test("Both sides know who hung up")
    func hungUp() throws {
        let kits = try TwoKits.inCall()
        try kits.alice.end()
        try expect(kits, alice: .hungUp(by: .local), bob: .hungUp(by: .remote))
    }

    @Test("Hung up before there is a path")
    func hungUpEarly() throws {
        let kits = try ringing()
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.carry()
        try kits.bob.end()
        try expect(kits, alice: .hungUp(by: .remote), bob: .hungUp(by: .local))
    }

    @Test("Declined, by rejecting or by ending the call that rings", arguments: [true, false])
    func declined(byRejecting: Bool) throws {
        let kits = try ringing()
        if byRejecting { try kits.bob.reject() } else { try kits.bob.end() }
        try expect(kits, alice: .declined(by: .remote), bob: .declined(by: .local))
    }

    @Test("Cancelled while it rings")
    func cancelled() throws {
        let kits = try ringing()
        try kits.alice.end()
        try expect(kits, alice: .cancelled(by: .local), bob: .cancelled(by: .remote))
    }

    @Test("Nobody answers")
    func unanswered() throws {
        let kits = try ringing(.init(ringTimeout: .seconds(40)))
        kits.wait(.seconds(41))
        try expect(kits, alice: .unanswered, bob: .unanswered)
    }

    @Test("Answered, and no path is found")
    func neverConnected() throws {
        let kits = try ringing(.init(connectionTimeout: .seconds(10)))
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.carry()
        kits.wait(.seconds(11))
        try expect(kits, alice: .neverConnected, bob: .neverConnected)
    }

    @Test("The path is lost for good")
    func connectionLost() throws {
        let kits = try TwoKits.inCall(.init(connectionTimeout: .seconds(10)))
        kits.alice.path(.failed)
        kits.bob.path(.failed)
        kits.wait(.seconds(11))
        try expect(kits, alice: .connectionLost, bob: .connectionLost)
    }

    @Test("The peer calls again while it rings: the first call was replaced")
    func replaced() throws {
        let kits = try ringing()
        let first = try #require(kits.bob.core.call?.id)
        let second = CallIdentifier.random(from: kits.bob.core.random)
        kits.bob.hears(.invite(sdp: "o2", media: []), of: second, from: "alice")
        kits.carry()
        #expect(kits.bob.calls.map(\.change) == [.began, .ended, .began])
        #expect(kits.bob.calls.map(\.call.id) == [first, first, second])
        #expect(kits.bob.calls[1].call.outcome == .replaced)
    }

    @Test("A third peer hears that it is busy, and the app of the one who is hears who called")
    func busy() throws {
        let kits = try TwoKits.inCall()
        let carol = Kit("carol", seed: 7)
        try carol.call("bob")
        carol.offers("o3")
        let call = try #require(carol.core.call?.id)
        kits.bob.hears(.invite(sdp: "o3", media: []), of: call, from: "carol")
        kits.carry()
        #expect(kits.bob.busyCallers.map(\.id) == ["carol"])
        carol.hears(.busy, of: call, from: "bob")
        _ = carol.takeLines()
        #expect(carol.calls.last?.call.outcome == .busy)
        #expect(kits.bob.calls.last?.change != .ended)
    }

    @Test("Both call each other: one call goes on at each side, and one of both took the other's")
    func glare() throws {
        let kits = TwoKits()
        kits.delivers = false
        try kits.alice.call("bob")
        try kits.bob.call("alice")
        kits.alice.offers("oa")
        kits.bob.offers("ob")
        kits.carry()
        let ids = [kits.alice.core.call?.id, kits.bob.core.call?.id].compactMap(\.self)
        let first = try #require(ids.min())
        kits.delivers = true
        kits.deliver()
        kits.carry()
        for (kit, id) in zip([kits.alice, kits.bob], ids) {
            let changes = kit.calls.map(\.change)
            #expect(!changes.contains(.ended) && changes.contains(.glare) == (id != first))
            #expect(kit.calls.last?.call.id == first)
            #expect(kit.calls.last?.call.direction == (id == first ? .outgoing : .incoming))
            // The app may not know the other identifier yet.
            if id != first { try kit.core.perform(.end, on: id, at: kits.now) }
        }
        kits.carry()
        kits.expectNothingLeft()
    }

    @Test("The invitation cannot be sent")
    func failed() throws {
        let kits = TwoKits()
        kits.isServerUp = false
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        #expect(kits.alice.calls.map(\.change) == [.began, .ended])
        #expect(kits.alice.calls.last?.call.outcome == .failed(.signalingFailed("no server")))
    }

    @Test("What cannot be used at either side is a failure, and says so")
    func unusable() throws {
        let kits = try ringing()
        try kits.bob.accept()
        kits.bob.connection(.failed("no such codec"))
        kits.carry()
        #expect(kits.bob.calls.last?.call.outcome == .failed(.webRTCFailed("no such codec")))
        guard case .failed(.webRTCFailed)? = kits.alice.calls.last?.call.outcome else {
            Issue.record("\(String(describing: kits.alice.calls.last?.call.outcome))")
            return
        }
    }

    @Test(
        "What a server or the other side says in words",
        arguments: [
            (CallSignal.Content.unavailable, Call.Outcome.unreachable), (.noAnswer, .unanswered), (.busy, .busy),
            (.reject(.declined), .declined(by: .remote)), (.reject(.normal), .declined(by: .remote)),
            (.reject(.noAnswer), .unanswered), (.reject(.rejectedElsewhere), .declined(by: .remote)),
            (.reject(.replaced), .replaced), (.hangUp(.replaced), .replaced),
            (.cancel(.answeredElsewhere), .answeredElsewhere), (.cancel(.rejectedElsewhere), .declinedElsewhere),
            (.cancel(.cancelled), .cancelled(by: .remote)), (.cancel(.left), .cancelled(by: .remote)),
            (.cancel(.replaced), .replaced), (.cancel(.connectionLost), .unreachable),
            (.hangUp(.left), .hungUp(by: .remote)), (.hangUp(.connectionFailed), .neverConnected),
        ])
    func signals(content: CallSignal.Content, outcome: Call.Outcome) throws {
        let alice = Kit("alice")
        try alice.call("bob")
        alice.offers("o1")
        let call = try #require(alice.core.call?.id)
        alice.hears(content, of: call, from: "bob")
        _ = alice.takeLines()
        #expect(alice.calls.last?.call.outcome == outcome)
    }

    @Test("A server that is lost for good ends a call that was not answered, at either side, and no other")
    func serverLost() throws {
        let unanswered = try ringing()
        for kit in [unanswered.alice, unanswered.bob] { kit.signaling(.lost(.replaced)) }
        try expect(unanswered, alice: .replaced, bob: .replaced)
        let running = try TwoKits.inCall()
        running.alice.signaling(.lost(.failed(.signalingFailed("no"))))
        running.carry()
        #expect(running.alice.core.state == .callIsRunning && running.alice.calls.last?.change != .ended)
    }

    @Test("The server's words stay with a call that it refuses")
    func refused() throws {
        let alice = Kit("alice")
        try alice.call("bob")
        alice.offers("o1")
        let call = try #require(alice.core.call?.id)
        alice.signaling(
            .typedSignal(
                CallSignal(call: call, .unavailable), from: "bob", isPolite: false,
                SignalDetails(refusal: "There are too many calls at once.")))
        _ = alice.takeLines()
        #expect(alice.calls.last?.call.outcome == .refused("There are too many calls at once."))
    }

    @Test("A signal of an app's own server brings the name and the device of its sender, and the server's words")
    func detailsOfBytes() throws {
        let bob = Kit("bob")
        let call = try #require(CallIdentifier(rawValue: "call-0123456789abcdef"))
        func hear(_ content: CallSignal.Content, _ details: SignalDetails) {
            let bytes = CallSignal(call: call, content).encoded()
            bob.signaling(.signal(bytes, from: "alice", isPolite: true, details: details))
        }
        hear(.invite(sdp: "o1", media: [.audio]), SignalDetails(name: "Alice", nameIsProven: true))
        let peer = try #require(bob.core.call?.call.peer)
        #expect(peer.displayName == "Alice" && peer.device == nil && peer.user == "alice")
        hear(.unavailable, SignalDetails(refusal: "Not now."))
        _ = bob.takeLines()
        #expect(bob.calls.last?.call.outcome == .refused("Not now."))
        #expect(bob.calls.last?.call.peer.name == "Alice")
    }

    @Test("An end without a signal means what it would in the call's stage")
    func endCallAlone() throws {
        let unanswered = try ringing()
        unanswered.alice.signaling(.endCall(from: "bob"))
        unanswered.bob.signaling(.endCall(from: "alice"))
        try expect(unanswered, alice: .unreachable, bob: .cancelled(by: .remote))
        let running = try TwoKits.inCall()
        running.alice.signaling(.endCall(from: "bob"))
        running.carry()
        #expect(running.alice.calls.last?.call.outcome == .hungUp(by: .remote))
    }

    @Test("An outcome, the delegate's error and its ending agree")
    func delegate() {
        let outcomes: [(Call.Outcome, CallManagerError?, CallEnding)] = [
            (.hungUp(by: .local), nil, .endedHere), (.hungUp(by: .remote), nil, .endedByOtherSide),
            (.declined(by: .local), nil, .endedHere), (.declined(by: .remote), .rejected, .endedByOtherSide),
            (.cancelled(by: .local), nil, .endedHere), (.cancelled(by: .remote), nil, .endedByOtherSide),
            (.declinedElsewhere, nil, .declinedElsewhere), (.answeredElsewhere, nil, .answeredElsewhere),
            (.busy, .busy, .endedByOtherSide), (.unanswered, .noAnswer, .unanswered),
            (.unreachable, .peerUnavailable, .failed), (.refused("no"), .signalingFailed("no"), .failed),
            (.neverConnected, .connectionTimeout, .failed), (.connectionLost, .connectionLost, .failed),
            (.replaced, nil, .endedByOtherSide), (.failed(.webRTCFailed("x")), .webRTCFailed("x"), .failed),
        ]
        for (outcome, error, ending) in outcomes {
            #expect(outcome.error == error && CallEnding(outcome) == ending, "\(outcome)")
            #expect(!outcome.description.isEmpty)
        }
    }
}
