public import RTCWire

/// The effects of one direction of a link on its datagrams.
///
/// In the order of processing: a link that is down, or whose ``maximumDatagramSize`` is exceeded, drops the datagram,
/// and a policer drops what exceeds its rate. The datagram then waits in the queue, and for its transmission at the
/// bandwidth. It may be lost, corrupted or duplicated on the way, which uses bandwidth as in reality, and arrives after
/// the delay and the jitter.
public struct LinkConditions: Sendable, Hashable {
    /// Without a limit when `nil`; such a link has no queue.
    public var bandwidth: Bitrate?
    /// Drops what exceeds its rate, without delay.
    public var policer: Policer?
    /// Time that every datagram is under way, apart from queue and bandwidth.
    public var delay: TimeDelta = .zero
    public var jitter: Jitter = .none
    public var loss: LossModel = .none
    public var reordering: Reordering = .none
    /// The probability that a datagram arrives twice.
    public var duplication: Double = 0
    /// The probability that one bit of a datagram is inverted.
    public var corruption: Double = 0
    /// The capacity of the queue in front of the bandwidth. Datagrams that do not fit are dropped (drop-tail).
    public var queue: QueueLimit = .time(.milliseconds(250))
    /// The bytes that each datagram uses beside its payload, counted by the bandwidth and by the queue: by default
    /// those of IPv4 and UDP.
    public var overhead = 28
    /// Larger payloads vanish, as on a path whose MTU is not announced.
    public var maximumDatagramSize = 65_507
    /// Whether the link is up. Going down drops the queue; datagrams that have left the queue still arrive.
    public var isUp = true

    /// A link without delay, loss or limit.
    public init() {}

    /// Creates conditions with the parameters that most tests need.
    public init(
        bandwidth: Bitrate? = nil, delay: TimeDelta = .zero, jitter: Jitter = .none, loss: LossModel = .none,
        queue: QueueLimit = .time(.milliseconds(250))
    ) {
        self.bandwidth = bandwidth
        self.delay = delay
        self.jitter = jitter
        self.loss = loss
        self.queue = queue
    }

    /// A link without delay, loss or limit.
    public static var perfect: LinkConditions { LinkConditions() }

    /// A link that is down.
    public static var down: LinkConditions {
        var conditions = LinkConditions()
        conditions.isUp = false
        return conditions
    }
}

/// The part of the delay that differs from datagram to datagram.
public struct Jitter: Sendable, Hashable {
    public enum Distribution: Sendable, Hashable {
        /// Even between zero and this.
        case uniform(upTo: TimeDelta)
        /// Around three standard deviations, and never below zero or above six of them.
        case normal(standardDeviation: TimeDelta)
    }

    public var distribution: Distribution
    /// Whether a datagram waits for those in front of it, as in one queue, or may overtake them, as on many paths.
    public var keepsOrder: Bool

    public init(_ distribution: Distribution, keepsOrder: Bool = true) {
        self.distribution = distribution
        self.keepsOrder = keepsOrder
    }

    public static var none: Jitter { Jitter(.uniform(upTo: .zero)) }

    public static func uniform(upTo limit: TimeDelta, keepsOrder: Bool = true) -> Jitter {
        Jitter(.uniform(upTo: limit), keepsOrder: keepsOrder)
    }

    public static func normal(standardDeviation: TimeDelta, keepsOrder: Bool = true) -> Jitter {
        Jitter(.normal(standardDeviation: standardDeviation), keepsOrder: keepsOrder)
    }

    func draw(_ random: inout SimulationRandom) -> TimeDelta {
        switch distribution {
        case .uniform(let limit):
            guard limit > .zero else { return .zero }
            return TimeDelta(nanoseconds: Int64(random.below(UInt64(limit.nanoseconds))))
        case .normal(let deviation):
            guard deviation > .zero else { return .zero }
            let deviations = min(max(3 + random.normal(), 0), 6)
            return TimeDelta(nanoseconds: Int64(Double(deviation.nanoseconds) * deviations))
        }
    }
}

/// Datagrams that are held back, so that later ones overtake them.
public struct Reordering: Sendable, Hashable {
    /// The probability that a datagram is held back.
    public var probability: Double
    /// The time for which it is held back.
    public var delay: TimeDelta

    public init(probability: Double, delay: TimeDelta) {
        self.probability = probability
        self.delay = delay
    }

    public static var none: Reordering { Reordering(probability: 0, delay: .zero) }
}

/// A rate limit without a queue, as network providers apply it: a token bucket that fills with `rate` and holds `burst`
/// bytes. A datagram for which it has too few tokens is dropped.
public struct Policer: Sendable, Hashable {
    public var rate: Bitrate
    /// At most a gigabyte.
    public var burst: Int

    public init(rate: Bitrate, burst: Int) {
        self.rate = rate
        self.burst = min(max(0, burst), 1_000_000_000)
    }
}

/// The capacity of a queue, without the datagram that is being sent.
public enum QueueLimit: Sendable, Hashable {
    case unlimited
    /// Payloads and overhead together.
    case bytes(Int)
    case datagrams(Int)
    /// As many bytes as the bandwidth carries in this time.
    case time(TimeDelta)
}

/// The counters of a link.
package struct LinkStatistics: Sendable, Hashable {
    /// Datagrams that were handed to the link.
    package var entered = 0
    /// Datagrams that came out at the other end or are on their way there, duplicates included.
    package var passed = 0
    /// Bytes of those, with the overhead.
    package var passedBytes = 0
    /// Lost by the loss model.
    package var lost = 0
    /// Dropped because the queue was full.
    package var queueFull = 0
    /// Dropped by the policer.
    package var policed = 0
    /// Refused because the link was down.
    package var refused = 0
    /// Refused because of their size.
    package var tooLarge = 0
    package var duplicated = 0
    package var corrupted = 0
    /// Held back by ``LinkConditions/reordering``.
    package var heldBack = 0
    /// The most bytes that have waited in the queue.
    package var longestQueue = 0

    package init() {}
}
