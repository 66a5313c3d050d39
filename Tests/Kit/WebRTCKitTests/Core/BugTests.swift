import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

/// Those of the original WebRTCKit's bugs that live in the rules of a call, each by its number.
@Suite("Bugs that the original WebRTCKit has, and we must not")
struct BugTests {
    @Test("Bug 1: An ICE-restart offer is dropped exactly when the receiver is disconnected")
    func restartOfferWhileDisconnected() throws {
        for state in [ConnectionState.disconnected, .failed, .connecting] {
            let kits = try TwoKits.inCall()
            kits.bob.path(state)
            kits.wait(.seconds(3))
            kits.expect("bob: connectionLost", "bob: restart 1")
            kits.alice.offers("restart")
            kits.expect("alice → bob: negotiate offer restart", "bob: receive 1 offer restart")
            kits.bob.answers("a2")
            kits.expect("bob → alice: negotiate answer a2", "alice: receive 1 answer a2")
        }
    }

    @Test("Bug 3: Rejecting a call tells the caller nothing; the remote peer stays set, and other callers are blocked")
    func rejecting() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        try kits.bob.reject()
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing", "bob → alice: reject declined", "bob → alice: endCall", "bob: ended", "alice: close 1",
            "alice: ended rejected")
        kits.expectNothingLeft()
        // Another one may call bob at once, and so may alice.
        let other = CallIdentifier.random(from: SeededRandom(seed: 9))
        kits.bob.hears(.invite(sdp: "o3", media: []), of: other, from: "carol")
        #expect(kits.bob.takeLines() == ["incomingCall carol", "to carol: ringing"])
        try kits.bob.reject()
        #expect(kits.bob.takeLines() == ["to carol: reject declined", "to carol: endCall", "ended"])
        try kits.alice.call("bob")
        kits.alice.offers("o2")
        kits.expect(
            "alice: open 2 impolite", "alice → bob: invite o2", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing")
    }

    @Test("Bug 4: The connection timeout never closes the peer connection; the next call fails")
    func timeoutCloses() throws {
        let kits = TwoKits(.init(connectionTimeout: .seconds(7)))
        for number in 1...3 {
            try kits.alice.call("bob")
            kits.alice.offers("o")
            kits.expect(
                "alice: open \(number) impolite", "alice → bob: invite o", "bob: incomingCall alice",
                "bob → alice: ringing", "alice: ringing")
            try kits.bob.accept()
            kits.bob.answers("a")
            kits.expect(
                "bob: open \(number) polite, waits", "bob: receive \(number) offer o", "bob → alice: answer a",
                "alice: receive \(number) answer a")
            kits.wait(.milliseconds(6_999))
            kits.expect()
            kits.wait(.milliseconds(1))
            kits.expect(
                "alice → bob: hangUp connectionFailed", "alice → bob: endCall", "alice: close \(number)",
                "alice: ended connectionTimeout", "bob → alice: hangUp connectionFailed", "bob → alice: endCall",
                "bob: close \(number)", "bob: ended connectionTimeout")
            kits.expectNothingLeft()
        }
    }

    @Test("Bug 4, too: A connection that makes no answer is closed after the timeout")
    func noAnswerMade() throws {
        let kits = TwoKits(.init(connectionTimeout: .seconds(7)))
        try kits.alice.call("bob")
        kits.alice.offers("o")
        kits.carry()
        try kits.bob.accept()
        kits.wait(.seconds(7))
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing", "bob: open 1 polite, waits", "bob: receive 1 offer o",
            "bob → alice: reject connectionFailed", "bob → alice: endCall", "bob: close 1",
            "bob: ended connectionTimeout", "alice: close 1", "alice: ended connectionTimeout")
        kits.expectNothingLeft()
    }

    @Test("Bug 5: After a remote hang-up the same peer's next call is never reported")
    func nextCallAfterRemoteHangUp() throws {
        let kits = try TwoKits.inCall()
        for number in 2...4 {
            try kits.alice.end()
            kits.expect(
                "alice → bob: hangUp normal", "alice → bob: endCall", "alice: close \(number - 1)", "alice: ended",
                "bob: close \(number - 1)", "bob: ended")
            kits.expectNothingLeft()
            try kits.alice.call("bob")
            kits.alice.offers("o")
            kits.expect(
                "alice: open \(number) impolite", "alice → bob: invite o", "bob: incomingCall alice",
                "bob → alice: ringing", "alice: ringing")
            try kits.bob.accept()
            kits.bob.answers("a")
            kits.carry()
            kits.alice.path(.connected)
            kits.bob.path(.connected)
            kits.expect(
                "bob: open \(number) polite, waits", "bob: receive \(number) offer o", "bob → alice: answer a",
                "alice: receive \(number) answer a", "alice: started", "bob: started")
        }
    }

    @Test("Bug 7, in the core: What the answerer negotiates is silently ignored")
    func answererNegotiates() throws {
        let kits = try TwoKits.inCall()
        kits.bob.offers("with a channel")
        kits.expect("bob → alice: negotiate offer with a channel", "alice: receive 1 offer with a channel")
    }

    @Test("Bug 8: Early candidates are replayed in reverse order, and only while gathering")
    func earlyCandidates() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        for number in 1...20 { kits.alice.finds("c\(number)") }
        kits.carry()
        // However long it rings, and whatever our own connection has gathered.
        kits.wait(.seconds(59))
        kits.carry()
        try kits.bob.accept()
        #expect(
            kits.bob.takeLines()
                == ["open 1 polite, waits", "receive 1 offer o1"] + (1...20).map { "receive 1 c\($0)" })
        kits.bob.finds("own")
        kits.alice.finds("c21")
        kits.bob.answers("a1")
        kits.alice.finds("c22")
        kits.carry()
        let last = try TwoKits.inCall()
        last.alice.finds("c23")
        last.expect("alice → bob: c23", "bob: receive 1 c23")
    }

    @Test("Bug 11: connectionLost is never reported")
    func connectionLostIsReported() throws {
        let kits = try TwoKits.inCall()
        kits.bob.path(.disconnected)
        kits.wait(.seconds(2))
        kits.expect("bob: connectionLost", "bob: restart 1")
        // Once.
        kits.bob.path(.failed)
        kits.bob.path(.disconnected)
        kits.wait(.seconds(3))
        kits.expect()
        kits.bob.path(.connected)
        kits.expect("bob: connectionRestored")
        kits.bob.path(.failed)
        kits.wait(.seconds(30))
        kits.expect(
            "bob: connectionLost", "bob: restart 1", "bob: restart 1", "bob: restart 1", "bob: restart 1",
            "bob → alice: hangUp connectionFailed", "bob → alice: endCall", "bob: close 1", "bob: ended connectionLost",
            "alice: close 1", "alice: ended connectionLost")
    }

    @Test("Bug 12, in the core: Two kits in one process share one set of globals")
    func twoKits() throws {
        let kits = try TwoKits.inCall()
        let (carol, dave) = (Kit("carol"), Kit("dave"))
        try carol.call("dave")
        carol.expect("open 1 impolite")
        dave.hears(.invite(sdp: "o", media: []), of: CallIdentifier.random(from: SeededRandom(seed: 4)), from: "erin")
        dave.expect("incomingCall erin", "to erin: ringing")
        try carol.end()
        #expect(carol.core.state == .idle && dave.core.state == .receivingCallRequest)
        #expect(kits.alice.core.state == .callIsRunning && kits.bob.core.state == .callIsRunning)
    }

    @Test("Bug 13: Hanging up while the call is still joining leaves half of it alive", arguments: 0..<12)
    func hangUpWhileJoining(moment: Int) throws {
        for isAlice in [true, false] {
            for delivers in [true, false] {
                let kits = TwoKits()
                try join(kits, until: moment)
                kits.delivers = delivers
                let kit = isAlice ? kits.alice : kits.bob
                if kit.core.state != .idle { try kit.end() }
                #expect(kit.core.state == .idle && kit.core.remotePeer == nil && kit.core.nextDeadline == nil)
                kits.carry()
                #expect(kit.open.isEmpty)
                // What the connection says when it is closed comes late.
                kit.connection(.state(.closed))
                kit.connection(.state(.connected))
                kit.connection(.signal(.description(.init(type: .answer, sdp: "late"))))
                kit.connection(.signal(.candidate(.init(candidate: "late"))))
                kit.connection(.failed("late"))
                for _ in 0..<5 {
                    kits.deliver()
                    kits.carry()
                }
                // A caller who had not been heard of calls on; all others are done.
                if kits.alice.core.state == .idle { kits.expectNothingLeft() }
                if kits.alice.core.state != .idle { try kits.alice.end() }
                kits.deliver()
                kits.carry()
                kits.deliver()
                kits.expectNothingLeft()
                kits.delivers = true
                try kits.bob.call("alice")
                kits.bob.offers("next")
                kits.carry()
                #expect(kits.alice.core.state == .receivingCallRequest)
            }
        }
    }

    /// Lets a call come about up to a moment.
    private func join(_ kits: TwoKits, until moment: Int) throws {
        let steps: [() throws -> Void] = [
            { try kits.alice.call("bob") }, { kits.carry() }, { kits.alice.finds("c0") }, { kits.alice.offers("o1") },
            { kits.carry() }, { try kits.bob.accept() }, { kits.carry() }, { kits.bob.answers("a1") }, { kits.carry() },
            { kits.alice.path(.connecting) }, { kits.alice.path(.connected) }, { kits.bob.path(.connected) },
        ]
        for step in steps[...min(moment, steps.count - 1)] { try step() }
    }
}
