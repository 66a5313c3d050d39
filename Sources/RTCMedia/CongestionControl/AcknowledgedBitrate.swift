internal import RTCWire

/// How much arrives, by the receiver's clock, over the last half second.
struct AcknowledgedBitrate: Sendable {
    private static let bucketCount = 50
    private static let bucketLength: Int64 = 10_000_000

    /// Bytes by arrival, in steps of 10 ms; a ring.
    private var buckets = [Int](repeating: 0, count: bucketCount)
    /// The step of the newest arrival, and of the first.
    private var newest: Int64?
    private var first: Int64 = 0
    private var total = 0

    mutating func add(_ size: Int, arrival: Instant) {
        let step = arrival.nanoseconds / Self.bucketLength
        guard let newest else {
            self.newest = step
            first = step
            buckets[index(step)] = size
            total = size
            return
        }
        if step > newest {
            // What is older than the window leaves it.
            for old in max(newest + 1, step - Int64(Self.bucketCount) + 1)...step {
                total -= buckets[index(old)]
                buckets[index(old)] = 0
            }
            if step - newest >= Int64(Self.bucketCount) {
                // A pause as long as the window: begin to measure anew.
                first = step
                total = 0
            }
            self.newest = step
        } else if newest - step >= Int64(Self.bucketCount) {
            return
        }
        buckets[index(step)] += size
        total += size
    }

    private func index(_ step: Int64) -> Int {
        let rest = Int(step % Int64(Self.bucketCount))
        return rest < 0 ? rest + Self.bucketCount : rest
    }

    /// Bits per second; `nil` until 150 ms have been seen.
    var bitsPerSecond: Double? {
        guard let newest, newest - first >= 15 else { return nil }
        let steps = min(newest - first + 1, Int64(Self.bucketCount))
        return Double(total) * 8 / (Double(steps * Self.bucketLength) / 1e9)
    }
}
