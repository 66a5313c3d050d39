import RTCWire

/// How much later than their timestamps say pictures are to be shown, so that most of them are there in time.
///
/// The transit of a picture is the time of its arrival less its timestamp: not an absolute time, but comparable within
/// the stream. Of the last pictures' transits, the lowest is the path at its best, and 95 of 100 are at most the one
/// that pictures are shown by. Without jitter the two are the same, and nothing is waited for.
///
/// Nor is for jitter of less than half of the time between pictures: a picture that comes this much too late is still
/// shown between its neighbours, and being early is worth more to who talks than being even. From the whole time on
/// jitter is evened out in full.
///
/// What makes the estimate forget an outage: when pictures that were held up arrive in one burst, they count as one
/// sample, the first, and one sample of a hundred changes nothing. Jitter that comes again and again does. Stalls that come again
/// and again are too few for that, and remembered by themselves (``StallMemory``).
struct VideoDelayEstimator: Sendable {
    static let sampleLimit = 128
    /// Samples of a sender that has become slow are not kept for ever.
    static let sampleLifetime = TimeDelta.seconds(10)
    /// A transit that is this much shorter than the path at its best, or longer than the last, is another clock and not
    /// the network.
    static let leap = (down: TimeDelta.milliseconds(500), up: TimeDelta.seconds(10))
    /// The most that jitter may make anything wait.
    static let maximumWait = TimeDelta.seconds(2)

    private var samples: [Sample] = []
    private var oldest = 0
    /// The same transits in ascending order.
    private var sorted: [Int64] = []

    private var lastTimestamp: RTPTimestamp?
    /// Ticks since the first timestamp.
    private var lastTicks: Int64 = 0
    private var lastArrival = Instant.zero
    private var lastTransit: Int64 = 0
    /// What pictures are shown by: on its way to the percentile.
    private var smoothed: Double?
    /// The time between pictures, in nanoseconds, smoothed.
    private var interval = 0.0
    private var stalls = StallMemory()
    /// Who sends few pictures a second gains nothing by having them come still more unevenly.
    private static let longestInterval = 40e6

    private struct Sample: Sendable {
        var transit: Int64
        var arrival: Instant
    }

    init() {
        samples.reserveCapacity(Self.sampleLimit)
        sorted.reserveCapacity(Self.sampleLimit + 1)
    }

    /// Takes a picture that is complete.
    ///
    /// - Parameter silence: For how long nothing had come before one of its packets. A picture that is late after a silence was held
    ///   up by a stall; without one, it waited behind others, or for a packet that was sent again.
    mutating func update(timestamp: RTPTimestamp, arrival: Instant, silence: TimeDelta = .zero) {
        guard let lastTimestamp else {
            start(timestamp, arrival)
            return
        }
        let ticks = lastTicks + Int64(lastTimestamp.distance(to: timestamp))
        let transit = arrival.nanoseconds &- Self.nanoseconds(ticks: ticks)
        guard transit > lowest &- Self.leap.down.nanoseconds, transit < lastTransit &+ Self.leap.up.nanoseconds else {
            start(timestamp, arrival)
            return
        }
        let spacing = Self.nanoseconds(ticks: abs(ticks - lastTicks))
        let gap = abs((arrival - lastArrival).nanoseconds)
        let isHeldUpWithTheLast = gap * 4 < spacing && transit < lastTransit
        let elapsed = max((arrival - lastArrival).nanoseconds, 0)
        self.lastTimestamp = timestamp
        lastTicks = ticks
        lastTransit = transit
        lastArrival = arrival
        interval += (min(Double(spacing), Self.longestInterval) - interval) / 16
        if !isHeldUpWithTheLast || transit < lowest { add(transit, arrival) }
        let late = TimeDelta.nanoseconds(max(transit &- lowest, 0))
        // A stall in the middle of a picture is shorter than that is late.
        stalls.note(late: late * 4 <= silence * 5 ? late : .zero, usual: usual, arrival: arrival)
        approach(elapsed: elapsed)
    }

