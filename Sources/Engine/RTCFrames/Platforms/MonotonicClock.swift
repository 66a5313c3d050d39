package import RTCWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Returns the time of the clock that frames, devices and connections share, independent of changes of the time of day.
///
/// Lip sync, capture times and pacing rely on one clock. It is the one of the event loops' timers, too: a test compares them.
package func monotonicNow() -> Instant {
    var time = timespec()
    #if canImport(Darwin)
        clock_gettime(CLOCK_UPTIME_RAW, &time)
    #else
        clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
}
