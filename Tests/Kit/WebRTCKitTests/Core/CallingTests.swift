import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("Calling and answering")
struct CallingTests {
    @Test("A call from the button to the end")
    func ladder() throws {
        let kits = TwoKits()
        try kits.alice.call("bob", .audio, .video)
        #expect(kits.alice.core.state == .sendingCallRequest && kits.alice.core.remotePeer == "bob")
        kits.expect("alice: open 1 impolite")

        kits.alice.offers("o1")
        kits.expect(
            "alice → bob: invite o1 audio video", "bob: incomingCall alice audio video", "bob → alice: ringing",
            "alice: ringing")
        #expect(kits.bob.core.state == .receivingCallRequest && kits.bob.core.remotePeer == "alice")
        kits.alice.finds("c1")
        kits.alice.finds("c2")
        kits.expect("alice → bob: c1", "alice → bob: c2")

        try kits.bob.accept()
        #expect(kits.bob.core.state == .answeringCallRequest)
        kits.expect("bob: open 1 polite, waits", "bob: receive 1 offer o1", "bob: receive 1 c1", "bob: receive 1 c2")
        kits.bob.answers("a1")
        kits.bob.finds("c3")
        #expect(kits.bob.core.state == .connecting)
        kits.expect("bob → alice: answer a1", "bob → alice: c3", "alice: receive 1 answer a1", "alice: receive 1 c3")
        #expect(kits.alice.core.state == .connecting)
        kits.alice.finds("c4")
        kits.expect("alice → bob: c4", "bob: receive 1 c4")

        kits.alice.path(.connecting)
        kits.alice.path(.connected)
        kits.bob.path(.connected)
        kits.expect("alice: started", "bob: started")
        #expect(kits.alice.core.state == .callIsRunning && kits.bob.core.state == .callIsRunning)
        #expect(kits.alice.core.nextDeadline == nil && kits.bob.core.nextDeadline == nil)

        kits.bob.offers("o2")
        kits.expect("bob → alice: negotiate offer o2", "alice: receive 1 offer o2")
        kits.alice.answers("a2")
        kits.expect("alice → bob: negotiate answer a2", "bob: receive 1 answer a2")

        try kits.alice.end()
        kits.expect(
            "alice → bob: hangUp normal", "alice → bob: endCall", "alice: close 1", "alice: ended", "bob: close 1",
            "bob: ended")
        kits.expectNothingLeft()
        #expect(kits.bob.core.counters == CallCore.Counters(endCallsPassedOver: 1))
    }

