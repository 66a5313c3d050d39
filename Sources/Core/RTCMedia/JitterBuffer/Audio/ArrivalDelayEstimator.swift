internal import RTCWire

/// Estimates how long packets must be held so that nearly all arrive before their playout time.
///
/// A packet's delay is measured relative to the fastest one of the last two seconds, so neither clock offsets nor a
/// constant path delay matter. A histogram with a memory of some seconds gives the delay that all but a few per cent of
/// the packets meet. A single outage is a few per cent and changes little; steady jitter does. Recurring stalls affect
/// too few packets to show in a percentile, so ``StallMemory`` remembers them separately.
struct ArrivalDelayEstimator {
    /// The fraction of packets that must be in time.
    static let share: Float = 0.97
    /// The width of a histogram bucket.
    static let step: TimeDelta = .milliseconds(5)
    static let stepCount = 400
    /// The window for the fastest packet.
    static let window: TimeDelta = .seconds(2)
    /// The decay per packet: half is forgotten after eight seconds of 20 ms packets.
    static let longestMemory: Float = 0.9983
    /// Packets that arrive within this time of each other were held up together.
    static let burstWindow: TimeDelta = .milliseconds(2)

    private struct Sample {
        var arrival: Instant
        /// Arrival minus timestamp; only differences are meaningful.
        var transit: Int64
    }

    private var histogram = [Float](repeating: 0, count: stepCount)
    private var samples = RingBuffer<Sample>()
    private var arrivalCount: Float = 0
    private var lastArrival: Instant?
    /// The bucket of the most delayed packet among those that arrived together.
    private var burstBucket = 0
    private var stalls = StallMemory()

    /// The delay that the stream needs; `nil` before the first packet.
    private(set) var delay: TimeDelta?

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - mediaTime: The packet's timestamp in nanoseconds.
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
        if let lastArrival, arrival - lastArrival < Self.burstWindow, arrivalCount > 0 {
            // Packets held up together count once, by the longest delay.
            if bucket > burstBucket {
                let weight = 1 - memory
                histogram[burstBucket] = max(0, histogram[burstBucket] - weight)
                histogram[bucket] += weight
                burstBucket = bucket
            }
        } else {
            // The first packets weigh more, or it would take seconds to detect a jittery path.
            arrivalCount += 1
            for index in histogram.indices { histogram[index] *= memory }
            histogram[bucket] += 1 - memory
            burstBucket = bucket
        }
        lastArrival = arrival
        let usual = Self.step * Int64(quantile + 1)
        // The first packets do not show what is usual.
        if arrivalCount > 10 { stalls.note(late: .nanoseconds(late), usual: usual, arrival: arrival) }
        delay = max(usual, min(stalls.delay, Self.step * Int64(Self.stepCount)))
    }

    /// The fraction of the histogram that remains after one packet.
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
