public import Foundation

/// A ``SignalingServerConnection`` whose state belongs to the ``WebRTCActor``, as every one of the original kit did: a class without a
/// lock of its own. An app that comes from there changes the name of the protocol, and nothing else.
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
    /// Whether messages can be sent now.
    var isOpen: Bool { get }

    /// Whom to tell from now on what happens; `nil` for nobody.
    func setDelegate(_ delegate: (any SignalingServerDelegate)?)

    /// Connects to the server, and signs in.
    ///
    /// - Returns: Our own ID, by which others reach us.
    func connect() async throws -> PeerID

    /// Signs off, and closes the connection.
    func disconnect()

    /// Sends a signal, to be delivered as it is: ``SignalingServerConnection/sendSignal(_:to:)``.
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws

    /// Sends an ICE candidate, to be delivered as it is: ``SignalingServerConnection/sendICECandidate(_:to:)``.
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws

    /// Says that we end the call: ``SignalingServerConnection/sendEndCall(to:)``.
    func sendEndCall(to destinationID: PeerID) async throws

    /// The machine has a network again: a connection that was lost can be made anew.
    func onConnectionSatisfied()

    /// The machine has no network any more.
    func onConnectionUnsatisfied()
}

extension WebRTCKit {
    /// Makes a controller over a connection of the ``WebRTCActor``: otherwise as
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
