internal import RTCWire

/// The information of the last feedback about the path, as input of ``DelayBasedRate``.
struct PathSample: Sendable {
    /// The standing queue, in seconds.
    var queue = 0.0
    /// The arrival rate in bits per second: over half a second, and by packet dispersion over less than 0.2 s.
    var acknowledged: Double?
    var dispersion: Double?
    /// The recent send rate in bits per second.
    var sent: Double?
    /// The round trip, queueing included.
    var roundTripTime = TimeDelta.milliseconds(200)
    var hasLoss = false
    /// The recent loss ratio if a queue may be the cause, otherwise 0.
    var loss = 0.0
    /// The measurement of packet trains.
    var trains: PacketTrains.Measure?
}

/// The rate that the delay allows.
///
/// A standing queue means that the path is saturated, so the arrival rate is its capacity. The rate is set slightly
/// below it, and lower the more there is to drain; without a queue it grows. If a queue does not drain although less is
/// sent than arrived, competing traffic fills it: while that lasts, the rate follows losses, as TCP's does.
struct DelayBasedRate: Sendable {
    /// A period with a standing queue.
    private struct Episode: Sendable {
        var begin: Instant
        /// The rate before the period.
        var ceiling: Double
        /// The highest arrival rate in the period: the path's capacity, if there is no other traffic.
        var most: Double
        var longest: Double
        /// The time by which the queue should have become shorter, in seconds.
        var expected = 0.0
    }

    /// A period in which competing traffic keeps the queue full.
    private struct Competition: Sendable {
        var lastDecrease: Instant
        /// The time of the last loss or trial.
        var lastSign: Instant
        var longest: Double
        /// The end of a trial at a reduced rate, to see whether the queue drains, and the queue before it.
        var trial: (end: Instant, queue: Double)?
        var level: QueueLevel
    }

    /// Measures the queue's fluctuation that we do not cause: a shared or radio path has jitter that is not a queue.
    private struct Jitter: Sendable {
        /// The fluctuation in seconds: what a queue must exceed to be told from it.
        private(set) var extent = 0.0
        private var up = 0.0
        private var down = 0.0
        private var much = 0.0
        private var lastChange = 0.0
        private var last: Double?

        /// The addition to the tolerated queue, in seconds.
        mutating func allowance(after queue: Double) -> Double {
            let change = queue - (last ?? queue)
            last = queue
            // A growing or draining queue moves one way: only changes against the last direction count.
            let turns = change * lastChange < 0
            if change != 0 { lastChange = change }
            up += 0.03 * (turns ? min(max(change, 0), 0.03) : 0) - 0.03 * up
            down += 0.03 * (turns ? min(max(-change, 0), 0.03) : 0) - 0.03 * down
            extent = 24 * min(up, down)
            let seen = max(extent - 0.025, 0)
            // High jitter is remembered, because a lower send rate shows less of it.
            much = max(much * 0.998, seen > 0.01 ? min(seen * 4, 0.15) : 0)
            return min(max(seen, much), 0.2)
        }
    }

    /// The rate in bits per second.
    private(set) var rate: Double
    /// The path's capacity in bits per second, if known.
    private(set) var capacity: Double?
    /// Whether no limit has been found yet, so that the rate may double per second.
    private(set) var isStarting = true

    /// Whether the queue drained at a reduced rate, or stays constant, so that the remaining delay belongs to the path.
    private(set) var isPathLonger = false

    private var capacityTime = Instant.zero
    private var jitter = Jitter()
    private var episode: Episode?
    private var competition: Competition?
    private var lastUpdate: Instant?
    private var lastDecrease: Instant?
    /// The last train's measurement, and its time.
    private var lastTrain: (measure: PacketTrains.Measure, time: Instant)?

    /// The assumed size of a packet in bits.
    private static let packetBits = 1_200.0 * 8
    /// The target fraction of the capacity.
    private static let share = 0.95
    /// The delay, in seconds, below which a queue is negligible.
    private static let shortestQueue = 0.015
    /// The approximate time to drain a queue, in seconds.
    private static let drainTime = 0.5
    /// The parameters against competing traffic: packets added per round trip, and the factor after a loss.
    private static let (competingIncrease, competingDecrease) = (1.8, 0.8)
    /// The transmission time of a packet from which packets themselves make the queue fluctuate, in seconds.
    private static let longPacketTime = 0.05
    private static let capacityAge = TimeDelta.seconds(20)
    /// The time within which a path that is in use to its capacity shows it again.
    private static let confirmedAge = TimeDelta.milliseconds(1_500)
    /// The time for which a train is remembered.
    private static let trainAge = TimeDelta.seconds(6)

    init(rate: Double) {
        self.rate = rate
    }

    /// Whether competing traffic keeps the queue full.
    var isCompeting: Bool { competition != nil }

    /// Whether the rate is already reduced for a queue or follows losses.
    var isDraining: Bool { episode != nil || competition != nil }

