import RTCWire

/// How often the peer's doubts are shared: each costs us checks and copies of packets, and to begin one costs the peer two checks.
struct DoubtAllowance {
    /// The time in which one more is allowed.
    private static let interval = TimeDelta.seconds(5)
    /// How many are allowed in quick succession.
    private static let burst: Int64 = 6

    /// When those that were shared are used up.
    private var usedUntil = Instant(nanoseconds: .min)

    /// - Returns: Whether a doubt may begin.
    mutating func take(at now: Instant) -> Bool {
        guard usedUntil <= now + Self.interval * (Self.burst - 1) else { return false }
        usedUntil = max(usedUntil, now) + Self.interval
        return true
    }
}
