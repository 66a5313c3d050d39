internal import RTCWire

/// How long the queue on the path is, from when packets left and when they arrived.
///
/// Pictures come as bursts, behind each of which a queue builds and drains. What matters is the queue that stands: the
/// shortest one of a tenth of a second, in which there are some pictures, or packets of sound; on a path on which a packet takes long, of some packets.
struct PathDelay: Sendable {
    /// The shortest delay of 10 ms of arrivals.
    private struct Bucket: Sendable {
        var step: Int64 = .min
        var lowest = 0.0
    }

    private static let bucketCount = 64
    private static let bucketLength: Int64 = 10_000_000
    /// Over how long the standing queue is the shortest one, in seconds.
    private static let windows = 0.12...0.6
    /// How long the lowest delay is looked back for, at least; twice that at most.
    private static let lowestInterval = TimeDelta.seconds(15)
    /// A clock that jumps, or a path that was gone.
    private static let longestStep = 3_000.0

    /// The difference of the first packet, from which all others are counted, in ms.
    private var origin: Double?
    private var last = 0.0
    private var buckets = [Bucket](repeating: Bucket(), count: bucketCount)
    private var newest: Int64 = .min
    /// The lowest delay of this interval and of the one before: the delay without a queue.
    private var lowest = 0.0
    private var lowestBefore = 0.0
    private var lowestSince: Instant?
    /// Whether the lowest delay is to be remembered as long as this holds.
    var keepsLowest = false
    /// Whether some of what arrives may have come on another path, whose delay says nothing about the lowest one of this.
    var mixesPaths = false

    /// Takes in a packet that arrived. Packets come in the order of their arrival.
    mutating func add(sent: Instant, arrival: Instant) {
        let difference = Double((arrival - sent).nanoseconds) / 1e6
        guard let origin, abs(difference - origin - last) < Self.longestStep else {
            let mixesPaths = mixesPaths
            self = PathDelay()
            self.mixesPaths = mixesPaths
            origin = difference
            lowestSince = arrival
            note(0, at: arrival)
            return
        }
        last = difference - origin
        if !mixesPaths { lowest = min(lowest, last) }
        if keepsLowest || mixesPaths {
            lowestSince = arrival
        } else if let lowestSince, arrival - lowestSince > Self.lowestInterval {
            lowestBefore = lowest
            lowest = last
            self.lowestSince = arrival
        }
        note(last, at: arrival)
    }

    private mutating func note(_ delay: Double, at arrival: Instant) {
        let step = arrival.nanoseconds / Self.bucketLength
        newest = max(newest, step)
        let index = Int(((step % Int64(Self.bucketCount)) + Int64(Self.bucketCount)) % Int64(Self.bucketCount))
        if buckets[index].step == step {
            buckets[index].lowest = min(buckets[index].lowest, delay)
        } else if buckets[index].step < step {
            buckets[index] = Bucket(step: step, lowest: delay)
        }
    }

    /// How far the shortest delay of the last times is above the lowest one of the last 15 to 30 s, in seconds.
    ///
    /// - Parameter packetTime: How long the path takes for a packet, in seconds.
    func standingQueue(packetTime: Double) -> Double {
        max(shortest(packetTime: packetTime) - min(lowest, lowestBefore), 0) / 1_000
    }

    private func shortest(packetTime: Double) -> Double {
        let window = Int64(min(max(packetTime * 3.5, Self.windows.lowerBound), Self.windows.upperBound) * 100)
        var shortest = Double.infinity
        for bucket in buckets where bucket.step > .min && newest &- bucket.step < window {
            shortest = min(shortest, bucket.lowest)
        }
        return shortest.isFinite ? shortest : last
    }

    /// What stands now is no queue: the path has become longer.
    mutating func begin() {
        lowest = shortest(packetTime: 0)
        lowestBefore = lowest
    }
}
