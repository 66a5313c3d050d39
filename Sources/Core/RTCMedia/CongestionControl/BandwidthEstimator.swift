public import RTCWire

/// Estimates the capacity of the path to the peer from the peer's transport-wide feedback.
///
/// The lower of two estimates counts: the delay-based one backs off when a queue persists, before anything is lost; the
/// loss-based one when much is lost. A REMB of the receiver caps both. If packets were sent and feedback ceases, the
/// target falls until there is feedback again; before any feedback it keeps its initial value. docs/congestion.md lists
/// the algorithms.
@usableFromInline package struct BandwidthEstimator: Sendable {
    @usableFromInline package struct Configuration: Sendable, Hashable {
        @usableFromInline package var start: Bitrate
        @usableFromInline package var minimum: Bitrate
        @usableFromInline package var maximum: Bitrate

        @usableFromInline package init(
            start: Bitrate = .kilobits(500), minimum: Bitrate = .kilobits(50), maximum: Bitrate = .megabits(10)
        ) {
            self.start = start
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// The limits may change at any time, as with the sum of the encoders' maxima.
    @usableFromInline package var configuration: Configuration
    /// The maximum send rate, including packet headers and retransmissions.
    @usableFromInline package var target: Bitrate { Bitrate(bitsPerSecond: Int64(min(bounded(rate), 1e15))) }
    /// The receiver's last REMB, until it is too old.
    @usableFromInline package private(set) var receiverLimit: Bitrate?
    /// The smoothed round trip of the feedback, its delay at the receiver included.
    @usableFromInline package private(set) var roundTripTime: TimeDelta?

    /// Whether some of the acknowledged packets may also have been sent on a second path: a shorter delay there says
    /// nothing about this one.
    @usableFromInline package var mixesPaths: Bool {
        get { delay.mixesPaths }
        set { delay.mixesPaths = newValue }
    }

    private var delay = PathDelay()
    private var trains = PacketTrains()
    private var delayBased: DelayBasedRate
    private var lossBased = LossBasedRate()
    private var queueLoss = QueueLoss()
    private var acknowledged = AcknowledgedBitrate()
    private var sent = AcknowledgedBitrate()
    /// The arrivals in the last feedback. Reused between calls.
    private var arrivals: [(sent: Instant, at: Instant)] = []
    private var receiverLimitTime = Instant.zero
    /// The shortest recent round trip, including the receiver's feedback delay.
    private var shortestRoundTripTime: TimeDelta?
    private var lastFeedback: Instant?
    /// The factor by which missing feedback reduces the target.
    private var silence = 1.0
    private var lastSilence: Instant?

    /// The time for which a REMB is valid; receivers send it once a second.
    static let receiverLimitAge = TimeDelta.seconds(5)
    private static let assumedRoundTripTime = TimeDelta.milliseconds(200)
    /// The queue, in seconds, from which losses are attributed to it.
    private static let notableQueue = 0.05
    /// The queue above which the path is not probed, so that it drains first.
    static let calmQueue = TimeDelta.milliseconds(15)
    /// The same of the recent loss, without the path's own.
    private static let calmLoss = 0.08
    /// The window for measuring the arrival rate while there is a queue.
    private static let busyWindow = TimeDelta.milliseconds(160)
    /// The time that feedback may be missing, beyond two round trips; and the interval of further decreases.
    private static let longestSilence = TimeDelta.milliseconds(400)
    private static let silenceInterval = TimeDelta.milliseconds(300)

    @usableFromInline package init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        delayBased = DelayBasedRate(rate: Double(configuration.start.bitsPerSecond))
    }

    /// The bitrate that arrives at the receiver; `nil` until enough has arrived.
    @usableFromInline package var acknowledgedBitrate: Bitrate? {
        acknowledged.bitsPerSecond.map { Bitrate(bitsPerSecond: Int64($0)) }
    }

    /// The share of lost packets in the last interval, 0 to 1.
    @usableFromInline package var loss: Double { lossBased.loss }

    /// The persistent queue on the path, estimated from the delays.
    @usableFromInline package var standingQueue: TimeDelta { .microseconds(Int64(min(standing, 100) * 1e6)) }

    /// Whether others keep the path's queue full, so that losses decide.
    @usableFromInline package var isCompeting: Bool { delayBased.isCompeting }

    /// Whether the capacity of the path is known, and the target is near it.
    @usableFromInline package func isNearCapacity(at now: Instant) -> Bool { delayBased.isNearCapacity(at: now) }

    /// The conditions under which ``ProbeSchedule`` decides whether to probe the path.
    ///
    /// - Parameters:
    ///   - useful: The highest rate that the senders could use.
    ///   - sent: The send rate, without probes.
    package func probeConditions(useful: Bitrate, sent: Bitrate, at now: Instant) -> ProbeSchedule.Conditions {
        ProbeSchedule.Conditions(
            target: target, useful: min(useful, configuration.maximum),
            isCalm: standingQueue < Self.calmQueue && !isCompeting && lossBased.unusual < Self.calmLoss && silence == 1,
            isLimited: sent.bitsPerSecond * 10 < target.bitsPerSecond * 7, isNearCapacity: isNearCapacity(at: now),
            isCapacityOld: delayBased.isCapacityOld(at: now))
    }

    /// The most bytes in flight: the target rate for a round trip without a queue and 150 ms more, and for the queue
    /// while other traffic competes.
    @usableFromInline package var window: Int {
        let time = (shortestRoundTripTime ?? Self.assumedRoundTripTime) + .milliseconds(150)
        let queue = isCompeting ? standing : 0
        return max(Int(Double(target.bitsPerSecond) / 8 * (time.seconds + min(queue, 1))), 6_000)
    }

    /// Processes the results of feedback: ``TransportFeedbackReader/results``. Those of packets that used a second path
    /// are left out.
    ///
    /// - Parameter beside: Other traffic on the same path.
    @usableFromInline package mutating func update(
        _ results: [TransportPacketResult], beside: UncoveredTraffic = UncoveredTraffic(), at now: Instant
    ) {
        guard results.contains(where: { !$0.usedSecondPath }) else { return }
        endSilence(at: now)
        var newestSent: Instant?
        var sample = PathSample()
        arrivals.removeAll(keepingCapacity: true)
        for result in results where !result.usedSecondPath {
            // Feedback on mixed paths did not count these losses, so their correction must not count either.
            if !(mixesPaths && result.wasReportedLost) {
                lossBased.add(result)
                queueLoss.add(result)
            }
            if !result.wasReportedLost { sent.add(result.size, at: result.sent) }
            if let measure = trains.add(result) { sample.trains = measure }
            guard let arrival = result.arrival else {
                sample.hasLoss = true
                continue
            }
            arrivals.append((result.sent, arrival))
            acknowledged.add(result.size, at: arrival)
            newestSent = max(newestSent ?? result.sent, result.sent)
        }
        noteDelays()
        if let newestSent { noteRoundTrip(max(now - newestSent, .milliseconds(1))) }
        let roundTripTime = roundTripTime ?? Self.assumedRoundTripTime
        sample.queue = standing
        sample.acknowledged = acknowledged.bitsPerSecond.map { $0 + beside.arrived }
        sample.dispersion = acknowledged.dispersion(over: Self.busyWindow).map { $0 + beside.arrived }
        sample.sent = sent.dispersion(over: Self.busyWindow).map { $0 + beside.sent }
        sample.trains?.rate += beside.arrived
        sample.roundTripTime = roundTripTime
        queueLoss.endFeedback(queue: sample.queue)
        sample.loss = delayBased.isNarrow || queueLoss.isLikely(at: lossBased.usual) ? lossBased.unusual : 0
        delayBased.update(sample, at: now)
        if delayBased.isPathLonger { delay.begin() }
        delay.keepsLowest = delayBased.keepsQueueing(at: now)
        let isQueueing = sample.queue > Self.notableQueue
        if lossBased.update(
            rate: bounded(rate), minimum: minimum, roundTripTime: roundTripTime, isQueueing: isQueueing,
            isDraining: delayBased.isDraining, at: now)
        {
            delayBased.endStart()
        }
        expireReceiverLimit(at: now)
        // Keeps the delay-based rate from growing far beyond the other limits.
        delayBased.set(min(max(delayBased.rate, minimum), maximum, lossBased.limit * 1.5))
    }

    private mutating func noteRoundTrip(_ measured: TimeDelta) {
        roundTripTime = roundTripTime.map { ($0 * 7 + measured) / 8 } ?? measured
        // Forgotten slowly, since the path's round trip may grow.
        if mixesPaths, let shortest = shortestRoundTripTime, measured < shortest { return }
        shortestRoundTripTime =
            shortestRoundTripTime.map {
                measured < $0 ? measured : $0 + min(measured - $0, .milliseconds(500)) / 256
            } ?? measured
    }

    /// Passes the arrivals to the delay estimate in order of arrival: a packet that was overtaken gives no information
    /// about a queue, and only this order shows that it was.
    private mutating func noteDelays() {
        let isInOrder = zip(arrivals, arrivals.dropFirst()).allSatisfy { $0.at <= $1.at }
        if !isInOrder { arrivals.sort { $0.at < $1.at } }
        for arrival in arrivals { delay.add(sent: arrival.sent, arrival: arrival.at) }
    }

    /// How long feedback may be missing before the target falls.
    @usableFromInline package var feedbackTimeout: TimeDelta {
        Self.longestSilence + min(roundTripTime ?? Self.assumedRoundTripTime, .seconds(1)) * 2
    }

    /// Lowers the target as long as feedback is missing for packets in flight.
    ///
    /// - Returns: Whether the target has changed.
    @usableFromInline package mutating func handleMissingFeedback(bytesInFlight: Int, at now: Instant) -> Bool {
        guard bytesInFlight > 0, let lastFeedback else { return false }
        guard
            now - max(lastFeedback, lastSilence ?? lastFeedback)
                > (lastSilence == nil ? feedbackTimeout : Self.silenceInterval)
        else { return false }
        lastSilence = now
        silence = max(silence * 0.7, 0.02)
        return true
    }

    /// Notes feedback that shows nothing but that packets arrive: the target is no longer lowered for its absence.
    @usableFromInline package mutating func endSilence(at now: Instant) {
        lastFeedback = now
        silence = 1
        lastSilence = nil
    }

    /// Takes in a REMB. In a session without transport-wide feedback it is all that there is, and then the target
    /// follows it upwards too.
    package mutating func update(_ limit: ReceiverEstimatedMaximumBitrate, at now: Instant) {
        receiverLimit = limit.bitrate
        receiverLimitTime = now
        if roundTripTime == nil { delayBased.set(min(max(Double(limit.bitrate.bitsPerSecond), minimum), maximum)) }
    }

    /// Resets what depends on the path, after a change of the path.
    @usableFromInline package mutating func pathChanged() {
        self = BandwidthEstimator(configuration)
    }

    private mutating func expireReceiverLimit(at now: Instant) {
        if receiverLimit != nil, now - receiverLimitTime > Self.receiverLimitAge { receiverLimit = nil }
    }

    private var standing: Double { delay.standingQueue(packetTime: delayBased.packetTime) }

    private var minimum: Double { Double(max(configuration.minimum.bitsPerSecond, 1_000)) }
    private var maximum: Double { max(Double(configuration.maximum.bitsPerSecond), minimum) }

    private var rate: Double { min(delayBased.allowed, lossBased.limit) * silence }

    private func bounded(_ rate: Double) -> Double {
        let limit = receiverLimit.map { Double($0.bitsPerSecond) } ?? .infinity
        return min(max(min(rate, limit), minimum), maximum)
    }
}
