internal import RTCWire

/// How much goes by, by the times at which it does: what arrives, by the receiver's clock, or what leaves, by ours.
struct AcknowledgedBitrate: Sendable {
    private struct Entry: Sendable {
        var time: Instant
        var size: Int
        /// All bytes up to this packet, it included.
        var sum: Int64
    }

    /// How far back it is remembered.
    private static let longestWindow = TimeDelta.milliseconds(500)
    private static let maximumCount = 1_024

    private var entries = RingBuffer<Entry>()
    private var sum: Int64 = 0
    /// The first packet after a pause as long as the window.
    private var first: Instant?

    /// A packet went by. Its time is not before those of the packets before it; where it is a little, theirs counts.
    mutating func add(_ size: Int, at time: Instant) {
        var time = time
        if let newest = entries.last {
            // Far from them there was a pause, or one of the times is wrong: those before are not to be measured with.
            if max(time - newest.time, newest.time - time) > Self.longestWindow { forget() }
            time = max(time, entries.last?.time ?? time)
        }
        if first == nil { first = time }
        sum &+= Int64(size)
        entries.append(Entry(time: time, size: size, sum: sum))
        while let oldest = entries.first, entries.count > Self.maximumCount || time - oldest.time > Self.longestWindow {
            _ = entries.popFirst()
        }
    }

    private mutating func forget() {
        while entries.popFirst() != nil {}
        first = nil
    }

    /// Bits per second over the last half second; `nil` until 150 ms have been seen.
    var bitsPerSecond: Double? {
        guard let newest = entries.last, let oldest = entries.first, let first else { return nil }
        let seen = newest.time - first
        guard seen >= .milliseconds(150) else { return nil }
        // Bursts have gaps behind them: the window is counted whole, as far as it has been seen.
        let bytes = newest.sum &- oldest.sum &+ Int64(oldest.size)
        return Double(bytes) * 8 / min(seen + .milliseconds(10), Self.longestWindow).seconds
    }

    /// Bits per second from one packet to another, of those of the last `window`: what a path carries that is busy all the
    /// time. `nil` where that are too few, or nothing is known of half of the window.
    func dispersion(over window: TimeDelta) -> Double? {
        guard let newest = entries.last else { return nil }
        var oldest = newest
        var count = 0
        for offset in stride(from: entries.count - 1, through: 0, by: -1) {
            let entry = entries[offset]
            if newest.time - entry.time > window, count >= 4 { break }
            oldest = entry
            count += 1
        }
        let time = newest.time - oldest.time
        guard count >= 4, time >= window / 2 else { return nil }
        return Double(newest.sum &- oldest.sum) * 8 / time.seconds
    }
}
