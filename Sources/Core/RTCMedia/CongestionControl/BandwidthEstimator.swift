public import RTCWire

/// How much the path to the peer carries, as far as the peer's transport-wide feedback tells.
///
/// Two estimates stand beside each other, of which the lower one counts: the delay-based one backs off when a queue stands,
/// before anything is lost; the loss-based one when much is lost. A REMB of the receiver caps both. When feedback ceases
/// though something was sent, the target falls until there is feedback again; without any feedback it stays where it
/// began. docs/congestion.md tells which algorithms it follows.
public struct BandwidthEstimator: Sendable {
    public struct Configuration: Sendable, Hashable {
        public var start: Bitrate
        public var minimum: Bitrate
        public var maximum: Bitrate

        public init(
            start: Bitrate = .kilobits(500), minimum: Bitrate = .kilobits(50), maximum: Bitrate = .megabits(10)
        ) {
            self.start = start
            self.minimum = minimum
            self.maximum = maximum
        }
    }

    /// The limits may change at any time, as with the sum of the encoders' maxima.
    public var configuration: Configuration
    /// What to send at most, packet headers included, retransmissions too.
    public var target: Bitrate { Bitrate(bitsPerSecond: Int64(min(bounded(rate), 1e15))) }
    /// What the receiver said by REMB, until it is too old.
    public private(set) var receiverLimit: Bitrate?
    /// The smoothed round trip of the feedback, its delay at the receiver included.
    public private(set) var roundTripTime: TimeDelta?

    /// Whether some of what is told of may have gone on a second path as well: what is shorter there says nothing about this one.
    public var mixesPaths: Bool {
        get { delay.mixesPaths }
        set { delay.mixesPaths = newValue }
    }

    private var delay = PathDelay()
    private var trains = PacketTrains()
    private var delayBased: DelayBasedRate
    private var lossBased = LossBasedRate()
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
    /// The window for measuring the arrival rate while there is a queue.
    private static let busyWindow = TimeDelta.milliseconds(160)
    /// The time that feedback may be missing, beyond two round trips; and the interval of further decreases.
    private static let longestSilence = TimeDelta.milliseconds(400)
    private static let silenceInterval = TimeDelta.milliseconds(300)

    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        delayBased = DelayBasedRate(rate: Double(configuration.start.bitsPerSecond))
    }

    /// What arrives at the receiver; `nil` until enough has.
    public var acknowledgedBitrate: Bitrate? {
        acknowledged.bitsPerSecond.map { Bitrate(bitsPerSecond: Int64($0)) }
    }

    /// The share of lost packets in the last interval, 0 to 1.
    public var loss: Double { lossBased.loss }

    /// The queue that stands on the path, as far as the delays tell.
    public var standingQueue: TimeDelta { .microseconds(Int64(min(standing, 100) * 1e6)) }

    /// Whether others keep the path's queue full, so that losses decide.
    public var isCompeting: Bool { delayBased.isCompeting }

    /// Whether it is known what the path carries, and the target is near that.
    public func isNearCapacity(at now: Instant) -> Bool { delayBased.isNearCapacity(at: now) }

    /// What somebody must know to decide whether the path may be probed, and what for.
    ///
    /// - Parameters:
    ///   - useful: More than this nobody could make use of.
    ///   - sent: What is sent, without probes.
    public func probeConditions(useful: Bitrate, sent: Bitrate, at now: Instant) -> ProbeSchedule.Conditions {
        ProbeSchedule.Conditions(
            target: target, useful: min(useful, configuration.maximum),
            isCalm: standingQueue < Self.calmQueue && !isCompeting && loss < 0.05 && silence == 1,
            isLimited: sent.bitsPerSecond * 10 < target.bitsPerSecond * 7, isNearCapacity: isNearCapacity(at: now))
    }

    /// Bytes that may be under way: what the target makes in a round trip without a queue, and a tenth of a second more.
    public var window: Int {
        let time = (shortestRoundTripTime ?? Self.assumedRoundTripTime) + .milliseconds(150)
        let queue = isCompeting ? standing : 0
        return max(Int(Double(target.bitsPerSecond) / 8 * (time.seconds + min(queue, 1))), 6_000)
    }

    /// Takes in what feedback told: ``TransportFeedbackReader/results``.
    ///
    /// - Parameter beside: What else goes the same way.
    public mutating func update(
        _ results: [TransportPacketResult], beside: BesideTraffic = BesideTraffic(), at now: Instant
    ) {
        guard !results.isEmpty else { return }
        lastFeedback = now
        silence = 1
        lastSilence = nil
        var newestSent: Instant?
        var sample = PathSample()
        arrivals.removeAll(keepingCapacity: true)
        for result in results {
            lossBased.add(result)
            if !result.wasThoughtLost { sent.add(result.size, at: result.sent) }
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
        sample.loss = lossBased.loss
        delayBased.update(sample, at: now)
        if delayBased.isPathLonger { delay.begin() }
        delay.keepsLowest = delayBased.keepsQueueing(at: now)
        let isQueueing = sample.queue > Self.notableQueue
        if lossBased.update(
            rate: bounded(rate), roundTripTime: roundTripTime, isQueueing: isQueueing,
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
    public var patience: TimeDelta {
        Self.longestSilence + min(roundTripTime ?? Self.assumedRoundTripTime, .seconds(1)) * 2
    }

    /// Lowers the target as long as feedback is missing of what is under way.
    ///
    /// - Returns: Whether the target has changed.
    public mutating func handleSilence(bytesInFlight: Int, at now: Instant) -> Bool {
        guard bytesInFlight > 0, let lastFeedback else { return false }
        guard
            now - max(lastFeedback, lastSilence ?? lastFeedback)
                > (lastSilence == nil ? patience : Self.silenceInterval)
        else { return false }
        lastSilence = now
        silence = max(silence * 0.7, 0.02)
        return true
    }

    /// Takes in a REMB. In a session without transport-wide feedback it is all that there is, and then the target
    /// follows it upwards too.
    public mutating func update(_ limit: ReceiverEstimatedMaximumBitrate, at now: Instant) {
        receiverLimit = limit.bitrate
        receiverLimitTime = now
        if roundTripTime == nil { delayBased.set(min(max(Double(limit.bitrate.bitsPerSecond), minimum), maximum)) }
    }

    /// The path is another one: what was learnt of the old one does not hold.
    public mutating func pathChanged() {
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
