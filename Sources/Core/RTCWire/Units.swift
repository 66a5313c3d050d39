/// A rate of data, in bits per second.
@frozen
public struct Bitrate: Comparable, Hashable, Sendable {
    public var bitsPerSecond: Int64

    @inlinable
    public init(bitsPerSecond: Int64) {
        self.bitsPerSecond = bitsPerSecond
    }

    @inlinable
    public static func kilobits(_ count: Int64) -> Bitrate { Bitrate(saturating: count, times: 1_000) }
    @inlinable
    public static func megabits(_ count: Int64) -> Bitrate { Bitrate(saturating: count, times: 1_000_000) }

    @inlinable
    init(saturating count: Int64, times unit: Int64) {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        self.bitsPerSecond = overflow ? (count > 0 ? .max : .min) : product
    }

    @inlinable
    public static func < (left: Bitrate, right: Bitrate) -> Bool { left.bitsPerSecond < right.bitsPerSecond }

    /// How long this rate takes to carry `bytes` bytes. A rate of zero or less never does.
    @inlinable
    public func time(toSend bytes: Int) -> TimeDelta {
        guard bitsPerSecond > 0 else { return TimeDelta(nanoseconds: .max) }
        let (bits, overflow) = Int64(bytes).multipliedReportingOverflow(by: 8_000_000_000)
        return TimeDelta(nanoseconds: overflow ? .max : bits / bitsPerSecond)
    }
}
