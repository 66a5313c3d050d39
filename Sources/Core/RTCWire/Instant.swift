/// A point on the caller's monotonic clock, in nanoseconds since an epoch of the caller's choice.
///
/// The protocol cores never read a clock. Every input carries its `Instant`, and every deadline they report is one,
/// which is what lets a simulation run an hour of traffic in seconds.
@frozen
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the epoch.
    public var nanoseconds: Int64

    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The epoch itself, where virtual clocks start.
    @inlinable
    public static var zero: Instant { Instant(nanoseconds: 0) }

    /// Later than any deadline that a core sets.
    @inlinable
    package static var distantFuture: Instant { Instant(nanoseconds: .max) }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Saturates instead of overflowing, so that an absurd delay is a far deadline and never a trap.
    @inlinable
    public static func + (left: Instant, right: TimeDelta) -> Instant {
        let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
        return Instant(nanoseconds: overflow ? (right.nanoseconds > 0 ? .max : .min) : sum)
    }

    @inlinable
    public static func - (left: Instant, right: TimeDelta) -> Instant {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return Instant(nanoseconds: overflow ? (right.nanoseconds > 0 ? .min : .max) : difference)
    }

    /// The time from `right` to `left`.
    @inlinable
    public static func - (left: Instant, right: Instant) -> TimeDelta {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return TimeDelta(nanoseconds: overflow ? (left > right ? .max : .min) : difference)
    }

    @inlinable
    public static func += (left: inout Instant, right: TimeDelta) { left = left + right }
}

/// A signed length of time in nanoseconds.
///
/// `Swift.Duration` counts attoseconds in 128 bits, which a packet path would pay for at every timestamp; the public
/// API of `RTC` speaks `Duration` and converts at its edge.
@frozen
public struct TimeDelta: Comparable, Hashable, Sendable {
    public var nanoseconds: Int64

    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Converts a duration, rounded towards zero. Saturates at the limits of nanoseconds in 64 bits.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }

    @inlinable
    public static var zero: TimeDelta { TimeDelta(nanoseconds: 0) }
    @inlinable
    public static func nanoseconds(_ count: Int64) -> TimeDelta { TimeDelta(nanoseconds: count) }
    @inlinable
    public static func microseconds(_ count: Int64) -> TimeDelta { TimeDelta(saturating: count, times: 1_000) }
    @inlinable
    public static func milliseconds(_ count: Int64) -> TimeDelta { TimeDelta(saturating: count, times: 1_000_000) }
    @inlinable
    public static func seconds(_ count: Int64) -> TimeDelta { TimeDelta(saturating: count, times: 1_000_000_000) }

    /// Length in whole microseconds, rounded towards zero.
    @inlinable
    public var microseconds: Int64 { nanoseconds / 1_000 }
    /// Length in whole milliseconds, rounded towards zero.
    @inlinable
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }
    /// Length in seconds.
    @inlinable
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    @inlinable
    init(saturating count: Int64, times unit: Int64) {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        self.nanoseconds = overflow ? ((count > 0) == (unit > 0) ? .max : .min) : product
    }

    @inlinable
    public static func < (left: TimeDelta, right: TimeDelta) -> Bool { left.nanoseconds < right.nanoseconds }
    @inlinable
    public static func + (left: TimeDelta, right: TimeDelta) -> TimeDelta {
        let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
        return TimeDelta(nanoseconds: overflow ? (right.nanoseconds > 0 ? .max : .min) : sum)
    }
    @inlinable
    public static func - (left: TimeDelta, right: TimeDelta) -> TimeDelta {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return TimeDelta(nanoseconds: overflow ? (right.nanoseconds > 0 ? .min : .max) : difference)
    }
    @inlinable
    public static func * (left: TimeDelta, right: Int64) -> TimeDelta {
        TimeDelta(saturating: left.nanoseconds, times: right)
    }
    @inlinable
    public static func / (left: TimeDelta, right: Int64) -> TimeDelta {
        TimeDelta(nanoseconds: left.nanoseconds / right)
    }
}
