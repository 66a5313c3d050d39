import RTCWire

/// Limits how often the peer's doubts are shared: each costs us checks and copies of packets, but costs the peer only
/// two checks.
struct DoubtAllowance {
    /// The time after which one more is allowed.
    private static let interval = TimeDelta.seconds(5)
    /// The number allowed in quick succession.
    private static let burst: Int64 = 6

    /// The time from which the full number is allowed again.
    private var usedUntil = Instant(nanoseconds: .min)

    /// Counts a doubt, if it is allowed.
    ///
    /// - Returns: Whether it may begin.
    mutating func take(at now: Instant) -> Bool {
        guard usedUntil <= now + Self.interval * (Self.burst - 1) else { return false }
        usedUntil = max(usedUntil, now) + Self.interval
        return true
    }
}