    /// Whether competing traffic keeps the queue from emptying, so that the base delay must be kept; until a minute
    /// without losses.
    func keepsQueueing(at now: Instant) -> Bool { competition.map { now - $0.lastDecrease < .seconds(60) } ?? false }

    /// Whether the rate is near the known capacity, or there is competing traffic.
    func isNearCapacity(at now: Instant) -> Bool {
        guard let capacity, now - capacityTime < Self.capacityAge else { return competition != nil }
        return rate > capacity * 0.6
    }

    /// Whether neither a queue nor a train has shown the capacity for a while, although the rate is near it.
    func isCapacityOld(at now: Instant) -> Bool {
        guard let capacity, rate > capacity * 0.9 else { return false }
        return now - capacityTime > Self.confirmedAge
    }

    /// Sets the rate from outside, such as a limit.
    mutating func set(_ rate: Double) { self.rate = rate }

    /// Ends the doubling because a limit was found by other means.
    mutating func endStart() { isStarting = false }

    mutating func update(_ sample: PathSample, at now: Instant) {
        let elapsed = lastUpdate.map { min(max((now - $0).seconds, 0), 0.5) } ?? 0
        lastUpdate = now
        // A queue that causes losses is full, however short.
        let usual = Self.longestQueue(at: capacity ?? sample.acknowledged ?? rate) * (sample.loss >= 0.02 ? 0.4 : 1)
        let allowance = jitter.allowance(after: sample.queue)
        let longest = usual + allowance
        isPathLonger = false
        // Half of the tolerated queue shows that the path was saturated, so the arrival rate is its capacity. Jitter does not: what
        // arrives is then what is sent, and the rate would never rise.
        let fluctuation = isNarrow ? 0 : jitter.extent
        let leastBusy = max(allowance, fluctuation) + min(0.005, usual / 3)
        if sample.queue > leastBusy, let measured = sample.dispersion ?? sample.acknowledged {
            noteCapacity(measured, isSure: sample.queue > longest, at: now)
        }
        noteTrain(sample, longest: longest, at: now)
        if competition != nil {
            compete(sample, elapsed, longest: longest, at: now)
        } else if sample.queue > longest {
            drain(sample, elapsed, longest: longest, at: now)
        } else {
            episode = nil
            grow(sample, elapsed, isQueueing: sample.queue > allowance + usual / 2, at: now)
        }
    }

    /// The tolerated queue in seconds: on a narrow path, one and a half packets.
    private static func longestQueue(at rate: Double) -> Double {
        min(max(shortestQueue, 1.5 * packetBits / max(rate, 10_000)), 0.05)
    }

    /// The transmission time of a packet at the known capacity, in seconds.
    var packetTime: Double { Self.packetBits / max(capacity ?? rate, 10_000) }

    /// Whether packets themselves make the queue fluctuate by more than a radio link does, so that neither jitter nor the absence of a
    /// queue can be told.
    var isNarrow: Bool { packetTime >= Self.longPacketTime }

    // MARK: Capacity

    private mutating func noteCapacity(_ measured: Double, isSure: Bool, at now: Instant) {
        capacityTime = now
        guard let known = capacity else {
            capacity = measured
            return
        }
        // A large deviation means that the path has changed.
        let isFar = abs(measured - known) > known * 0.2
        capacity = isFar && isSure ? measured : known + 0.2 * (measured - known)
    }

    private mutating func noteTrain(_ sample: PathSample, longest: Double, at now: Instant) {
        // A train that arrived as it was sent, no faster than the current rate, gives no information.
        guard let train = sample.trains, train.isSaturated || train.rate > rate * 1.25 else { return }
        defer { lastTrain = (train, now) }
        if train.isSaturated, sample.queue <= longest {
            if let known = capacity, now - capacityTime < Self.capacityAge, abs(known - train.rate) < known * 0.3 {
                capacity = known + 0.1 * (train.rate - known)
                capacityTime = now
            }
        }
        // Two consistent trains in a row are trusted.
        guard let (last, time) = lastTrain, now - time < Self.trainAge, sample.queue <= longest / 2, competition == nil
        else { return }
        let told = min(train.rate, last.rate)
        // The path carried more than its supposed capacity, so the earlier arrival rate was not all of it.
        if let known = capacity, told > known * 1.15 { capacity = nil }
        let least = told * (isStarting ? 0.93 : 0.85)
        if least > rate {
            rate = min(least, rate * 2)
            if let known = capacity, rate > known { capacity = nil }
        } else if train.isSaturated, last.isSaturated, let acknowledged = sample.acknowledged, acknowledged < rate * 0.6
        {
            // The path has become narrower, unnoticed at a low send rate.
            let most = max(train.rate, last.rate, acknowledged / Self.share)
            guard most < rate * 0.8 else { return }
            isStarting = false
            capacity = most
            capacityTime = now
            rate = most * Self.share
        }
    }

    // MARK: Draining

