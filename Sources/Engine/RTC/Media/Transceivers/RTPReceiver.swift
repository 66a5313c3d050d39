/// Receives the other peer's track (W3C RTCRtpReceiver). One half of an ``RTPTransceiver``.
public final class RTPReceiver: Sendable {
    /// What is received: an ``AudioTrack`` or a ``VideoTrack``, the same one for as long as the transceiver is there. It is
    /// muted while the other peer sends nothing.
    public let track: any MediaTrack

    init(track: any MediaTrack) {
        self.track = track
    }
}
