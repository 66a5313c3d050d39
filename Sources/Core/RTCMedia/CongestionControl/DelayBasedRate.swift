internal import RTCWire

/// What the last feedback told of the path, as ``DelayBasedRate`` takes it.
struct PathSample: Sendable {
    /// The queue that stands, in seconds.
    var queue = 0.0
    /// Bits per second that arrive: over half a second, and from packet to packet over less than two tenths.
    var acknowledged: Double?
    var dispersion: Double?
    /// Bits per second that left lately.
    var sent: Double?
    /// The round trip, with the queue in it.
    var roundTripTime = TimeDelta.milliseconds(200)
    var hasLoss = false
    /// The share of packets that got lost lately.
    var loss = 0.0
    /// What trains of packets told.
    var trains: PacketTrains.Measure?
}

/// The rate that the delay allows.
///
/// A queue that stands says that the path is busy, and then what arrives is what it carries. The rate is a little less
/// than that, and less the more there is to drain; without a queue it grows. Where a queue does not drain though less is
/// sent than arrived, somebody else fills it: as long as that lasts, the rate follows losses, as TCP's does.
struct DelayBasedRate: Sendable {
    /// A time in which a queue stands.
    private struct Episode: Sendable {
        var begin: Instant
        /// The rate before it.
        var ceiling: Double
        /// The most that arrived in it: what the path carries, if nobody else uses it.
        var most: Double
        var longest: Double
        /// By how much the queue should have become shorter, in seconds.
        var expected = 0.0
    }

    /// Somebody else keeps the queue full.
    private struct Competition: Sendable {
        var lastDecrease: Instant
        /// When a loss was seen last, or the queue was tried.
        var lastSign: Instant
        var longest: Double
        /// Until when little is sent, to see whether the queue drains, and the queue before.
        var trial: (end: Instant, queue: Double)?
        /// Between what the queue has been since when.
        var level: (lowest: Double, highest: Double, since: Instant)
    }

    /// How much the queue goes up and down without our doing: a path that is shared with others, or a radio's, has jitter
    /// that is no queue.
    private struct Jitter: Sendable {
        private var up = 0.0
        private var down = 0.0
        private var much = 0.0
        private var lastChange = 0.0
        private var last: Double?

        /// What is to be added to the queue that may stand, in seconds.
        mutating func allowance(after queue: Double) -> Double {
            let change = queue - (last ?? queue)
            last = queue
            // A queue that builds or drains goes one way: what counts is what goes the other way than before.
            let turns = change * lastChange < 0
            if change != 0 { lastChange = change }
            up += 0.03 * (turns ? min(max(change, 0), 0.03) : 0) - 0.03 * up
            down += 0.03 * (turns ? min(max(-change, 0), 0.03) : 0) - 0.03 * down
            let seen = max(24 * min(up, down) - 0.025, 0)
            // Much of it is remembered: with less that is sent there is less to be seen of it.
            much = max(much * 0.998, seen > 0.01 ? min(seen * 4, 0.15) : 0)
            return min(max(seen, much), 0.2)
        }
    }

    /// In bits per second.
    private(set) var rate: Double
    /// What the path carries, as far as that is known.
    private(set) var capacity: Double?
    /// Until the first sign of a limit the rate may double in a second.
    private(set) var isStarting = true

    /// Whether a queue drained when little was sent, and what is left of it is none.
    private(set) var isPathLonger = false

    private var capacityTime = Instant.zero
    private var jitter = Jitter()
    private var episode: Episode?
    private var competition: Competition?
    private var lastUpdate: Instant?
    private var lastDecrease: Instant?
    /// What the train before told at least, and whether the path was its limit.
    private var lastTrain: (measure: PacketTrains.Measure, time: Instant)?

    /// Bits of a packet.
    private static let packetBits = 1_200.0 * 8
    /// The share of what the path carries that is aimed at.
    private static let share = 0.95
    /// A queue that is none, in seconds.
    private static let shortestQueue = 0.015
    /// In how many seconds a queue is to be drained, about.
    private static let drainTime = 0.5
    /// Beside others: packets more in a round trip, and what is left after a loss.
    private static let (competingIncrease, competingDecrease) = (1.8, 0.8)
    /// Within how much a queue counts as unchanged, in seconds.
    private static let level = 0.008
    private static let capacityAge = TimeDelta.seconds(20)
    /// How long a train is remembered.
    private static let trainAge = TimeDelta.seconds(6)

    init(rate: Double) {
        self.rate = rate
    }

    /// Whether others keep the queue full.
    var isCompeting: Bool { competition != nil }

    /// Whether a queue stands, or losses are answered here, for which the rate is lower already.
    var isDraining: Bool { episode != nil || competition != nil }

    /// Whether the queue is never empty, so that the delay without one is not to be forgotten; for a minute without losses.
    func keepsQueueing(at now: Instant) -> Bool { competition.map { now - $0.lastDecrease < .seconds(60) } ?? false }

    /// Whether it is known what the path carries, and the rate is near that.
    func isNearCapacity(at now: Instant) -> Bool {
        guard let capacity, now - capacityTime < Self.capacityAge else { return competition != nil }
        return rate > capacity * 0.6
    }

    /// Sets the rate from elsewhere, such as a limit.
    mutating func set(_ rate: Double) { self.rate = rate }

    /// A limit was found by other means: no more doubling.
    mutating func endStart() { isStarting = false }

