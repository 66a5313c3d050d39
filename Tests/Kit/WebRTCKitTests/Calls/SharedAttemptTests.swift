import Foundation
import RTC
import Synchronization
import Testing

@testable import WebRTCKit

/// A connection that connects, and sends, when a test says so.
private final class GatedConnection: SignalingServerConnection {
    private struct State {
        var attempts = 0
        var disconnections = 0
        var isLetIn = false
        var isConnected = false
        var isStuck = false
        weak var delegate: (any SignalingServerDelegate)?
    }

    private let state = Mutex(State())
    private let heedsCancellation: Bool

    init(heedsCancellation: Bool) {
        self.heedsCancellation = heedsCancellation
    }

    var attempts: Int { state.withLock { $0.attempts } }
    var disconnections: Int { state.withLock { $0.disconnections } }
    func letIn() { state.withLock { $0.isLetIn = true } }
    func setStuck(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }
    var delegate: (any SignalingServerDelegate)? { state.withLock { $0.delegate } }

    var isOpen: Bool { state.withLock { $0.isConnected } }
    func setDelegate(_ delegate: (any SignalingServerDelegate)?) { state.withLock { $0.delegate = delegate } }

    func connect() async throws -> PeerID {
        state.withLock { $0.attempts += 1 }
        while !state.withLock({ $0.isLetIn }) {
            if heedsCancellation { try await Task.sleep(for: .milliseconds(1)) }
            await Task.detached { try? await Task.sleep(for: .milliseconds(1)) }.value
        }
        state.withLock { $0.isConnected = true }
        return "alice"
    }

    func disconnect() {
        state.withLock { state in
            state.disconnections += 1
            state.isConnected = false
        }
    }

    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        while state.withLock({ $0.isStuck }) { try await Task.sleep(for: .milliseconds(1)) }
    }

    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {}
    func sendEndCall(to destinationID: PeerID) async throws {}
    func onConnectionSatisfied() {}
    func onConnectionUnsatisfied() {}
}

/// What becomes of a task, without waiting for it.
private final class Outcome: Sendable {
    private let ended = Mutex<Result<PeerID, any Error>?>(nil)

    init(_ task: Task<PeerID, any Error>) {
        Task {
            let result = await task.result
            ended.withLock { $0 = result }
        }
    }

    var isKnown: Bool { ended.withLock { $0 != nil } }
    var isCancellation: Bool {
        ended.withLock { result in
            if case .failure(let error)? = result { error is CancellationError } else { false }
        }
    }
}

@Suite("Attempts to connect that several wait for", .timeLimit(.minutes(1)))
struct SharedAttemptTests {
    private func controller(_ connection: GatedConnection) -> WebRTCController {
        WebRTCKit.makeController(
            signalingServer: connection, config: .test, audioDevice: nil, options: WebRTCKit.Options(), devices: .none,
            networkEvents: { AsyncStream { $0.finish() } })
    }

    @Test("Who is cancelled gives up at once; the attempt goes on for the other")
    func oneOfTwo() async throws {
        let connection = GatedConnection(heedsCancellation: true)
        let controller = controller(connection)
        let tasks = (0..<2).map { _ in Task { try await controller.setupConnection() } }
        let outcomes = tasks.map(Outcome.init)
        #expect(await eventually { connection.attempts == 1 })
        // Both wait by then.
        try await Task.sleep(for: .milliseconds(100))
        tasks[0].cancel()
        #expect(await eventually(within: 5) { outcomes[0].isCancellation })
        #expect(!outcomes[1].isKnown)
        connection.letIn()
        #expect(try await tasks[1].value == "alice")
        #expect(connection.attempts == 1 && connection.isOpen)
    }

    @Test(
        "With the last who waits, the attempt ends, also if the connection goes on with it", arguments: [true, false])
    func last(heedsCancellation: Bool) async throws {
        let connection = GatedConnection(heedsCancellation: heedsCancellation)
        let controller = controller(connection)
        let task = Task { try await controller.setupConnection() }
        let outcome = Outcome(task)
        #expect(await eventually { connection.attempts == 1 })
        task.cancel()
        #expect(await eventually(within: 5) { outcome.isCancellation })
        connection.letIn()
        if !heedsCancellation { #expect(await eventually(within: 5) { connection.disconnections == 1 }) }
        #expect(!connection.isOpen)
        #expect(await controller.localPeerID == nil)
        #expect(try await controller.setupConnection() == "alice")
        #expect(connection.attempts == 2 && connection.isOpen)
    }

    @Test("Who connects while a disconnection is under way has a connection of its own afterwards")
    func whileDisconnecting() async throws {
        let server = InMemoryServer()
        let alice = try await Caller("alice", server)
        let bob = try await Caller("bob", server)
        try await alice.controller.sendCallRequest(to: "bob")
        #expect(await bob.diary.wait(for: "incoming alice"))
        // Her last word is on its way for a while.
        alice.signaling.hold(true)
        let leaving = Task { try await alice.controller.disconnect() }
        #expect(await eventually { await alice.controller.state == .idle })
        let again = Task { try await alice.controller.setupConnection() }
        try await Task.sleep(for: .milliseconds(50))
        alice.signaling.hold(false)
        try await leaving.value
        #expect(try await again.value == "alice")
        #expect(alice.signaling.isOpen && alice.controller.serverState == .connected)
        #expect(await alice.controller.localPeerID == "alice")
        #expect(await eventually { await bob.controller.state == .idle })
        try await bob.controller.sendCallRequest(to: "alice")
        #expect(await alice.diary.wait(for: "incoming bob"))
    }

    @Test("Of two that connect to call, the one that fails lets nothing in before the other's invitation")
    func twoCalls() async throws {
        let connection = GatedConnection(heedsCancellation: true)
        let controller = controller(connection)
        let tasks = ["bob", "carol"].map { peer in Task { try await controller.setupConnection(calling: peer) } }
        #expect(await eventually { connection.attempts == 1 })
        try await Task.sleep(for: .milliseconds(100))
        connection.setStuck(true)
        connection.letIn()
        var count = 0
        for task in tasks { if case .success = await task.result { count += 1 } }
        #expect(count == 1)
        let isDelivered = Mutex(false)
        let delivery = Task {
            await connection.delegate?.didReceiveSignal(Data(), from: "dave", isPolite: true)
            isDelivered.withLock { $0 = true }
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(!isDelivered.withLock { $0 })
        connection.setStuck(false)
        #expect(await eventually { isDelivered.withLock { $0 } })
        await delivery.value
    }
}
