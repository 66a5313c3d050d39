/// Receives a track of the peer (W3C RTCRtpReceiver). Part of an ``RTPTransceiver``.
public final class RTPReceiver: Sendable {
    /// The received ``AudioTrack`` or ``VideoTrack``, the same for the lifetime of the transceiver. It is muted while
    /// the peer sends nothing.
    public let track: any MediaTrack

    init(track: any MediaTrack) {
        self.track = track
    }
}