    mutating func update(_ sample: PathSample, at now: Instant) {
        let elapsed = lastUpdate.map { min(max((now - $0).seconds, 0), 0.5) } ?? 0
        lastUpdate = now
        // A queue that loses is full, however short it is.
        let usual = Self.longestQueue(at: capacity ?? sample.acknowledged ?? rate) * (sample.loss >= 0.02 ? 0.4 : 1)
        let allowance = jitter.allowance(after: sample.queue)
        let longest = usual + allowance
        isPathLonger = false
        // Half a queue says that the path was busy, so what arrived is what it carries.
        if sample.queue > allowance + min(0.005, usual / 3), let measured = sample.dispersion ?? sample.acknowledged {
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

    /// The queue that may stand, in seconds: that of a packet and a half on a narrow path.
    private static func longestQueue(at rate: Double) -> Double {
        min(max(shortestQueue, 1.5 * packetBits / max(rate, 10_000)), 0.05)
    }

    /// How long the path takes for a packet, as far as is known, in seconds.
    var packetTime: Double { Self.packetBits / max(capacity ?? rate, 10_000) }

    // MARK: What the path carries

    private mutating func noteCapacity(_ measured: Double, isSure: Bool, at now: Instant) {
        capacityTime = now
        guard let known = capacity else {
            capacity = measured
            return
        }
        // A path that has become another shows it at once.
        let isFar = abs(measured - known) > known * 0.2
        capacity = isFar && isSure ? measured : known + 0.2 * (measured - known)
    }

    private mutating func noteTrain(_ sample: PathSample, longest: Double, at now: Instant) {
        // One that arrived as it left, and left no faster than is sent anyway, tells nothing.
        guard let train = sample.trains, train.isSaturated || train.rate > rate * 1.25 else { return }
        defer { lastTrain = (train, now) }
        if train.isSaturated, sample.queue <= longest {
            if let known = capacity, now - capacityTime < Self.capacityAge, abs(known - train.rate) < known * 0.3 {
                capacity = known + 0.1 * (train.rate - known)
                capacityTime = now
            }
        }
        // Two in a row that say the same are believed.
        guard let (last, time) = lastTrain, now - time < Self.trainAge, sample.queue <= longest / 2, competition == nil
        else { return }
        let told = min(train.rate, last.rate)
        // The path carried more than is thought to be its limit: what arrived then was not all that it carries.
        if let known = capacity, told > known * 1.15 { capacity = nil }
        let least = told * (isStarting ? 0.93 : 0.85)
        if least > rate {
            rate = min(least, rate * 2)
            if let known = capacity, rate > known { capacity = nil }
        } else if train.isSaturated, last.isSaturated, let acknowledged = sample.acknowledged, acknowledged < rate * 0.6
        {
            // The path has become narrower, unnoticed since little is sent.
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
                lastDecrease: now, lastSign: now, longest: sample.queue, level: (sample.queue, sample.queue, now))
            rate = max(rate, min(episode.most * 0.75, episode.ceiling))
            return
        }
        let factor = Self.share - (sample.queue - longest / 2) / Self.drainTime
        rate = min(episode.ceiling, (capacity ?? measured) * max(factor, 0.3))
    }

    // MARK: Growing

    private mutating func grow(_ sample: PathSample, _ elapsed: Double, isQueueing: Bool, at now: Instant) {
        // More than was tried is not known to work. Without a measure nothing was tried.
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
                // Faster the longer nothing speaks against it.
                increased = rate * power(calm(at: now) < 6 ? 1.02 : 1.08, elapsed)
            }
        } else {
            let calm = calm(at: now)
            increased = rate * power(calm < 3 ? 1.08 : calm < 6 ? 1.2 : 1.4, elapsed)
        }
        rate = min(increased, limit)
    }

    private func calm(at now: Instant) -> Double { lastDecrease.map { (now - $0).seconds } ?? 60 }

    // MARK: Beside others

    /// Some more in each round trip, and less after a loss, as TCP's congestion avoidance does; with factors by which it has
    /// its part beside CUBIC.
    private mutating func compete(_ sample: PathSample, _ elapsed: Double, longest: Double, at now: Instant) {
        guard var competition else { return }
        isStarting = false
        competition.longest = max(competition.longest, sample.queue)
        let acknowledged = sample.acknowledged ?? rate
        competition.level.lowest = min(competition.level.lowest, sample.queue)
        competition.level.highest = max(competition.level.highest, sample.queue)
        if competition.level.highest - competition.level.lowest > Self.level {
            competition.level = (sample.queue, sample.queue, now)
        }
        // It drains when less is sent, or stays as it is though more and more is sent: it is not made by others.
        let isOurs = competition.trial.map { sample.queue < $0.queue * 0.6 } ?? false
        isPathLonger = isOurs || now - competition.level.since > .seconds(2)
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

    /// What may be sent now: little, while it is tried whether the queue drains.
    var allowed: Double { competition?.trial == nil ? rate : rate / 2 }

    /// `base` to the power of `exponent`, which is from 0 to 1; the standard library has no `pow`. Within 2 % for bases
    /// up to 2: the quadratic through the ends and the exact slope at 0.
    private func power(_ base: Double, _ exponent: Double) -> Double {
        let growth = base - 1
        let slope = growth - growth * growth / 2 + growth * growth * growth / 3 - growth * growth * growth * growth / 7
        return 1 + slope * exponent + (growth - slope) * exponent * exponent
    }
}
