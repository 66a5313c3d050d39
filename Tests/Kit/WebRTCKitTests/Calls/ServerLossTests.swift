import RTC
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("Signalling that goes away, and networks that change", .timeLimit(.minutes(2)))
struct ServerLossTests {
    @Test("A call goes on without its server; what was changed meanwhile takes effect when it is back")
    func serverIsAway() async throws {
        let pair = try await CallPair.running()
        pair.server.close()
        pair.bob.diary.ear.forget()
        #expect(await pair.bob.diary.ear.hears(440))
        try await pair.alice.controller.startVideoRecording()
        try await Task.sleep(for: .milliseconds(200))
        #expect(pair.bob.diary.remoteVideo == nil)
        pair.server.reopen()
        #expect(await pair.bob.diary.wait(for: "remote video"))
        #expect(await pair.alice.controller.state == .callIsRunning)
        try await pair.hangUp()
    }

    @Test("A hang-up that could not be said is said when the server is back")
    func lateHangUp() async throws {
        let pair = try await CallPair.running()
        pair.server.close()
        try await pair.alice.controller.endCall()
        #expect(await pair.alice.controller.state == .idle)
        // The connection says good-bye by itself.
        #expect(await pair.bob.diary.wait(for: "ended"))
        pair.server.reopen()
        try await pair.alice.call(pair.bob, times: 2)
        try await pair.alice.hangUp(pair.bob, times: 2)
    }

    @Test("Where the server is away no call begins, and the app is told why")
    func noServer() async throws {
        let pair = try await CallPair()
        pair.server.close()
        try await pair.alice.controller.sendCallRequest(to: "bob")
        #expect(await eventually { pair.alice.diary.words.contains { $0.hasPrefix("ended signalingFailed") } })
        pair.server.reopen()
        try await pair.alice.call(pair.bob)
        try await pair.hangUp()
    }

    @Test("Who calls a controller that is leaving is told so, and nothing rings there", arguments: [true, false])
    func leaving(isLetGo: Bool) async throws {
        let server = InMemoryServer()
        let (alice, carol) = (try await Caller("alice", server), try await Caller("carol", server))
        // An invitation that needs no time when its moment comes.
        try await alice.controller.sendCallRequest(to: "nobody")
        #expect(await eventually { server.signals == ["alice invite"] })
        guard case .signal(let invitation)? = server.log.first?.content else { throw CancellationError() }
        let diary: Diary
        let signaling: InMemoryConnection
        let leaving: Task<Void, any Error>
        do {
            let bob = try await Caller("bob", server)
            diary = bob.diary
            signaling = bob.signaling
            try await carol.controller.sendCallRequest(to: "bob")
            #expect(await diary.wait(for: "incoming carol"))
            #expect(await carol.diary.wait(for: "ringing"))
            // His last word is on its way for a while.
            signaling.hold(true)
            let controller = bob.controller
            leaving = Task { if !isLetGo { try await controller.disconnect() } }
            if !isLetGo { #expect(await eventually { await controller.state == .idle }) }
        }
        if isLetGo { #expect(await diary.wait(for: "ended")) }
        try await alice.signaling.sendSignal(invitation, to: "bob")
        try await Task.sleep(for: .milliseconds(50))
        signaling.hold(false)
        #expect(await alice.diary.wait(for: "ended busy"))
        #expect(await carol.diary.wait(for: "ended rejected"))
        try await leaving.value
        #expect(!diary.words.contains("incoming alice"))
    }

    @Test("The signalling connection hears of each loss of the network, and of each return, once")
    func network() async throws {
        let server = InMemoryServer()
        let connection = server.connection("alice")
        let (events, continuation) = AsyncStream.makeStream(of: NetworkMonitor.Event.self)
        let manager = CallManager.start(
            signaling: connection, config: .test, audioDevice: nil, options: .init(), networkEvents: { events })
        _ = try await manager.connect()
        for event in [NetworkMonitor.Event.changed, .lost, .restored, .changed, .lost] { continuation.yield(event) }
        #expect(await eventually { connection.networkEvents.withLock { $0.count } == 3 })
        #expect(connection.networkEvents.withLock { $0 } == ["unsatisfied", "satisfied", "unsatisfied"])
    }

    @Test("A change of the network restarts ICE, without a pause")
    func restart() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: NetworkMonitor.Event.self)
        let pair = try await CallPair(aliceNetwork: events)
        try await pair.alice.controller.startRecording()
        try await pair.alice.call(pair.bob)
        let before = try await pair.alice.controller.statistics().transport.iceLocalUsernameFragment
        continuation.yield(.changed)
        #expect(
            await eventually {
                let now = try? await pair.alice.controller.statistics().transport.iceLocalUsernameFragment
                return now != before
            })
        pair.bob.diary.ear.forget()
        #expect(await pair.bob.diary.ear.hears(440))
        #expect(!pair.bob.diary.words.contains("lost"))
        try await pair.hangUp()
    }
}
