package import RTCMedia
package import RTCTransport
package import RTCWire

/// An event that a ``Peer`` reports to its owner.
///
/// Those of the connection and its negotiation, those of received media, and those of data channels are each polled in the
/// order in which they happened: all of the first kind, then of the second, then of the third. So `connectionState(.closed)`
/// may come before messages that arrived earlier.
package enum PeerEvent: Sendable {
    /// Local addresses are wanted: answer with ``Peer/addSocket(_:address:properties:at:)`` for each, then
    /// ``Peer/endOfSockets(at:)``. Comes once, when the first local description has been set.
    case needsSockets
    /// A name of an mDNS candidate: answer with ``Peer/resolved(name:to:at:)``.
    case needsResolution(name: String)
    /// Open a connection to a TURN server, or for UDP a separate socket: answer with
    /// ``Peer/connectionOpened(_:local:at:)`` or ``Peer/connectionClosed(_:at:)``.
    case needsServerConnection(SocketID, TURNConnectionRequest)
    /// A TCP connection to the other peer, from this local address; answered likewise.
    case needsConnection(SocketID, from: IPAddress, to: TransportAddress)
    /// A connection that was requested by either of these, or accepted, is not needed any more.
    case dropsConnection(SocketID)
    /// A TURN server refuses to relay, temporarily or permanently.
    case relayFailed(TURNServerID, address: TransportAddress, TURNFailure)

    /// Send this to the other peer. In manual negotiation only candidates are reported this way.
    case signal(Signal)
    /// A change requires an offer. Only in manual negotiation; reported once until the offer is made.
    case negotiationNeeded

    case connectionState(ConnectionState)
    case iceConnectionState(ICEConnectionState)
    case iceGatheringState(ICEGatheringState)
    case signalingState(SignalingState)
    /// Application data takes this path from now on.
    case selectedPath(TransportPath)

    /// The other peer opened a channel, with these parameters. It is open as of this event, though the other peer may have
    /// closed it again by now: then its messages follow, and the end of it.
    case incomingChannel(Peer.ChannelID, DataChannelParameters)
    case channelOpened(Peer.ChannelID)
    case channelClosing(Peer.ChannelID)
    case channelClosed(Peer.ChannelID)
    case message(Peer.ChannelID, DataChannelMessage)
    /// A transceiver was added for a new section of the other side's offer.
    case transceiverAdded(Transceiver)
    /// A transceiver was stopped by either side, or the offer that had brought it was withdrawn.
    case transceiverEnded(TransceiverID)
    /// The media parameters of a transceiver were negotiated, or have changed.
    case mediaParameters(MediaSectionParameters)
    /// The other side begins to send, according to its description (the W3C's `track` event).
    case remoteTrack(RemoteTrack)
    /// It ceases to.
    case remoteTrackRemoved(TransceiverID)
    /// The other side's source has ended (RTCP BYE).
    case remoteSourceEnded(TransceiverID)
    /// A received video frame, to be decoded now.
    case videoFrame(TransceiverID, AssembledVideoFrame)
    /// The other side requests a key frame from this transceiver.
    case keyFrameRequested(TransceiverID)
    /// The target bitrate of this transceiver's video from now on.
    case targetBitrate(TransceiverID, Bitrate)
    case bufferedAmountLow(Peer.ChannelID)
}

/// The state of a connection as a whole: ICE and DTLS seen together (W3C WebRTC, section 4.3.3).
public enum ConnectionState: String, Sendable, Hashable {
    case new, connecting, connected, disconnected, failed, closed
}

/// A message from one peer to the other over the application's signalling.
public enum Signal: Sendable, Hashable {
    case description(SessionDescription)
    case candidate(ICECandidateInit)
}

/// Why a connection failed.
package enum ConnectionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is not one socket to send from; why, in a sentence.
    case noSocket(String)
    /// No path to the other peer was found, or the last one died.
    case noPath
    /// The DTLS handshake failed.
    case dtls(DTLSFailure)
    /// A bug of this package; what failed, in a sentence. The connection has ended for good, whatever its path does.
    case `internal`(String)

    package var description: String {
        switch self {
        case .noSocket(let reason): reason
        case .internal(let reason): "this is a bug of Duet, please report it: \(reason)"
        case .noPath:
            "no network path to the other peer works: check that both sides exchange candidates, or configure a TURN server"
        case .dtls(.certificateRejected):
            "the other peer's certificate does not match the fingerprint in its description: the signalling was altered, or the packets come from somebody else"
        case .dtls(.alert(let code)): "the other peer ended the DTLS handshake with alert \(code)"
        case .dtls(.handshake(let reason)): "the DTLS handshake failed: \(reason)"
        case .dtls(.timedOut): "the other peer did not answer the DTLS handshake"
        }
    }
}
