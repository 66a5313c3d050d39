internal import RTCWire

/// Measures the queue on the path from send and arrival times.
///
/// Video frames are sent as bursts, behind each of which a queue builds and drains. What matters is the standing queue:
/// the shortest within a tenth of a second, which covers some frames or audio packets; on a slow path, the shortest
/// over several packets.
struct PathDelay: Sendable {
    /// The shortest delay within 10 ms of arrivals.
    private struct Bucket: Sendable {
        var step: Int64 = .min
        var lowest = 0.0
    }

    private static let bucketCount = 64
    private static let bucketLength: Int64 = 10_000_000
    /// The limits of the window for the standing queue, in seconds.
    private static let windows = 0.12...0.6
    /// The interval for the lowest delay, which is remembered for one to two intervals.
    private static let lowestInterval = TimeDelta.seconds(15)
    /// The step in ms that indicates a clock change or an outage.
    private static let longestStep = 3_000.0

    /// The first packet's arrival minus send time in ms, relative to which the others are counted.
    private var origin: Double?
    private var last = 0.0
    private var buckets = [Bucket](repeating: Bucket(), count: bucketCount)
    private var newest: Int64 = .min
    /// The lowest delay of the current interval and of the one before: the delay without a queue.
    private var lowest = 0.0
    private var lowestBefore = 0.0
    private var lowestSince: Instant?
    /// Whether to keep the lowest delay beyond the interval.
    var keepsLowest = false
    /// Whether packets may arrive on other paths, whose delays must not count as the lowest of this one.
    var mixesPaths = false

    /// Adds a packet. Packets must come in order of arrival.
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

    /// The shortest recent delay minus the lowest one of the last 15 to 30 s, in seconds.
    ///
    /// - Parameter packetTime: The transmission time of a packet on the path, in seconds.
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

    /// Takes the current delay as that of the path without a queue, because the path has become longer.
    mutating func begin() {
        lowest = shortest(packetTime: 0)
        lowestBefore = lowest
    }
}
