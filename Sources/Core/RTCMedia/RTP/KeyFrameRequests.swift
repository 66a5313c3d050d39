internal import RTCWire

/// When to ask for a key frame: at once, again while none comes, and never in a flood.
struct KeyFrameRequests: Sendable {
    private var isWanted = false
    private var lastSent: Instant?

    static let minimumInterval = TimeDelta.milliseconds(200)

    mutating func want() { isWanted = true }

    /// A key frame has begun to arrive.
    mutating func satisfied() { isWanted = false }

    /// Two round trips, so that an answer that is under way is waited for.
    private func interval(_ roundTripTime: TimeDelta) -> TimeDelta {
        max(roundTripTime * 2, Self.minimumInterval)
    }

    func deadline(roundTripTime: TimeDelta) -> Instant {
        guard isWanted else { return .distantFuture }
        return lastSent.map { $0 + interval(roundTripTime) } ?? Instant(nanoseconds: .min)
    }

    mutating func sent(at now: Instant) { lastSent = now }
}
