import Foundation
import RTC
import Synchronization
import Testing

@testable import WebRTCKit

/// A connection whose first attempt to connect ends when a test says so, however long ago it was told to disconnect.
private final class SlowConnection: SignalingServerConnection {
    private let state = Mutex((attempts: 0, disconnections: 0, isFirstOver: false))

    var attempts: Int { state.withLock { $0.attempts } }
    var disconnections: Int { state.withLock { $0.disconnections } }
    func endFirst() { state.withLock { $0.isFirstOver = true } }

    var isOpen: Bool { false }
    func setDelegate(_ delegate: (any SignalingServerDelegate)?) {}

    func connect() async throws -> PeerID {
        let attempt = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        guard attempt == 1 else { return "alice" }
        while !state.withLock({ $0.isFirstOver }) { try await Task.sleep(for: .milliseconds(1)) }
        throw CancellationError()
    }

    func disconnect() { state.withLock { $0.disconnections += 1 } }
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {}
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {}
    func sendEndCall(to destinationID: PeerID) async throws {}
    func onConnectionSatisfied() {}
    func onConnectionUnsatisfied() {}
}

/// A connection that is interrupted and restored when a test says so, and stays signed in meanwhile.
private final class InterruptedConnection: SignalingServerConnection {
    private struct State {
        weak var delegate: (any SignalingServerDelegate)?
        var isOpen = true
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }
    func setDelegate(_ delegate: (any SignalingServerDelegate)?) { state.withLock { $0.delegate = delegate } }

    func setOpen(_ isOpen: Bool) {
        let delegate = state.withLock { state in
            state.isOpen = isOpen
            return state.delegate
        }
        if isOpen { delegate?.socketDidOpen() } else { delegate?.socketDidClose() }
    }

    func connect() async throws -> PeerID { "alice" }
    func disconnect() {}
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {}
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {}
    func sendEndCall(to destinationID: PeerID) async throws {}
    func onConnectionSatisfied() {}
    func onConnectionUnsatisfied() {}
}

@Suite("Connecting to the server again", .timeLimit(.minutes(1)))
struct ReconnectionTests {
    private let connection = SlowConnection()
    private let controller: WebRTCController

    init() {
        controller = WebRTCKit.makeController(
            signalingServer: connection, config: .test, audioDevice: nil, options: WebRTCKit.Options(), devices: .none,
            networkEvents: { AsyncStream { $0.finish() } })
    }

    @Test("After a disconnection there is an attempt of its own, whatever becomes of the one that was ended")
    func afterDisconnecting() async throws {
        let first = Task { [controller] in try await controller.setupConnection() }
        #expect(await eventually { connection.attempts == 1 })
        try await controller.disconnect()
        #expect(connection.disconnections == 1)
        #expect(try await controller.setupConnection() == "alice")
        connection.endFirst()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(connection.attempts == 2)
        #expect(await controller.localPeerID == "alice")
    }

    @Test("Connecting while the connection is interrupted does not claim that there is one")
    func interrupted() async throws {
        let connection = InterruptedConnection()
        let controller = WebRTCKit.makeController(
            signalingServer: connection, config: .test, audioDevice: nil, options: WebRTCKit.Options(), devices: .none,
            networkEvents: { AsyncStream { $0.finish() } })
        try await controller.setupConnection()
        #expect(controller.serverState == .connected)
        connection.setOpen(false)
        #expect(await eventually { controller.serverState == .disconnected(reason: nil) })
        #expect(try await controller.setupConnection() == "alice")
        #expect(controller.serverState == .disconnected(reason: nil))
        connection.setOpen(true)
        #expect(await eventually { controller.serverState == .connected })
    }
}
