internal import RTCWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Instant {
    /// The current time of the engine's clock, which timestamps frames: it runs evenly, even if the time of day is
    /// changed.
    static var now: Instant {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_UPTIME_RAW, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
