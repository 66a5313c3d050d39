public import Foundation

/// A ``SignalingServerConnection`` that is isolated to the ``WebRTCActor``, as in the original kit, so that a class
/// needs no lock. An app that comes from the original kit changes the name of the protocol, and nothing else.
///
/// ```swift
/// final class ChatSignaling: IsolatedSignalingServerConnection {
///     private(set) var isOpen = false
///     private weak var delegate: SignalingServerDelegate?
///
///     func setDelegate(_ delegate: SignalingServerDelegate?) { self.delegate = delegate }
///     …
/// }
/// let controller = await WebRTCKit.initialize(signalingServer: ChatSignaling(), config: config)
/// ```
@WebRTCActor
public protocol IsolatedSignalingServerConnection: Sendable {
    /// Whether messages can be sent.
    var isOpen: Bool { get }

    /// Sets the delegate that receives events from now on; `nil` for none.
    func setDelegate(_ delegate: (any SignalingServerDelegate)?)

    /// Connects to the server and signs in.
    ///
    /// - Returns: The ID with which other peers can call this one.
    func connect() async throws -> PeerID

    /// Signs out and closes the connection.
    func disconnect()

    /// Sends a signal, unchanged: see ``SignalingServerConnection/sendSignal(_:to:)``.
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws

    /// Sends an ICE candidate, unchanged: see ``SignalingServerConnection/sendICECandidate(_:to:)``.
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws

    /// Tells a peer that the call has ended: see ``SignalingServerConnection/sendEndCall(to:)``.
    func sendEndCall(to destinationID: PeerID) async throws

    /// Called when the machine has a network connection again. A lost connection to the server can be restored.
    func onConnectionSatisfied()

    /// Called when the machine has no network connection any more.
    func onConnectionUnsatisfied()
}

extension WebRTCKit {
    /// Creates a controller over a connection that is isolated to the ``WebRTCActor``; otherwise like
    /// `initialize(signalingServer:config:audioDevice:options:)`.
    @discardableResult
    public nonisolated(nonsending) static func initialize(
        signalingServer: any IsolatedSignalingServerConnection, config: Config,
        audioDevice: (any RTCAudioDevice)? = nil, options: Options = Options()
    ) async -> WebRTCController {
        await initialize(
            signalingServer: ActorSignaling(signalingServer), config: config, audioDevice: audioDevice, options: options
        )
    }
}
