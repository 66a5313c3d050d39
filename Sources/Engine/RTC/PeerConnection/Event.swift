public import RTCPeer
public import RTCTransport

extension PeerConnection {
    /// What happens to a connection. Cases may be added: give a `switch` a `default`.
    public enum Event: Sendable {
        case connectionStateChange(ConnectionState)
        case iceConnectionStateChange(ICEConnectionState)
        case iceGatheringStateChange(ICEGatheringState)
        case signalingStateChange(SignalingState)
        /// An offer is needed. Only with manual negotiation.
        case negotiationNeeded
        /// The other peer opened a data channel.
        case dataChannel(DataChannel)
        /// The other peer sends a track, or its streams are others: see the transceiver's ``RTPTransceiver/receiver``.
        case track(RTPTransceiver, streams: [String])
        /// The other peer ceases to send the track. It is muted, and may come again with another `track`.
        case trackRemoved(RTPTransceiver)
    }
}
