public import Foundation

/// An app's connection to its signalling server, which carries the messages that two peers exchange before they are
/// connected.
///
/// Messages are addressed to one peer by its ID, and the server has to deliver those from one peer to another in order. It need
/// not read them, unless it sends pushes or a person has several devices: see ``SignalSummary``. What else it knows goes to
/// ``SignalingServerDetailsDelegate``. ``DuetSignaling`` is an implementation for the Duet server.
///
/// A conforming type may hold its delegate weakly or strongly; the controller releases the connection when it is
/// released itself. Close the socket then: a device that is connected and answers nothing cannot be told from one that rings.
public protocol SignalingServerConnection: Sendable {
    /// Whether messages can be sent.
    var isOpen: Bool { get }

    /// Sets the delegate that receives events from now on; `nil` for none.
    func setDelegate(_ delegate: (any SignalingServerDelegate)?)

    /// Connects to the server and signs in. ``isOpen`` is true afterwards, unless the connection is interrupted and is being
    /// restored: then ``SignalingServerDelegate/socketDidOpen()`` is called later.
    ///
    /// The task is cancelled when nobody waits for ``WebRTCController/setupConnection()`` any more, and before ``disconnect()``.
    ///
    /// - Returns: The ID with which other peers can call this one.
    func connect() async throws -> PeerID

    /// Signs out and closes the connection.
    func disconnect()

    /// Sends a signal.
    ///
    /// - Parameters:
    ///   - signal: The data to deliver, unchanged, to ``SignalingServerDelegate/didReceiveSignal(_:from:isPolite:)``.
    ///   - destinationID: The ID of the receiving peer.
    /// - Throws: An error if the data could not be passed to the server.
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws

    /// Sends an ICE candidate.
    ///
    /// - Parameters:
    ///   - candidate: The data to deliver, unchanged, to ``SignalingServerDelegate/didReceiveICECandidate(_:from:)``.
    ///   - destinationID: The ID of the receiving peer.
    /// - Throws: An error if the data could not be passed to the server.
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws

    /// Tells a peer that the call has ended. It is delivered to ``SignalingServerDelegate/didReceiveEndCall(from:)``.
    ///
    /// - Parameter destinationID: The ID of the receiving peer.
    func sendEndCall(to destinationID: PeerID) async throws

    /// Called when the machine has a network connection again. A lost connection to the server can be restored.
    func onConnectionSatisfied()

    /// Called when the machine has no network connection any more.
    func onConnectionUnsatisfied()

    // MARK: Optional methods

    /// The STUN and TURN servers that the signalling server offers to signed-in users, in addition to those of the
    /// ``Config``. Read when a call begins and before each ICE restart: renew credentials that expire.
    var iceServers: [RTCIceServer] { get }
}

extension SignalingServerConnection {
    public var iceServers: [RTCIceServer] { [] }
}

/// The delegate that receives the events of a ``SignalingServerConnection``: the controller.
///
/// Each `async` method returns when the event was handled. Await it before you deliver the next event, so that messages
/// stay in order.
public protocol SignalingServerDelegate: AnyObject, Sendable {
    /// Called when another peer has sent a signal.
    ///
    /// - Parameters:
    ///   - signalData: The data that the peer passed to ``SignalingServerConnection/sendSignal(_:to:)``.
    ///   - remotePeerID: The ID of the sending peer.
    ///   - isPolite: Whether this device is the polite peer of the W3C's “perfect negotiation”. It must be true for
    ///     exactly one of the two peers: compare their IDs, for example.
    func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async

    /// Called when another peer has sent an ICE candidate.
    func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async

    /// Called when the peer has ended the call, or when the server does so for a peer that is gone.
    func didReceiveEndCall(from remotePeerID: PeerID) async

    /// Called when the server asks this device to call a peer.
    func shouldConnect(to remotePeerID: PeerID) async

    /// Called when the connection to the server is open.
    func socketDidOpen()

    /// Called when the connection to the server is lost. A connected call continues.
    func socketDidClose()
}
