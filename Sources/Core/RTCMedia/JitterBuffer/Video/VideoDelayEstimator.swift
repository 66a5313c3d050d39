import RTCWire

/// Estimates how much later than their timestamps frames must be rendered so that most arrive in time.
///
/// A frame's transit is its arrival time minus its timestamp: not an absolute time, but comparable within the stream.
/// The lowest recent transit is the path without jitter, and the 95th percentile decides the rendering time. Without
/// jitter the two are equal, and nothing is delayed.
///
/// Jitter below half of the frame interval is not compensated either: a frame that is this late is still rendered
/// between its neighbours, and low delay is worth more in a call than even motion. Jitter of a whole frame interval or
/// more is compensated in full.
///
/// Outages are forgotten because frames that were held up and arrive in one burst count as one sample, the first, and
/// one sample of a hundred has no effect. Recurring jitter has. Recurring stalls are too few samples for that, so they
/// are remembered separately (``StallMemory``).
struct VideoDelayEstimator: Sendable {
    static let sampleLimit = 128
    /// The age at which samples are dropped, for senders with few frames.
    static let sampleLifetime = TimeDelta.seconds(10)
    /// A transit shorter than the lowest, or longer than the last, by this much means another clock rather than network
    /// delay.
    static let leap = (down: TimeDelta.milliseconds(500), up: TimeDelta.seconds(10))
    /// The longest wait for jitter.
    static let maximumWait = TimeDelta.seconds(2)

    private var samples: [Sample] = []
    private var oldest = 0
    /// The transits of ``samples`` in ascending order.
    private var sorted: [Int64] = []

    private var lastTimestamp: RTPTimestamp?
    /// Ticks since the first timestamp.
    private var lastTicks: Int64 = 0
    private var lastArrival = Instant.zero
    private var lastTransit: Int64 = 0
    /// The arrival of the first packet of the last frame, minus the frame's timestamp.
    private var lastFirstTransit: Int64 = 0
    /// The transit by which frames are rendered, moving towards the percentile.
    private var smoothed: Double?
    /// The smoothed frame interval, in nanoseconds.
    private var interval = 0.0
    private var stalls = StallMemory()
    /// The longest frame interval considered: at low frame rates, more uneven motion gains nothing.
    private static let longestInterval = 40e6

    private struct Sample: Sendable {
        var transit: Int64
        var arrival: Instant
    }

    init() {
        samples.reserveCapacity(Self.sampleLimit)
        sorted.reserveCapacity(Self.sampleLimit + 1)
    }

    /// A time without packets before one of a frame's packets arrived.
    struct Silence {
        var length: TimeDelta
        /// Whether that packet was the first of the frame to arrive.
        var isBefore: Bool
    }

    /// Adds a complete frame.
    ///
    /// - Parameters:
    ///   - firstArrival: The arrival of its first packet.
    ///   - silence: A late frame after a silence was held up by a stall; without one (`nil`), it waited behind others, or
    ///     for a retransmission.
    mutating func update(
        timestamp: RTPTimestamp, arrival: Instant, firstArrival: Instant? = nil, silence: Silence? = nil
    ) {
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
        let firstTransit = (firstArrival ?? arrival).nanoseconds &- Self.nanoseconds(ticks: ticks)
        let held = holdTime(silence, firstTransit: firstTransit)
        let isHeldUpWithTheLast = gap * 4 < spacing && transit < lastTransit
        let elapsed = max((arrival - lastArrival).nanoseconds, 0)
        self.lastTimestamp = timestamp
        lastTicks = ticks
        lastTransit = transit
        lastFirstTransit = firstTransit
        lastArrival = arrival
        interval += (min(Double(spacing), Self.longestInterval) - interval) / 16
        if !isHeldUpWithTheLast || transit < lowest { add(transit, arrival) }
        let late = TimeDelta.nanoseconds(max(transit &- lowest, 0))
        // The margin is for frames that a stall interrupts: they are late by more than the silence.
        stalls.note(late: late * 4 <= held * 5 ? late : .zero, usual: usual, arrival: arrival)
        approach(elapsed: elapsed)
    }

    /// The part of a silence for which the path held up a frame. The sender itself is silent between two frames, for
    /// long at a low frame rate. So of a silence before the frame, as much counts as its first packet is late, compared
    /// with the frame before or with the fastest frame; a large frame, which takes long to arrive, is no stall.
    private func holdTime(_ silence: Silence?, firstTransit: Int64) -> TimeDelta {
        guard let silence else { return .zero }
        guard silence.isBefore else { return silence.length }
        let late = max(firstTransit &- lastFirstTransit, firstTransit &- lowest)
        return min(silence.length, .nanoseconds(max(late, 0)))
    }

    /// The time that a frame waits for jitter if it arrived as fast as the path allows.
    var wait: TimeDelta {
        guard let smoothed, !sorted.isEmpty else { return .zero }
        let jitter = Double(max(Int64(smoothed) - lowest, 0))
        let wait = min(jitter, max(2 * jitter - interval, 0))
        return min(.nanoseconds(Int64(wait)), Self.maximumWait)
    }

    /// The arrival time of a frame with the lowest transit.
    func earliestArrival(of timestamp: RTPTimestamp) -> Instant? {
        guard let lastTimestamp, !sorted.isEmpty else { return nil }
        let ticks = lastTicks + Int64(lastTimestamp.distance(to: timestamp))
        return Instant(nanoseconds: Self.nanoseconds(ticks: ticks)) + .nanoseconds(lowest)
    }

    private var lowest: Int64 { sorted.first ?? 0 }

    /// The delay of nearly all frames relative to the fastest.
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
        lastFirstTransit = lastTransit
        add(lastTransit, arrival)
        smoothed = Double(lastTransit)
    }

    private mutating func add(_ transit: Int64, _ arrival: Instant) {
        let sample = Sample(transit: transit, arrival: arrival)
        if samples.count < Self.sampleLimit {
            // The ring is in order while it grows.
            samples.append(sample)
        } else {
            removeSorted(samples[oldest].transit)
            samples[oldest] = sample
            oldest = (oldest + 1) % Self.sampleLimit
        }
        sorted.insert(transit, at: lowerBound(transit))
        dropOld(at: arrival)
    }

    /// Removes the samples that are too old.
    private mutating func dropOld(at now: Instant) {
        guard samples.count == Self.sampleLimit else {
            while samples.count > 1, let first = samples.first, now - first.arrival > Self.sampleLifetime {
                removeSorted(first.transit)
                samples.removeFirst()
            }
            return
        }
        guard now - samples[oldest].arrival > Self.sampleLifetime else { return }
        // Restores the order of the ring and lets it grow again.
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

    /// Moves towards the percentile, or the delay that covers recurring stalls, by at most 15 % of the elapsed time:
    /// slightly slower or faster motion is not noticed, but a jump is.
    private mutating func approach(elapsed: Int64) {
        guard !sorted.isEmpty, let smoothed else { return }
        let target = Double(lowest) + Double(max(usual, min(stalls.delay, Self.maximumWait)).nanoseconds)
        let step = Double(min(elapsed, 1_000_000_000)) * 0.15
        self.smoothed = smoothed < target ? min(smoothed + step, target) : max(smoothed - step, target)
    }

    /// Converts 90 kHz ticks.
    private static func nanoseconds(ticks: Int64) -> Int64 {
        let (product, overflow) = ticks.multipliedReportingOverflow(by: 100_000)
        return overflow ? 0 : product / 9
    }
}
