internal import RTCWire

/// How long packets have to be held so that nearly all of them are there when their turn comes.
///
/// A packet's delay is measured against the quickest one of the last two seconds, so that neither the clocks of the two
/// ends nor a constant delay of the path matter. A histogram with a memory of some seconds says which delay all but a
/// few per cent of the arrivals keep to. One outage is a few per cent and changes little; steady jitter does. Stalls that
/// come again and again are too few for a share to show them, and remembered by themselves (``StallMemory``).
struct ArrivalDelayEstimator {
    /// The share of packets that are to be in time.
    static let share: Float = 0.97
    /// Width of a histogram step.
    static let step: TimeDelta = .milliseconds(5)
    static let stepCount = 400
    /// How far back the quickest packet is looked for.
    static let window: TimeDelta = .seconds(2)
    /// Half of the past is forgotten after eight seconds of 20 ms packets.
    static let longestMemory: Float = 0.9983
    /// Packets that come this soon after one another were held up together.
    static let together: TimeDelta = .milliseconds(2)

    private struct Sample {
        var arrival: Instant
        /// Arrival minus timestamp, which only differences of are meaningful.
        var transit: Int64
    }

    private var histogram = [Float](repeating: 0, count: stepCount)
    private var samples = RingBuffer<Sample>()
    private var arrivalCount: Float = 0
    private var lastArrival: Instant?
    /// The bucket of the latest packet among those that arrived together.
    private var togetherBucket = 0
    private var stalls = StallMemory()

    /// The delay that the stream needs, or `nil` before the first packet.
    private(set) var delay: TimeDelta?

    /// Notes a packet.
    ///
    /// - Parameters:
    ///   - mediaTime: Its timestamp in nanoseconds.
    mutating func note(mediaTime: Int64, arrival: Instant) {
        let transit = arrival.nanoseconds &- mediaTime
        while let oldest = samples.first, arrival - oldest.arrival > Self.window || samples.count >= 512 {
            _ = samples.popFirst()
        }
        samples.append(Sample(arrival: arrival, transit: transit))
        var quickest = transit
        for index in 0..<samples.count { quickest = min(quickest, samples[index].transit) }
        let late = transit &- quickest
        let bucket = Int(min(max(0, late) / Self.step.nanoseconds, Int64(Self.stepCount - 1)))
        if let lastArrival, arrival - lastArrival < Self.together, arrivalCount > 0 {
            // The one that waited longest counts.
            if bucket > togetherBucket {
                let weight = 1 - memory
                histogram[togetherBucket] = max(0, histogram[togetherBucket] - weight)
                histogram[bucket] += weight
                togetherBucket = bucket
            }
        } else {
            // The first arrivals weigh more, or the buffer would take seconds to learn that a path is jittery.
            arrivalCount += 1
            for index in histogram.indices { histogram[index] *= memory }
            histogram[bucket] += 1 - memory
            togetherBucket = bucket
        }
        lastArrival = arrival
        let usual = Self.step * Int64(quantile + 1)
        // The first arrivals say nothing of what is usual.
        if arrivalCount > 10 { stalls.note(late: .nanoseconds(late), usual: usual, arrival: arrival) }
        delay = max(usual, min(stalls.delay, Self.step * Int64(Self.stepCount)))
    }

    /// What share of the past one arrival leaves in place.
    private var memory: Float { min(Self.longestMemory, 1 - 1 / arrivalCount) }

    private var quantile: Int {
        var sum: Float = 0
        for index in histogram.indices {
            sum += histogram[index]
            if sum >= Self.share { return index }
        }
        return Self.stepCount - 1
    }

    mutating func reset() {
        self = ArrivalDelayEstimator()
    }
}
