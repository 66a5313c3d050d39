public import Foundation

/// An app's connection to its signalling server, which carries what two peers say to each other before they are connected.
///
/// The server needs no knowledge of calls: what it carries is opaque, and goes to one peer, by its ID. It has to deliver what
/// one peer sends to another in order. ``DuetSignaling`` is an implementation over our own server.
///
/// Who implements it keeps the delegate weakly or strongly, as it likes; the controller lets go of the connection when it is
/// let go of itself.
public protocol SignalingServerConnection: Sendable {
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

    /// Sends a signal.
    ///
    /// - Parameters:
    ///   - signal: To be delivered as it is: to ``SignalingServerDelegate/didReceiveSignal(_:from:isPolite:)``.
    ///   - destinationID: The other peer.
    /// - Throws: When it could not be handed to the server.
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws

    /// Sends an ICE candidate.
    ///
    /// - Parameters:
    ///   - candidate: To be delivered as it is: to ``SignalingServerDelegate/didReceiveICECandidate(_:from:)``.
    ///   - destinationID: The other peer.
    /// - Throws: When it could not be handed to the server.
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws

    /// Says that we end the call, to be delivered to ``SignalingServerDelegate/didReceiveEndCall(from:)``.
    ///
    /// - Parameter destinationID: The other peer.
    /// - Throws: When it could not be handed to the server.
    func sendEndCall(to destinationID: PeerID) async throws

    /// The machine has a network again: a connection that was lost can be made anew.
    func onConnectionSatisfied()

    /// The machine has no network any more.
    func onConnectionUnsatisfied()

    // MARK: What an app may leave out

    /// STUN and TURN servers that the signalling server offers to those who sign in, besides those of the ``Config``. Asked
    /// for at the beginning of each call, and before each search for another path: renew credentials that run out.
    var iceServers: [RTCIceServer] { get }
}

extension SignalingServerConnection {
    public var iceServers: [RTCIceServer] { [] }
}

/// Whom a ``SignalingServerConnection`` tells what happens: the controller.
///
/// Each `async` requirement returns when the message was dealt with. Await one before you deliver the next, and messages keep
/// their order.
public protocol SignalingServerDelegate: AnyObject, Sendable {
    /// Another peer sent a signal.
    ///
    /// - Parameters:
    ///   - signalData: What it gave to its ``SignalingServerConnection/sendSignal(_:to:)``.
    ///   - remotePeerID: Who it is.
    ///   - isPolite: Whether we are the side that gives way when both change something at once ("perfect negotiation"). It
    ///     has to be true for one of two peers and false for the other, for instance by comparing their IDs.
    func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async

    /// Another peer sent an ICE candidate.
    func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async

    /// Another peer ends the call, or the server says so in its place because it is gone.
    func didReceiveEndCall(from remotePeerID: PeerID) async

    /// The server asks us to call a peer.
    func shouldConnect(to remotePeerID: PeerID) async

    /// The connection to the server is open: messages can be sent.
    func socketDidOpen()

    /// The connection to the server is gone. A call that runs goes on without it.
    func socketDidClose()
}