    /// How long a picture waits for jitter's sake that came as fast as the path allows.
    var wait: TimeDelta {
        guard let smoothed, !sorted.isEmpty else { return .zero }
        let jitter = Double(max(Int64(smoothed) - lowest, 0))
        let wait = min(jitter, max(2 * jitter - interval, 0))
        return min(.nanoseconds(Int64(wait)), Self.maximumWait)
    }

    /// When a picture comes that takes the path at its best.
    func earliestArrival(of timestamp: RTPTimestamp) -> Instant? {
        guard let lastTimestamp, !sorted.isEmpty else { return nil }
        let ticks = lastTicks + Int64(lastTimestamp.distance(to: timestamp))
        return Instant(nanoseconds: Self.nanoseconds(ticks: ticks)) + .nanoseconds(lowest)
    }

    private var lowest: Int64 { sorted.first ?? 0 }

    /// By how much nearly all pictures come later than the quickest.
    private var usual: TimeDelta {
        sorted.isEmpty ? .zero : .nanoseconds(sorted[(sorted.count - 1) * 95 / 100] &- lowest)
    }

    private mutating func start(_ timestamp: RTPTimestamp, _ arrival: Instant) {
        samples.removeAll(keepingCapacity: true)
        sorted.removeAll(keepingCapacity: true)
        oldest = 0
        stalls = StallMemory()
        lastTimestamp = timestamp
        lastTicks = 0
        lastArrival = arrival
        lastTransit = arrival.nanoseconds
        add(lastTransit, arrival)
        smoothed = Double(lastTransit)
    }

    private mutating func add(_ transit: Int64, _ arrival: Instant) {
        let sample = Sample(transit: transit, arrival: arrival)
        if samples.count < Self.sampleLimit {
            // The ring is in order as long as it grows.
            samples.append(sample)
        } else {
            removeSorted(samples[oldest].transit)
            samples[oldest] = sample
            oldest = (oldest + 1) % Self.sampleLimit
        }
        sorted.insert(transit, at: lowerBound(transit))
        dropOld(at: arrival)
    }

    /// What is too old is rewritten as the newest sample, which keeps the ring full and its memory in place.
    private mutating func dropOld(at now: Instant) {
        guard samples.count == Self.sampleLimit else {
            while samples.count > 1, let first = samples.first, now - first.arrival > Self.sampleLifetime {
                removeSorted(first.transit)
                samples.removeFirst()
            }
            return
        }
        guard now - samples[oldest].arrival > Self.sampleLifetime else { return }
        // Bring the ring into order and let it grow again.
        samples = Array(samples[oldest...] + samples[..<oldest])
        samples.reserveCapacity(Self.sampleLimit)
        oldest = 0
        while samples.count > 1, let first = samples.first, now - first.arrival > Self.sampleLifetime {
            removeSorted(first.transit)
            samples.removeFirst()
        }
    }

    private mutating func removeSorted(_ transit: Int64) {
        let index = lowerBound(transit)
        if index < sorted.count, sorted[index] == transit { sorted.remove(at: index) }
    }

    private func lowerBound(_ transit: Int64) -> Int {
        var low = 0, high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < transit { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Moves towards the percentile, or what stalls need, by at most 15 % of the time that passed: motion that becomes a little slower or
    /// faster is not noticed, and a jump is.
    private mutating func approach(elapsed: Int64) {
        guard !sorted.isEmpty, let smoothed else { return }
        let target = Double(lowest) + Double(max(usual, min(stalls.delay, Self.maximumWait)).nanoseconds)
        let step = Double(min(elapsed, 1_000_000_000)) * 0.15
        self.smoothed = smoothed < target ? min(smoothed + step, target) : max(smoothed - step, target)
    }

    /// Of 90 kHz.
    private static func nanoseconds(ticks: Int64) -> Int64 {
        let (product, overflow) = ticks.multipliedReportingOverflow(by: 100_000)
        return overflow ? 0 : product / 9
    }
}
