internal import RTCWire

/// Puts an app's timestamps, on whatever clock they are, on the clock of the engine: evenly, forward, and never later
/// than a frame came.
struct CaptureClock {
    /// What is to be added to an app's time; nothing where its clock is the engine's.
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

    /// A frame that is older than this is one of another clock.
    private static let longestDelay = TimeDelta.seconds(1)
    /// Another clock may run slower than ours by this part of it.
    private static let driftDivisor: Int64 = 1_000
    private static let rounding = TimeDelta.milliseconds(1)
    private static let least = TimeDelta.microseconds(1)

    /// - Parameters:
    ///   - captured: When the app says that it captured a frame.
    ///   - now: When the frame came.
    mutating func time(captured: Instant, at now: Instant) -> Instant {
        if captured <= lastCaptured { offset = nil }
        follow(drift: captured - lastCaptured)
        lastCaptured = captured
        var result = captured + (offset?.delta ?? .zero)
        if offset == nil || result < now - Self.longestDelay {
            // Clocks are not read to the nanosecond.
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

    /// A frame that came sooner than all before it shows what the offset may be at most. Since the clocks may run
    /// apart, it grows again slowly.
    private mutating func follow(drift elapsed: TimeDelta) {
        guard case .other(let delta)? = offset else { return }
        let growth = max(.zero, min(elapsed, Self.longestDelay)) / Self.driftDivisor
        offset = .other(delta + growth)
    }
}