    @Test("Candidates that the connection finds first wait for their description")
    func candidatesAfterDescription() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.finds("c1")
        kits.alice.finds("c2")
        kits.expect("alice: open 1 impolite")
        kits.alice.offers("o1")
        kits.alice.finds("c3")
        kits.expect(
            "alice → bob: invite o1", "alice → bob: c1", "alice → bob: c2", "alice → bob: c3",
            "bob: incomingCall alice", "bob → alice: ringing", "alice: ringing")
        for number in 0..<70 { kits.alice.connection(.signal(.candidate(.init(candidate: "c\(number)")))) }
        #expect(kits.alice.core.counters.surplusCandidates == 0)
    }

    @Test("Calls are accepted automatically if the app says so")
    func acceptsAutomatically() throws {
        let kits = TwoKits(.init(acceptsAutomatically: true))
        try kits.alice.call("bob", .data)
        kits.alice.offers("o1")
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1 data", "bob: incomingCall alice data",
            "bob: open 1 polite, waits", "bob: receive 1 offer o1")
        #expect(kits.bob.core.state == .answeringCallRequest)
    }

    @Test("What rings already goes on ringing when the app changes its mind; the next call is as it wants")
    func acceptsAutomaticallyFromNowOn() throws {
        let kits = TwoKits()
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.carry()
        kits.bob.core.settings.acceptsAutomatically = true
        #expect(kits.bob.core.state == .receivingCallRequest)
        try kits.alice.end()
        kits.carry()
        try kits.alice.call("bob")
        kits.alice.offers("o2")
        kits.carry()
        #expect(kits.bob.core.state == .answeringCallRequest)
    }

    @Test("While nobody could answer nothing rings, and who calls is told so; then calls are taken again")
    func takesNoCalls() throws {
        let kits = TwoKits()
        kits.bob.core.takesCalls = false
        kits.bob.signaling(.shouldConnect(to: "alice", media: []))
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1", "bob → alice: busy", "alice: close 1",
            "alice: ended busy")
        kits.expectNothingLeft()
        kits.bob.core.takesCalls = true
        try kits.alice.call("bob")
        kits.alice.offers("o2")
        kits.expect(
            "alice: open 2 impolite", "alice → bob: invite o2", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: ringing")
    }

    @Test("The server may want a peer called: while there is a call, that is passed over")
    func shouldConnect() throws {
        let kits = TwoKits()
        kits.alice.signaling(.shouldConnect(to: "bob", media: [.audio]))
        kits.alice.offers("o1")
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1 audio", "bob: incomingCall alice audio",
            "bob → alice: ringing", "alice: ringing")
        kits.alice.signaling(.shouldConnect(to: "carol", media: []))
        kits.bob.signaling(.shouldConnect(to: "carol", media: []))
        kits.expect()
        #expect(kits.alice.core.remotePeer == "bob" && kits.bob.core.remotePeer == "alice")
    }

    @Test("What the state does not allow throws an error that names both states, and changes nothing")
    func invalid() throws {
        func refuses(_ kit: Kit, _ to: CallManagerState, _ body: (Kit) throws -> Void) {
            let from = kit.core.state
            #expect(throws: CallManagerError.invalidStateChange(fromState: from, toState: to)) { try body(kit) }
            #expect(kit.core.state == from && kit.takeLines().isEmpty)
        }
        let kits = TwoKits()
        refuses(kits.alice, .answeringCallRequest) { try $0.accept() }
        refuses(kits.alice, .endingCall) { try $0.reject() }
        refuses(kits.alice, .endingCall) { try $0.end() }
        try kits.alice.call("bob")
        kits.carry()
        for body in [{ try $0.call("bob") }, { try $0.call("carol") }] as [(Kit) throws -> Void] {
            refuses(kits.alice, .sendingCallRequest, body)
        }
        refuses(kits.alice, .answeringCallRequest) { try $0.accept() }
        kits.alice.offers("o1")
        kits.carry()
        refuses(kits.bob, .sendingCallRequest) { try $0.call("carol") }
        try kits.bob.accept()
        kits.carry()
        refuses(kits.bob, .answeringCallRequest) { try $0.accept() }
        refuses(kits.bob, .endingCall) { try $0.reject() }
        let running = try TwoKits.inCall()
        refuses(running.bob, .sendingCallRequest) { try $0.call("alice") }
        refuses(running.bob, .answeringCallRequest) { try $0.accept() }
        refuses(running.bob, .endingCall) { try $0.reject() }
    }

    @Test("Politeness is what the newest signal of the call says")
    func politeness() throws {
        let kits = TwoKits()
        kits.alice.isPoliteTo["bob"] = true
        kits.bob.isPoliteTo["alice"] = false
        try kits.alice.call("bob")
        kits.alice.offers("o1")
        kits.expect(
            "alice: open 1 impolite", "alice → bob: invite o1", "bob: incomingCall alice", "bob → alice: ringing",
            "alice: polite 1", "alice: ringing")
        try kits.bob.accept()
        kits.bob.answers("a1")
        kits.expect(
            "bob: open 1 impolite, waits", "bob: receive 1 offer o1", "bob → alice: answer a1",
            "alice: receive 1 answer a1")
        kits.bob.isPoliteTo["alice"] = true
        kits.alice.offers("o2")
        kits.expect("alice → bob: negotiate offer o2", "bob: polite 1", "bob: receive 1 offer o2")
    }

    @Test("One of several devices answers, and the call is with that one")
    func severalDevices() throws {
        let alice = Kit("alice")
        try alice.call("bob")
        alice.offers("o1")
        alice.expect("open 1 impolite", "to bob: invite o1")
        let call = try #require(alice.core.call?.id)
        alice.hearsCandidate("c1", of: call, from: "bob/2")
        alice.hears(.answer(sdp: "a1"), of: call, from: "bob/2")
        alice.expect("receive 1 c1", "polite 1", "receive 1 answer a1")
        #expect(alice.core.remotePeer == "bob/2")
        // From now on the others have no part in it.
        alice.hears(.hangUp(.normal), of: call, from: "bob/1")
        alice.hearsCandidate("c2", of: call, from: "bob/1")
        alice.hears(.negotiate(.init(type: .offer, sdp: "o")), of: call, from: "mallory")
        alice.signaling(.endCall(from: "mallory"))
        alice.expect()
        #expect(alice.core.state == .connecting && alice.core.counters.unknownCalls == 3)
    }

    @Test("What makes no sense is dropped and counted, and harms nothing")
    func noise() throws {
        let kits = try TwoKits.inCall()
        let alice = kits.alice
        let call = try #require(alice.core.call?.id)
        let other = CallIdentifier.random(from: SeededRandom(seed: 99))
        alice.signaling(.signal([1, 2, 3], from: "bob", isPolite: false))
        alice.signaling(
            .signal(Array(#"{"call":"0123456789abcdef","kind":"sing"}"#.utf8), from: "bob", isPolite: false))
        alice.signaling(.candidate([], from: "bob"))
        alice.hears(.answer(sdp: "again"), of: call, from: "bob")
        alice.hears(.ringing, of: call, from: "bob")
        alice.hears(.busy, of: call, from: "bob")
        alice.hears(.noAnswer, of: call, from: "bob")
        alice.hears(.unavailable, of: call, from: "bob")
        alice.hears(.negotiate(.init(type: .answer, sdp: "nobody asked")), of: call, from: "bob")
        alice.hears(.invite(sdp: "again", media: []), of: call, from: "bob")
        alice.hears(.answer(sdp: "x"), of: other, from: "bob")
        alice.hears(.negotiate(.init(type: .offer, sdp: "x")), of: other, from: "bob")
        alice.signaling(.endCall(from: "carol"))
        alice.connection(.state(.failed), number: 17)
        alice.expect()
        #expect(alice.core.state == .callIsRunning)
        #expect(
            alice.core.counters
                == CallCore.Counters(
                    malformedSignals: 1, unknownKinds: 1, malformedCandidates: 1, unknownCalls: 2, unexpected: 7,
                    endCallsPassedOver: 1, staleConnectionEvents: 1))
    }
}
