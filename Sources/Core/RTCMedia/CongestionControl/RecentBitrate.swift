public import RTCWire

/// A recent bitrate, averaged over a decaying window.
@usableFromInline package struct RecentBitrate: Sendable {
    /// The age beyond which bytes count less than half.
    private let window: Double
    private var bits = 0.0
    private var last = Instant.zero

    @usableFromInline package init(window: TimeDelta = .seconds(1)) {
        self.window = max(window.seconds, 0.001)
    }

    /// Takes note of `size` bytes.
    @usableFromInline package mutating func add(_ size: Int, at now: Instant) {
        bits = remaining(at: now) + Double(max(size, 0)) * 8
        last = max(last, now)
    }

    @usableFromInline package func bitrate(at now: Instant) -> Bitrate {
        Bitrate(bitsPerSecond: Int64(min(remaining(at: now) / window, 1e15)))
    }

    /// The remaining fraction after exponential decay, by its first terms: the standard library has no `exp`.
    private func remaining(at now: Instant) -> Double {
        let elapsed = min(max((now - last).seconds, 0) / window, 1e6)
        return bits / (1 + elapsed * (1 + elapsed / 2 * (1 + elapsed / 3)))
    }
}
