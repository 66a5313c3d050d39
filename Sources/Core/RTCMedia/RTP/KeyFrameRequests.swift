internal import RTCWire

/// Schedules key frame requests: the first at once, repeated until a key frame comes, with a minimum interval.
struct KeyFrameRequests: Sendable {
    private var isWanted = false
    private var lastSent: Instant?

    static let minimumInterval = TimeDelta.milliseconds(200)

    mutating func request() { isWanted = true }

    /// Notes that a key frame has begun to arrive.
    mutating func clear() { isWanted = false }

    /// Two round trips, to wait for a response in flight.
    private func interval(_ roundTripTime: TimeDelta) -> TimeDelta {
        max(roundTripTime * 2, Self.minimumInterval)
    }

    func deadline(roundTripTime: TimeDelta) -> Instant {
        guard isWanted else { return .distantFuture }
        return lastSent.map { $0 + interval(roundTripTime) } ?? Instant(nanoseconds: .min)
    }

    mutating func sent(at now: Instant) { lastSent = now }
}
