internal import Foundation
internal import Synchronization

/// Passes a controller's requests, from any thread, to a connection isolated to ``WebRTCActor``, in order.
final class ActorSignaling: SignalingServerConnection {
    private let connection: any IsolatedSignalingServerConnection
    private let openState = OpenState()
    /// Retained here, since a connection may have a weak delegate.
    private let forwardingDelegate = Mutex<OpenStateDelegate?>(nil)

    init(_ connection: any IsolatedSignalingServerConnection) {
        self.connection = connection
    }

    /// The last reported state, since the connection cannot be queried synchronously.
    var isOpen: Bool { openState.isOpen }

    func setDelegate(_ delegate: (any SignalingServerDelegate)?) {
        let forwardingDelegate = delegate.map { OpenStateDelegate($0, openState) }
        self.forwardingDelegate.withLock { $0 = forwardingDelegate }
        tell { $0.setDelegate(forwardingDelegate) }
    }

    func connect() async throws -> PeerID {
        let id = try await connection.connect()
        await look()
        return id
    }

    func disconnect() {
        openState.isOpen = false
        tell { $0.disconnect() }
    }

    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        try await connection.sendSignal(signal, to: destinationID)
    }

    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {
        try await connection.sendICECandidate(candidate, to: destinationID)
    }

    func sendEndCall(to destinationID: PeerID) async throws {
        try await connection.sendEndCall(to: destinationID)
    }

    func onConnectionSatisfied() { tell { $0.onConnectionSatisfied() } }
    func onConnectionUnsatisfied() { tell { $0.onConnectionUnsatisfied() } }

    /// Tasks of the actor start in the order of their creation.
    private func tell(_ what: @escaping @WebRTCActor @Sendable (any IsolatedSignalingServerConnection) -> Void) {
        Task { @WebRTCActor [connection] in what(connection) }
    }

    @WebRTCActor
    private func look() { openState.isOpen = connection.isOpen }
}

/// The last reported state of a connection.
private final class OpenState: Sendable {
    private let state = Mutex(false)

    var isOpen: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Forwards to the controller's delegate, and stores whether the connection is open.
private final class OpenStateDelegate: SignalingServerDetailsDelegate {
    private let delegate: any SignalingServerDelegate
    private let openState: OpenState

    init(_ delegate: any SignalingServerDelegate, _ openState: OpenState) {
        self.delegate = delegate
        self.openState = openState
    }

    func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async {
        await delegate.didReceiveSignal(signalData, from: remotePeerID, isPolite: isPolite)
    }

    func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async {
        await delegate.didReceiveICECandidate(candidateData, from: remotePeerID)
    }

    func didReceiveEndCall(from remotePeerID: PeerID) async { await delegate.didReceiveEndCall(from: remotePeerID) }
    func shouldConnect(to remotePeerID: PeerID) async { await delegate.shouldConnect(to: remotePeerID) }

    func socketDidOpen() {
        openState.isOpen = true
        delegate.socketDidOpen()
    }

    func socketDidClose() {
        openState.isOpen = false
        delegate.socketDidClose()
    }

    // MARK: Details

    private var detailed: (any SignalingServerDetailsDelegate)? { delegate as? any SignalingServerDetailsDelegate }

    func didReceiveSignal(
        _ signalData: Data, from remotePeerID: PeerID, isPolite: Bool, details: SignalDetails
    ) async {
        guard let detailed else {
            return await delegate.didReceiveSignal(signalData, from: remotePeerID, isPolite: isPolite)
        }
        await detailed.didReceiveSignal(signalData, from: remotePeerID, isPolite: isPolite, details: details)
    }

    func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence, hasNewSession: Bool) async {
        await detailed?.presenceDidChange(of: call, to: presence, hasNewSession: hasNewSession)
    }

    func messageWasDropped(of call: CallIdentifier) async { await detailed?.messageWasDropped(of: call) }
    func waitingSignalsWereDelivered() { detailed?.waitingSignalsWereDelivered() }
    func serverDidChange(to server: SignalingServerState) { detailed?.serverDidChange(to: server) }

    func serverWasLost(reason: String, endingWith outcome: Call.Outcome) {
        openState.isOpen = false
        detailed?.serverWasLost(reason: reason, endingWith: outcome)
    }
}
