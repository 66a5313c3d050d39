internal import RTCWire

/// Converts an app's timestamps, on any clock, to the engine's clock: evenly spaced, increasing, and never later than a frame's
/// arrival.
struct CaptureClock {
    /// The offset to add to an app's timestamps; `nil` until it is known.
    private var offset: Offset?
    private var lastCaptured = Instant(nanoseconds: .min)
    private var lastResult = Instant(nanoseconds: .min)

    private enum Offset {
        case sameClock
        case other(TimeDelta)

        var delta: TimeDelta {
            switch self {
            case .sameClock: .zero
            case .other(let delta): delta
            }
        }
    }

    /// A frame that is older than this has a timestamp of another clock.
    private static let longestDelay = TimeDelta.seconds(1)
    /// Another clock may be slower than the engine's by one part in this many.
    private static let driftDivisor: Int64 = 1_000
    private static let rounding = TimeDelta.milliseconds(1)
    private static let least = TimeDelta.microseconds(1)

    /// - Parameters:
    ///   - captured: The app's capture timestamp of a frame.
    ///   - now: The arrival of the frame.
    mutating func time(captured: Instant, at now: Instant) -> Instant {
        if captured <= lastCaptured { offset = nil }
        follow(drift: captured - lastCaptured)
        lastCaptured = captured
        var result = captured + (offset?.delta ?? .zero)
        if offset == nil || result < now - Self.longestDelay {
            // The two clocks are not read at the same nanosecond.
            let isSameClock = captured < now + Self.rounding && captured >= now - Self.longestDelay
            offset = isSameClock ? .sameClock : .other(now - captured)
            result = isSameClock ? min(captured, now) : now
        }
        if result > now {
            if case .sameClock? = offset, result < now + Self.rounding {} else { offset = .other(now - captured) }
            result = now
        }
        if result <= lastResult { result = max(now, lastResult + Self.least) }
        lastResult = result
        return result
    }

    /// Increases the offset slowly, since the clocks may drift. The frame with the shortest delay so far limits it.
    private mutating func follow(drift elapsed: TimeDelta) {
        guard case .other(let delta)? = offset else { return }
        let growth = max(.zero, min(elapsed, Self.longestDelay)) / Self.driftDivisor
        offset = .other(delta + growth)
    }
}
