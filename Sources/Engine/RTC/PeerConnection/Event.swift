public import RTCPeer
public import RTCTransport

extension PeerConnection {
    /// An event of a connection. Cases may be added: give a `switch` a `default`.
    public enum Event: Sendable {
        case connectionStateChange(ConnectionState)
        case iceConnectionStateChange(ICEConnectionState)
        case iceGatheringStateChange(ICEGatheringState)
        case signalingStateChange(SignalingState)
        /// An offer is needed. Delivered with manual negotiation only.
        case negotiationNeeded
        /// The peer opened a data channel.
        case dataChannel(DataChannel)
        /// The peer sends a track, or moved it to other streams. The track is that of the transceiver's
        /// ``RTPTransceiver/receiver``.
        case track(RTPTransceiver, streams: [String])
        /// The peer stopped sending the track, which is muted now. It may be sent again, with another `track` event.
        case trackRemoved(RTPTransceiver)
    }
}