    private mutating func drain(_ sample: PathSample, _ elapsed: Double, longest: Double, at now: Instant) {
        isStarting = false
        lastDecrease = now
        let measured = sample.dispersion ?? sample.acknowledged ?? rate
        var episode = episode ?? Episode(begin: now, ceiling: rate, most: measured, longest: sample.queue)
        if sample.queue > episode.longest + 0.05 {
            // The path has become narrower.
            episode.expected = 0
            episode.most = measured
        }
        episode.longest = max(episode.longest, sample.queue)
        episode.most = max(episode.most, measured)
        if let sent = sample.sent, episode.most > 0 {
            episode.expected += max(1 - sent / episode.most, 0) * elapsed
        }
        self.episode = episode
        if now - episode.begin > .seconds(1), episode.expected > 1.5 * episode.longest + 0.1,
            sample.queue > episode.longest / 2
        {
            self.episode = nil
            competition = Competition(
                lastDecrease: now, lastSign: now, longest: sample.queue, level: QueueLevel(queue: sample.queue, at: now)
            )
            rate = max(rate, min(episode.most * 0.75, episode.ceiling))
            return
        }
        let factor = Self.share - (sample.queue - longest / 2) / Self.drainTime
        rate = min(episode.ceiling, (capacity ?? measured) * max(factor, 0.3))
    }

    // MARK: Growing

    private mutating func grow(_ sample: PathSample, _ elapsed: Double, isQueueing: Bool, at now: Instant) {
        // The rate must not exceed by far what has been tried, and without a measurement nothing was.
        guard let acknowledged = sample.acknowledged else { return }
        let limit = 1.5 * acknowledged + 10_000
        if let known = capacity, acknowledged > known * 1.1 || now - capacityTime > Self.capacityAge { capacity = nil }
        guard rate < limit else { return }
        let increased: Double
        if isStarting {
            increased = rate * power(2, elapsed)
        } else if let capacity {
            let goal = capacity * Self.share
            if rate < goal {
                increased = min(rate * power(1.8, elapsed), goal)
            } else {
                guard !isQueueing else { return }
                // Grows faster the longer there was no reason to decrease.
                increased = rate * power(calm(at: now) < 6 ? 1.02 : 1.08, elapsed)
            }
        } else {
            let calm = calm(at: now)
            increased = rate * power(calm < 3 ? 1.08 : calm < 6 ? 1.2 : 1.4, elapsed)
        }
        rate = min(increased, limit)
    }

    private func calm(at now: Instant) -> Double { lastDecrease.map { (now - $0).seconds } ?? 60 }

    // MARK: Competing traffic

    /// Increases the rate per round trip and reduces it after a loss, like TCP's congestion avoidance, with parameters
    /// for a fair share beside CUBIC.
    private mutating func compete(_ sample: PathSample, _ elapsed: Double, longest: Double, at now: Instant) {
        guard var competition else { return }
        isStarting = false
        competition.longest = max(competition.longest, sample.queue)
        let acknowledged = sample.acknowledged ?? rate
        // A queue that drains when less is sent, or stays constant although more is sent, is not caused by others.
        let isOurs = competition.trial.map { sample.queue < $0.queue * 0.6 } ?? false
        isPathLonger = competition.level.isPath(with: sample.queue, hasLoss: sample.hasLoss, at: now) || isOurs
        if isPathLonger || sample.queue < max(Self.shortestQueue, competition.longest / 10) {
            self.competition = nil
            lastDecrease = nil
            capacity = nil
            return
        }
        if let trial = competition.trial {
            if now > trial.end { competition.trial = nil }
        } else if sample.hasLoss, now - competition.lastDecrease > sample.roundTripTime * 2 {
            competition.lastDecrease = now
            competition.lastSign = now
            rate = min(rate, max(acknowledged, rate * 0.6)) * Self.competingDecrease
        } else if now - competition.lastSign > .seconds(8) {
            competition.lastSign = now
            competition.trial = (
                now + .nanoseconds(Int64(min(2 * sample.queue + 0.2, 3) * 1e9)) + sample.roundTripTime, sample.queue
            )
        } else {
            let roundTrip = max(sample.roundTripTime.seconds, 0.05)
            rate = min(
                rate + Self.competingIncrease * Self.packetBits / (roundTrip * roundTrip) * elapsed,
                1.5 * acknowledged + 10_000)
        }
        self.competition = competition
    }

    /// The rate that may be sent now: half during a trial.
    var allowed: Double { competition?.trial == nil ? rate : rate / 2 }

    /// Approximates `base` to the power of `exponent`, 0 to 1, since the standard library has no `pow`. Accurate within
    /// 2 % for bases up to 2: the quadratic through both ends with the exact slope at 0.
    private func power(_ base: Double, _ exponent: Double) -> Double {
        let growth = base - 1
        let slope = growth - growth * growth / 2 + growth * growth * growth / 3 - growth * growth * growth * growth / 7
        return 1 + slope * exponent + (growth - slope) * exponent * exponent
    }
}
