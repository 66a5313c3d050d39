internal import RTCWire

/// Limits the frame rate evenly.
struct FrameRateLimit {
    private var nextDue = Instant(nanoseconds: .min)

    /// Whether to send the frame captured at `time`.
    mutating func allows(_ time: Instant, framesPerSecond: Double?) -> Bool {
        guard let framesPerSecond, framesPerSecond > 0 else { return true }
        let interval = TimeDelta.nanoseconds(Int64(1_000_000_000 / framesPerSecond))
        // Allows for the jitter of cameras.
        guard time + interval / 10 >= nextDue else { return false }
        nextDue = max(nextDue + interval, time)
        return true
    }
}

/// Measures the frame rate over the last second.
struct FrameRateMeter {
    private var times = RingBuffer<Instant>()

    mutating func note(_ time: Instant) {
        times.append(time)
        while times.count > 240 { _ = times.popFirst() }
    }

    mutating func framesPerSecond(at now: Instant) -> Double {
        while let first = times.first, now - first > .seconds(1) { _ = times.popFirst() }
        return Double(times.count)
    }
}
