internal import NIOCore
internal import NIOPosix
internal import RTCMedia
public import RTCWire

/// The clock of the engine, by which frames are stamped.
///
/// It is monotonic and stands still while the machine sleeps. All connections of a process share it. What an application
/// delivers to a track says with ``now`` when it was captured, so that sound and picture stay together at the other end;
/// what a track gives out says when it is to be seen or heard.
public enum MediaClock {
    /// The present time.
    public static var now: Instant {
        Instant(nanoseconds: Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
    }

    /// Its relation to the time of day, for RTCP.
    static var timeOfDay: NTPClock {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        return NTPClock(unixNanoseconds: Int64(wall.tv_sec) * 1_000_000_000 + Int64(wall.tv_nsec), at: now)
    }
}
