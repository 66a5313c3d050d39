internal import RTCCrypto
internal import RTCFrames
internal import RTCMedia
public import RTCWire

/// The clock of media timestamps.
///
/// It is monotonic, stops while the machine sleeps, and is shared by all connections of a process. Timestamp the frames
/// that you deliver to a track with the ``now`` of their capture, so that audio and video stay synchronised; the
/// timestamp of a frame that a track delivers is the time at which to present it.
public enum MediaClock {
    /// The current time.
    public static var now: Instant { monotonicNow() }

    /// The mapping to wall-clock time, for RTCP.
    static var timeOfDay: NTPClock { NTPClock(unixNanoseconds: SystemTime.nanoseconds, at: now) }
}
