internal import RTCWire

/// What acknowledgements tell of the path: the queue that stands on it, how fast data arrive, and how much is lost.
///
/// The queue is what the media's estimate calls by that name (`PathDelay`): by how much the shortest delay of the last
/// moments exceeds the shortest one of a longer time, so that neither jitter nor our own bursts count. Here it is the
/// delay of a round trip, since SACKs have no times of arrival.
struct PathEstimate {
    /// Whether the last acknowledgement was the first of a round trip.
    private(set) var isNewRound = false
    /// Bytes per second that arrived, of the last two round trips the one with more.
    private(set) var rate = 0.0

    /// The shortest delay of the present interval and of the one before: that of an empty path.
    private var lowest = RecentLow(interval: Self.lowestInterval)
    /// The same over fractions of a round trip, for the delay that stands.
    private var standing = RecentLow(interval: Self.shortestMoment)
    private var roundStart: Instant?
    private var roundBytes = 0
    private var lastRate = 0.0
    /// Bytes that arrived and that were lost, of the last round trips; the older, the less they count.
    private var arrived = 0.0
    private var lost = 0.0
    private var chance = ChanceLoss()
    private let packetSize: Int

    /// An empty path is looked back for at least that long, and twice that at most. Long, since beside flows that keep a
    /// queue filled it is seldom seen.
    private static let lowestInterval = TimeDelta.seconds(60)
    private static let shortestMoment = TimeDelta.milliseconds(1)
    /// What remains of a round trip's counts with the next.
    private static let memory = 0.75

    init(packetSize: Int) {
        self.packetSize = packetSize
    }

    /// Takes up an acknowledgement.
    ///
    /// - Parameters:
    ///   - acknowledged: Bytes that have newly arrived.
    ///   - lost: Bytes that turned out to be lost.
    ///   - latestSent: When the chunk left that was sent last, of those that arrived and were sent once.
    ///   - hasRoom: Whether the window is well below the height at which it last was too much: losses are chance then.
    mutating func add(acknowledged: Int, lost: Int, latestSent: Instant?, hasRoom: Bool, at now: Instant) {
        isNewRound = false
        roundBytes += acknowledged
        if hasRoom { chance.add(arrived: acknowledged, lost: lost) }
        arrived += Double(acknowledged)
        self.lost += Double(lost)
        guard let latestSent else { return }
        let delay = max(now - latestSent, .zero)
        lowest.add(delay, at: now)
        standing.interval = max((lowest.value ?? delay) / 4, Self.shortestMoment)
        standing.add(delay, at: now)
        guard let start = roundStart else { return beginRound(at: now) }
        guard latestSent >= start, now > start else { return }
        let measured = Double(roundBytes) / (now - start).seconds
        rate = max(measured, lastRate)
        lastRate = measured
        arrived *= Self.memory
        self.lost *= Self.memory
        if hasRoom { chance.fade() }
        beginRound(at: now)
    }

    /// The losses so far are answered.
    mutating func forgetLosses() {
        arrived = 0
        lost = 0
    }

    private mutating func beginRound(at now: Instant) {
        isNewRound = true
        roundStart = now
        roundBytes = 0
    }

    /// How much of the delay is a queue.
    var queue: TimeDelta {
        guard let standing = standing.value, let lowest = lowest.value else { return .zero }
        return max(standing - lowest, .zero)
    }

    /// A delay above that of an empty path that counts as a queue: a sixteenth of it, or what two packets take on a slow
    /// path. A buffer that is smaller is not seen.
    var shortestQueue: TimeDelta {
        let share = min(max((lowest.value ?? .zero) / 16, .milliseconds(1)), .milliseconds(16))
        guard rate > 0 else { return share }
        return max(share, TimeDelta(nanoseconds: Int64(min(Double(2 * packetSize) / rate, 1) * 1e9)))
    }

    /// Bytes that fill the path without a queue; 0 before the first round trip.
    var capacity: Int { Int(min(rate * (lowest.value?.seconds ?? 0), 1e12)) }

    /// What the present round trip, which is not over, shows of ``capacity``.
    func capacityOfThisRound(at now: Instant) -> Int {
        // Acknowledgements come in bunches: of too short a time they tell nothing.
        guard let roundStart, let lowest = lowest.value, now > roundStart, now - roundStart >= lowest / 2 else {
            return 0
        }
        return Int(min(Double(roundBytes) / (now - roundStart).seconds * lowest.seconds, 1e12))
    }

    /// Whether more is lost than the path loses by chance, and at least three packets: there is a policer, or a buffer too
    /// small to be seen.
    var isLossHigh: Bool {
        lost >= 2.5 * Double(packetSize) && lost > (lost + arrived) * chance.tolerable(packetSize: packetSize)
    }

    /// Whether a loss now is congestion, and not chance.
    var isCongested: Bool { queue >= shortestQueue || isLossHigh }
}

/// The lowest value of the present interval and of the one before.
private struct RecentLow {
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
