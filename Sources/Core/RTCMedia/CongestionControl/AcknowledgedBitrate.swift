internal import RTCWire

/// Measures a bitrate from the times of packets: arrival times by the receiver's clock, or send times by ours.
struct AcknowledgedBitrate: Sendable {
    private struct Entry: Sendable {
        var time: Instant
        var size: Int
        /// The total of all bytes up to and including this packet.
        var sum: Int64
    }

    /// The longest measured window.
    private static let longestWindow = TimeDelta.milliseconds(500)
    private static let maximumCount = 1_024

    private var entries = RingBuffer<Entry>()
    private var sum: Int64 = 0
    /// The time of the first packet after a pause as long as the window.
    private var first: Instant?

    /// Adds a packet. A time slightly before that of the last packet is raised to it.
    mutating func add(_ size: Int, at time: Instant) {
        var time = time
        if let newest = entries.last {
            // A large difference means a pause or a wrong time: the earlier packets cannot be used.
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
        // Bursts are followed by gaps, so the whole window counts, as far as it has been observed.
        let bytes = newest.sum &- oldest.sum &+ Int64(oldest.size)
        return Double(bytes) * 8 / min(seen + .milliseconds(10), Self.longestWindow).seconds
    }

    /// The packet rate in bits per second within the last `window`: the capacity of a path that is continuously busy.
    /// `nil` with too few packets, or if they cover less than half of the window.
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
