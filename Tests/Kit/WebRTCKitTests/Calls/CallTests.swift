import RTC
import Testing

@testable import WebRTCKit

@Suite("Calls", .timeLimit(.minutes(2)))
struct CallTests {
    @Test("A call is answered, both hear each other, and one hangs up")
    func answered() async throws {
        let pair = try await CallPair()
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await pair.alice.controller.state == .sendingCallRequest)
        #expect(await pair.alice.diary.wait(for: "ringing"))
        #expect(await pair.bob.diary.wait(for: "incoming alice"))
        #expect(await pair.bob.controller.state == .receivingCallRequest)
        try await pair.bob.controller.answerCallRequest(accept: true)
        #expect(await pair.alice.diary.wait(for: "started"))
        #expect(await pair.bob.diary.wait(for: "started"))
        #expect(await pair.alice.controller.state == .callIsRunning)
        #expect(await pair.alice.controller.remotePeerID == "bob")
        #expect(await pair.alice.diary.ear.hears(880))
        #expect(await pair.bob.diary.ear.hears(440))
        let report = try await pair.alice.controller.statistics()
        #expect(report.outboundRTP.contains { $0.kind == .audio && $0.packetsSent > 0 })
        try await pair.hangUp()
        for side in [pair.alice, pair.bob] {
            #expect(await side.controller.state == .idle)
            #expect(await side.controller.remotePeerID == nil)
            #expect(side.diary.words.last == "ended")
        }
        // Calls begin with sound alone, and nobody was told of pictures.
        #expect(pair.alice.diary.words == ["local audio", "ringing", "remote audio", "started", "code", "ended"])
        #expect(pair.server.offers() == 0)
    }

    @Test("Both sides are shown the same code")
    func code() async throws {
        let pair = try await CallPair.running()
        #expect(await pair.alice.diary.wait(for: "code"))
        #expect(await pair.bob.diary.wait(for: "code"))
        #expect(pair.alice.diary.code == pair.bob.diary.code)
        let code = try #require(pair.alice.diary.code)
        #expect(await pair.alice.controller.verificationStatus == .code(code))
        try await pair.hangUp()
        #expect(await pair.alice.controller.verificationStatus == .waiting)
    }

    @Test("Bug 3: A call that is rejected ends for the caller with that, and both may call again")
    func rejected() async throws {
        let pair = try await CallPair()
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await pair.bob.diary.wait(for: "incoming alice"))
        try await pair.bob.controller.answerCallRequest(accept: false)
        #expect(await pair.alice.diary.wait(for: "ended rejected"))
        #expect(await pair.bob.diary.wait(for: "ended"))
        #expect(pair.alice.diary.endings == [.endedByOtherSide] && pair.bob.diary.endings == [.endedHere])
        #expect(await pair.bob.controller.remotePeerID == nil)
        let carol = try await Caller("carol", pair.server)
        try await carol.call(pair.bob)
        try await carol.hangUp(pair.bob, times: 1)
    }

    @Test("A second caller is told that the callee is busy")
    func busy() async throws {
        let pair = try await CallPair.running()
        let carol = try await Caller("carol", pair.server)
        try await carol.controller.sendCallRequest(to: "bob")
        #expect(await carol.diary.wait(for: "ended busy"))
        #expect(!pair.bob.diary.words.contains("incoming carol"))
        #expect(await pair.alice.diary.ear.hears(880))
        try await pair.hangUp()
    }

    @Test("A call that is given up while it rings ends for the callee")
    func cancelled() async throws {
        let pair = try await CallPair()
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await pair.bob.diary.wait(for: "incoming alice"))
        try await pair.alice.controller.endCall()
        #expect(await pair.bob.diary.wait(for: "ended"))
        #expect(await pair.bob.controller.state == .idle)
        await #expect(throws: CallManagerError.self) {
            try await pair.bob.controller.answerCallRequest(accept: true)
        }
    }

    @Test("A call that nobody answers ends, here and there")
    func unanswered() async throws {
        let pair = try await CallPair { $0.ringTimeout = .milliseconds(300) }
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await pair.alice.diary.wait(for: "ended noAnswer"))
        #expect(await eventually { await pair.bob.controller.state == .idle })
    }

    @Test("Bug 5: After a remote hang-up the same peer's next call rings")
    func again() async throws {
        let pair = try await CallPair.running()
        try await pair.hangUp()
        for times in 2...4 {
            try await pair.alice.call(pair.bob, times: times)
            pair.bob.diary.ear.forget()
            #expect(await pair.bob.diary.ear.hears(440))
            try await pair.alice.hangUp(pair.bob, times: times)
        }
        try await pair.bob.controller.sendCallRequest(to: "alice")
        #expect(await pair.alice.diary.wait(for: "incoming bob"))
        try await pair.bob.controller.endCall()
    }

    @Test("Both call each other at once, and one call comes of it")
    func glare() async throws {
        let pair = try await CallPair()
        pair.server.setDelay(.milliseconds(30))
        try await pair.alice.controller.startRecording()
        try await pair.bob.controller.startRecording()
        async let first: Void = pair.alice.controller.sendCallRequest(to: "bob")
        async let second: Void = pair.bob.controller.sendCallRequest(to: "alice")
        _ = try await (first, second)
        #expect(await pair.alice.diary.wait(for: "started"))
        #expect(await pair.bob.diary.wait(for: "started"))
        #expect(await pair.alice.diary.ear.hears(880))
        #expect(await pair.bob.diary.ear.hears(440))
        #expect(pair.alice.diary.count("started") == 1)
        try await pair.hangUp()
    }

    @Test("A call may be accepted without asking, and the server may ask for one")
    func automatic() async throws {
        let pair = try await CallPair()
        await pair.bob.controller.setAutoAcceptCalls(true)
        await pair.alice.signaling.askToCall("bob")
        #expect(await pair.alice.diary.wait(for: "started"))
        #expect(await pair.bob.diary.wait(for: "started"))
        #expect(pair.bob.diary.words.first == "incoming alice")
        // It does not ring, neither here nor there.
        #expect(!pair.alice.diary.words.contains("ringing"))
        try await pair.hangUp()
    }

    @Test("Bug 4: Without a path the call ends after the time that the configuration gives, and the next one works")
    func noPath() async throws {
        let config = Config(connectionTimeout: 2)
        let server = InMemoryServer()
        let alice = try await Caller("alice", server, config: config)
        // An address from which nothing reaches the other side.
        let bob = try await Caller("bob", server, config: config) { options in
            options.network.bindAddress = nil
            options.network.allowsAddress = { _ in false }
        }
        try await alice.controller.sendCallRequest(to: "bob")
        #expect(await bob.diary.wait(for: "incoming alice"))
        try await bob.controller.answerCallRequest(accept: true)
        let remains = [await CallRemains(of: alice), await CallRemains(of: bob)]
        for remains in remains { #expect(remains.names.starts(with: ["call", "connection", "engine"])) }
        for side in [alice, bob] {
            #expect(await side.diary.wait(for: "ended connectionTimeout"))
            #expect(await side.controller.state == .idle)
            #expect(side.diary.words.count { $0.hasPrefix("ended") } == 1)
            side.diary.forget()
        }
        #expect(await eventually { remains.allSatisfy { $0.names.isEmpty } })
        #expect(remains.flatMap(\.names) == [])
        let carol = try await Caller("carol", server, tone: 660)
        try await alice.controller.startRecording()
        try await carol.controller.startRecording()
        try await carol.call(alice)
        #expect(await alice.diary.ear.hears(660))
        try await carol.hangUp(alice, times: 1)
    }

    @Test("What the state of a call does not allow is an error that names both states")
    func impossible() async throws {
        let pair = try await CallPair()
        await #expect(throws: CallManagerError.invalidStateChange(fromState: .idle, toState: .endingCall)) {
            try await pair.alice.controller.endCall()
        }
        await #expect(throws: CallManagerError.invalidStateChange(fromState: .idle, toState: .answeringCallRequest)) {
            try await pair.alice.controller.answerCallRequest(accept: true)
        }
        try await pair.alice.controller.sendCallRequest(to: "bob")
        await #expect(
            throws: CallManagerError.invalidStateChange(fromState: .sendingCallRequest, toState: .sendingCallRequest)
        ) {
            try await pair.alice.controller.sendCallRequest(to: "carol")
        }
        try await pair.alice.controller.endCall()
    }

    @Test("What needs a call says so where there is none")
    func withoutCall() async throws {
        let pair = try await CallPair()
        for action in [
            { try await pair.alice.controller.startConfiguration() },
            { try await pair.alice.controller.commitConfiguration() },
            { _ = try await pair.alice.controller.statistics() },
            { _ = try await pair.alice.controller.createDataChannel(label: "early") },
        ] as [@Sendable () async throws -> Void] {
            await #expect(throws: CallManagerError.self) { try await action() }
        }
    }

    @Test("Disconnecting ends the call, and tells the other side before it leaves")
    func disconnected() async throws {
        let pair = try await CallPair.running()
        try await pair.alice.controller.disconnect()
        #expect(await pair.bob.diary.wait(for: "ended"))
        #expect(await pair.alice.controller.state == .idle)
        #expect(!pair.alice.signaling.isOpen)
        #expect(await pair.alice.controller.localPeerID == nil)
        #expect(await pair.alice.controller.localAudioTrack == nil)
    }
}

extension CallPair {
    func hangUp() async throws { try await alice.hangUp(bob) }
}
