public import RTCWire

/// How much the path to the peer carries, as far as the peer's transport-wide feedback tells
/// (after [draft-ietf-rmcat-gcc-02](https://datatracker.ietf.org/doc/html/draft-ietf-rmcat-gcc-02)).
///
/// Two estimates stand beside each other, of which the lower one counts: the delay-based one backs off when packets take
/// longer and longer, before anything is lost; the loss-based one when much is lost. A REMB of the receiver caps both.
/// Without any feedback the target stays where it began. docs/rtp.md tells where this differs from the draft.
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

    private var delayTrend = DelayTrend()
    private var delayBased: DelayBasedRate
    private var lossBased = LossBasedRate()
    private var acknowledged = AcknowledgedBitrate()
    /// What the last feedback told to have arrived. Kept to be filled again.
    private var arrivals: [(sent: Instant, at: Instant)] = []
    private var receiverLimitTime = Instant.zero
    private var lastStandingDecrease: Instant?

    /// A REMB counts for as long; receivers that send it do so once a second.
    static let receiverLimitAge = TimeDelta.seconds(5)
    private static let assumedRoundTripTime = TimeDelta.milliseconds(200)
    /// Queues that are emptied when they stand: without loss, with loss; and one that explains loss.
    private static let longestQueue = TimeDelta.milliseconds(150)
    private static let lossyQueue = TimeDelta.milliseconds(80)
    private static let notableQueue = TimeDelta.milliseconds(50)

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

    /// Whether the path seemed to be over its capacity when feedback came last.
    public var isOverusing: Bool { delayTrend.usage == .over }

    /// Takes in what feedback told: ``TransportFeedbackReader/results``.
    public mutating func update(_ results: [TransportPacketResult], at now: Instant) {
        guard !results.isEmpty else { return }
        var newestSent: Instant?
        arrivals.removeAll(keepingCapacity: true)
        for result in results {
            lossBased.add(result)
            guard let arrival = result.arrival else { continue }
            acknowledged.add(result.size, arrival: arrival)
            arrivals.append((result.sent, arrival))
            newestSent = max(newestSent ?? result.sent, result.sent)
        }
        noteDelays()
        if let newestSent {
            let measured = max(now - newestSent, .milliseconds(1))
            roundTripTime = roundTripTime.map { ($0 * 7 + measured) / 8 } ?? measured
        }
        let roundTripTime = roundTripTime ?? Self.assumedRoundTripTime
        delayBased.update(
            usage(at: now), acknowledged: acknowledged.bitsPerSecond, roundTripTime: roundTripTime, at: now)
        let isQueueing = delayTrend.standingQueue > Self.notableQueue
        if lossBased.update(rate: bounded(rate), roundTripTime: roundTripTime, isQueueing: isQueueing, at: now) {
            delayBased.endStart()
        }
        expireReceiverLimit(at: now)
        // The delay-based rate does not run away from what the other limits let be tried.
        delayBased.set(min(max(delayBased.rate, minimum), maximum, lossBased.limit * 1.5))
    }

    /// Tells the trend of the arrivals in their own order: a packet that was overtaken says nothing of a queue, and is seen
    /// to have been overtaken only behind those that overtook it.
    private mutating func noteDelays() {
        let isInOrder = zip(arrivals, arrivals.dropFirst()).allSatisfy { $0.at <= $1.at }
        if !isInOrder { arrivals.sort { $0.at < $1.at } }
        for arrival in arrivals { delayTrend.add(sent: arrival.sent, arrival: arrival.at) }
    }

    /// What the trend of the delay says, and beside it the delay itself: a queue that fills slowly, or that is full, has
    /// no trend to be seen, and yet must be emptied.
    private mutating func usage(at now: Instant) -> DelayTrend.Usage {
        let limit = lossBased.loss >= 0.02 ? Self.lossyQueue : Self.longestQueue
        guard delayTrend.usage != .over, delayTrend.standingQueue > limit else { return delayTrend.usage }
        // It takes a second until the effect of a decrease is seen in what stands.
        if let last = lastStandingDecrease, now - last < .seconds(1) { return .under }
        lastStandingDecrease = now
        return .over
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

    private var minimum: Double { Double(max(configuration.minimum.bitsPerSecond, 1_000)) }
    private var maximum: Double { max(Double(configuration.maximum.bitsPerSecond), minimum) }

    private var rate: Double { min(delayBased.rate, lossBased.limit) }

    private func bounded(_ rate: Double) -> Double {
        let limit = receiverLimit.map { Double($0.bitsPerSecond) } ?? .infinity
        return min(max(min(rate, limit), minimum), maximum)
    }
}
