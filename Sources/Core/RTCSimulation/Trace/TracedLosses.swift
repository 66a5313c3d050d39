/// The random losses and the reordering of a traced link over time, without the losses of a full queue and those in silences.
struct TracedLosses: Sendable, Hashable {
    /// From `begin` on, until the next step.
    struct Step: Sendable, Hashable {
        /// In intervals.
        var begin: Int
        /// Of the packets that entered the link, 0 to 1.
        var share: Double
        /// The mean number of consecutive losses.
        var burst: Double
        /// Of the packets that arrived, 0 to 1.
        var reordered: Double
        /// How late these were, in milliseconds.
        var lateness: Double
    }

    private(set) var steps: [Step] = []
    /// The longest queue beside losses of a full queue, in milliseconds; `nil` where none was full.
    private(set) var fullQueue: Double?

    /// Counts are compared over five seconds.
    private static let window = 50
    /// Losses this near, in intervals, to a high queue are those of a full queue.
    private static let reach = 5
    /// A queue that may be full has at least these milliseconds, and half of the longest of the call.
    private static let high = 80.0
    /// After a silence, losses count as part of it for so many intervals.
    private static let afterSilence = 10

    init(of link: TracedLink, _ silences: [TracedSilence]) {
        let intervals = link.intervals
        guard !intervals.isEmpty else { return }
        let high = max(Self.high, intervals.reduce(0) { max($0, $1.queue) } / 2)
        var isLeftOut = [Bool](repeating: false, count: intervals.count)
        for silence in silences {
            for index in silence.range.lowerBound..<min(silence.range.upperBound + Self.afterSilence, intervals.count) {
                isLeftOut[index] = true
            }
        }
        for index in intervals.indices where intervals[index].queue >= high {
            let near = max(index - Self.reach, 0)..<min(index + Self.reach + 1, intervals.count)
            let lost = intervals[near].reduce(0) { $0 + $1.packetsLost }
            if lost >= 1 { fullQueue = max(fullQueue ?? 0, intervals[index].queue) }
            for other in near { isLeftOut[other] = true }
        }
        var current = Tally(begin: 0)
        for begin in stride(from: 0, to: intervals.count, by: Self.window) {
            var tally = Tally(begin: begin)
            for index in begin..<min(begin + Self.window, intervals.count) where !isLeftOut[index] {
                tally.add(intervals[index])
            }
            if current.isLike(tally) {
                current.add(tally)
            } else {
                steps.append(current.step)
                current = tally
            }
        }
        steps.append(current.step)
    }

    func step(at index: Int) -> Step? {
        steps.latest(at: index) { $0.begin }
    }
}

/// Counts of some intervals.
private struct Tally {
    var begin: Int
    var (arrived, lost, runs, reordered, lateness) = (0.0, 0.0, 0.0, 0.0, 0.0)

    /// Fewer say nothing.
    private static let fewest = 20.0
    /// Shares that differ by less are the same.
    private static let smallest = 0.01

    init(begin: Int) {
        self.begin = begin
    }

    mutating func add(_ interval: TracedLink.Interval) {
        arrived += interval.packetsArrived
        lost += interval.packetsLost
        runs += interval.lossRuns
        reordered += interval.packetsReordered
        lateness += interval.reorderingDelay
    }

    mutating func add(_ other: Tally) {
        arrived += other.arrived
        lost += other.lost
        runs += other.runs
        reordered += other.reordered
        lateness += other.lateness
    }

    private var packets: Double { arrived + max(lost, 0) }
    private var lossShare: Double { packets > 0 ? min(max(lost, 0) / packets, 1) : 0 }
    private var reorderedShare: Double { arrived > 0 ? min(reordered / arrived, 1) : 0 }
    private var burst: Double { lost > 0 && runs >= 1 ? min(max(lost / runs, 1), 100) : 1 }

    /// Whether what differs may be chance.
    func isLike(_ other: Tally) -> Bool {
        guard packets >= Self.fewest, other.packets >= Self.fewest else { return true }
        func isNear(_ one: Double, _ two: Double, factor: Double) -> Bool {
            let mean = max((one + two) / 2, 0.002)
            let deviation = (mean * factor * (1 / packets + 1 / other.packets)).squareRoot()
            return abs(one - two) <= Self.smallest + 1.5 * deviation
        }
        // A step too many does no harm.
        return isNear(lossShare, other.lossShare, factor: max(burst, other.burst))
            && isNear(reorderedShare, other.reorderedShare, factor: 1)
    }

    var step: TracedLosses.Step {
        let isLossy = lost >= 3 && lossShare >= 0.003
        let isReordering = reordered >= 3 && reorderedShare >= 0.003
        return TracedLosses.Step(
            begin: begin, share: isLossy ? lossShare : 0, burst: isLossy ? burst : 1,
            reordered: isReordering ? reorderedShare : 0, lateness: isReordering ? lateness / reordered : 0)
    }
}
