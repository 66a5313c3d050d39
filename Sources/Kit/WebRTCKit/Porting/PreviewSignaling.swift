internal import Foundation
internal import Synchronization

/// A signalling connection without a server: nothing that is sent arrives.
final class PreviewSignaling: SignalingServerConnection {
    private let state = Mutex(false)

    var isOpen: Bool { state.withLock { $0 } }
    func setDelegate(_ delegate: (any SignalingServerDelegate)?) {}

    func connect() async throws -> PeerID {
        state.withLock { $0 = true }
        return "0000"
    }

    func disconnect() { state.withLock { $0 = false } }
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {}
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {}
    func sendEndCall(to destinationID: PeerID) async throws {}
    func onConnectionSatisfied() {}
    func onConnectionUnsatisfied() {}
}
