internal import RTCWire

/// Estimates the path from acknowledgements: the standing queue, the delivery rate, and the loss.
///
/// The queue is defined as in the media's estimate (`PathDelay`): the shortest recent delay minus the shortest one over
/// a longer time, so that neither jitter nor our own bursts count. The delay here is the round trip, since SACKs carry
/// no arrival times.
struct PathEstimate {
    /// Whether the last acknowledgement was the first of a round trip.
    private(set) var isNewRound = false
    /// The higher delivery rate of the last two round trips, in bytes per second.
    private(set) var rate = 0.0
    /// The standing queue that media measure on the same path; `nil` without media. Their interval covers several video frames, so
    /// that the burst of one is no queue. Here, on a short round trip, it would be.
    var mediaQueue: TimeDelta?

    /// The shortest delay of the current and the previous interval: that of an empty path.
    private var lowest = WindowedMinimum(interval: Self.lowestInterval)
    /// The same over fractions of a round trip: the current standing delay.
    private var standing = WindowedMinimum(interval: Self.shortestInterval)
    private var roundStart: Instant?
    private var roundBytes = 0
    private var lastRate = 0.0
    /// Bytes that arrived and bytes lost in recent round trips, with exponential decay.
    private var arrived = 0.0
    private var lost = 0.0
    private var chance = RandomLoss()
    private let packetSize: Int

    /// The interval for the delay of an empty path, which is remembered for one to two intervals. It is long, since the
    /// path is seldom empty beside flows that keep a queue filled.
    private static let lowestInterval = TimeDelta.seconds(60)
    private static let shortestInterval = TimeDelta.milliseconds(1)
    /// The factor by which the counts decay per round trip.
    private static let memory = 0.75

    init(packetSize: Int) {
        self.packetSize = packetSize
    }

    /// Processes an acknowledgement.
    ///
    /// - Parameters:
    ///   - acknowledged: Bytes newly arrived.
    ///   - lost: Bytes newly found lost.
    ///   - latestSent: The send time of the last-sent chunk among those that arrived and were sent once.
    ///   - hasRoom: Whether the window is well below W_max, so that losses are random.
    mutating func add(acknowledged: Int, lost: Int, latestSent: Instant?, hasRoom: Bool, at now: Instant) {
        isNewRound = false
        roundBytes += acknowledged
        if hasRoom { chance.add(arrived: acknowledged, lost: lost) }
        arrived += Double(acknowledged)
        self.lost += Double(lost)
        guard let latestSent else { return }
        let delay = max(now - latestSent, .zero)
        lowest.add(delay, at: now)
        standing.interval = max((lowest.value ?? delay) / 4, Self.shortestInterval)
        standing.add(delay, at: now)
        guard let start = roundStart else { return beginRound(at: now) }
        guard latestSent >= start, now > start else { return }
        let measured = Double(roundBytes) / (now - start).seconds
        rate = max(measured, lastRate)
        lastRate = measured
        arrived *= Self.memory
        self.lost *= Self.memory
        if hasRoom { chance.decay() } else { chance.passRoundTrip() }
        beginRound(at: now)
    }

    /// The fraction of W_max below which the window has to be for losses to count as random.
    var room: Double { chance.room(packetSize: packetSize) }

    /// Clears the losses after a reaction to them.
    mutating func forgetLosses() {
        arrived = 0
        lost = 0
    }

    /// Clears the losses, but not what has arrived meanwhile.
    mutating func pardonLosses() {
        lost = 0
    }

    private mutating func beginRound(at now: Instant) {
        isNewRound = true
        roundStart = now
        roundBytes = 0
    }

    /// The part of the delay that is caused by a queue, as far as media confirm it.
    var queue: TimeDelta {
        guard let standing = standing.value, let lowest = lowest.value else { return .zero }
        let queue = max(standing - lowest, .zero)
        return mediaQueue.map { min($0, queue) } ?? queue
    }

    /// The least delay above that of an empty path that counts as a queue: a sixteenth of it, or the time of two
    /// packets on a slow path. Smaller buffers go unnoticed.
    var shortestQueue: TimeDelta {
        let share = min(max((lowest.value ?? .zero) / 16, .milliseconds(1)), .milliseconds(16))
        guard rate > 0 else { return share }
        return max(share, TimeDelta(nanoseconds: Int64(min(Double(2 * packetSize) / rate, 1) * 1e9)))
    }

    /// The bandwidth-delay product in bytes; 0 before the first round trip.
    var capacity: Int { Int(min(rate * (lowest.value?.seconds ?? 0), 1e12)) }

    /// An estimate of ``capacity`` from the current, unfinished round trip.
    func capacityOfThisRound(at now: Instant) -> Int {
        // Acknowledgements arrive in bursts, so a shorter time is not meaningful.
        guard let roundStart, let lowest = lowest.value, now > roundStart, now - roundStart >= lowest / 2 else {
            return 0
        }
        return Int(min(Double(roundBytes) / (now - roundStart).seconds * lowest.seconds, 1e12))
    }

    /// What arrived in recent round trips and what was lost, in bytes.
    struct Losses {
        var arrived: Double
        var lost: Double

        mutating func add(arrived: Int, lost: Int) {
            self.arrived += Double(arrived)
            self.lost += Double(lost)
        }
    }

    /// The recent losses.
    var losses: Losses { Losses(arrived: arrived, lost: lost) }

    /// Whether losses exceed the random loss as it is known by now, and three packets.
    func isHigh(_ losses: Losses) -> Bool {
        let all = losses.lost + losses.arrived
        return losses.lost >= 2.5 * Double(packetSize)
            && losses.lost > all * chance.tolerable(in: all, packetSize: packetSize)
    }

    /// Whether there is a policer, or a buffer too small to notice.
    var isLossHigh: Bool { isHigh(losses) }

    /// Whether a loss now is due to congestion rather than random.
    var isCongested: Bool { queue >= shortestQueue || isLossHigh }
}

/// The lowest value of the current and the previous interval.
private struct WindowedMinimum {
    var interval: TimeDelta
    private var current: TimeDelta?
    private var previous: TimeDelta?
    private var start = Instant(nanoseconds: .min)

    init(interval: TimeDelta) {
        self.interval = interval
    }

    var value: TimeDelta? {
        guard let current else { return nil }
        return previous.map { min($0, current) } ?? current
    }

    mutating func add(_ new: TimeDelta, at now: Instant) {
        guard let current, now - start < interval else {
            previous = now - start < interval * 2 ? current : nil
            current = new
            start = now
            return
        }
        self.current = min(current, new)
    }
}
