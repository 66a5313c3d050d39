/// A time in seconds since 1970, as in tokens (`NumericDate`, RFC 7519, section 2). A monotonic clock would not do,
/// because tokens outlive a process.
public struct UnixTime: Sendable, Hashable, Comparable {
    public let seconds: Int64

    /// Creates a time.
    ///
    /// - Parameter seconds: Clamped to some hundred thousand years around 1970, so that sums do not overflow.
    public init(seconds: Int64) {
        self.seconds = min(max(seconds, -Self.limit), Self.limit)
    }

    /// From a JSON number; a fraction is cut off.
    init?(_ number: Double) {
        guard number.isFinite else { return nil }
        let limit = Double(Self.limit)
        self.init(seconds: Int64(min(max(number, -limit), limit)))
    }

    private static let limit: Int64 = 1 << 43

    public static func < (one: UnixTime, other: UnixTime) -> Bool { one.seconds < other.seconds }

    package static func + (time: UnixTime, seconds: Int64) -> UnixTime {
        UnixTime(seconds: time.seconds &+ min(max(seconds, -limit), limit))
    }
}
