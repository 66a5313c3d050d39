#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// The system's time of day, by which tokens and certificates end. It can be set, so nothing is timed with it.
package enum SystemTime {
    /// In nanoseconds since 1970.
    package static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// In seconds since 1970.
    package static var seconds: Int64 { nanoseconds / 1_000_000_000 }
}
