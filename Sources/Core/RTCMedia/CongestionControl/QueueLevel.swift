internal import RTCWire

/// Tells the delay of a path that has become longer from a queue that other traffic fills.
///
/// The path's own delay stays the same. Where it varies, as on a radio link, the shortest delay of each second hardly does, and packets
/// that are lost by chance are lost at any delay. A full queue loses packets while it is at its longest.
struct QueueLevel: Sendable {
    /// The range of the queue in seconds, and since when it has stayed within it.
    private var range: (lowest: Double, highest: Double, since: Instant)
    /// The range of the queue in the present second, and in those before, the oldest first.
    private var second: (begin: Instant, lowest: Double, highest: Double)
    private var seconds: [(lowest: Double, highest: Double)] = []
    /// The last loss at the top of the queue's range.
    private var lastOverflow: Instant
    private let begin: Instant

    /// The range within which a queue counts as unchanged, in seconds.
    private static let tolerance = 0.008
    /// The time after which that range has doubled for the shortest delay of each second, in seconds; it goes on growing, so that no
    /// variation of the path counts as other traffic for ever.
    private static let toleranceTime = 60.0
    /// The time for which the queue must be the same, and for which its shortest of each second must be, in seconds.
    private static let (steady, varying) = (TimeDelta.seconds(2), 5)
    /// The part of the queue's range above which a loss is one of a full queue.
    private static let top = 0.7

    init(queue: Double, at now: Instant) {
        range = (queue, queue, now)
        second = (now, queue, queue)
        lastOverflow = now
        begin = now
    }

    /// - Returns: Whether the queue has been the same for long enough to be the path's own delay.
    mutating func isPath(with queue: Double, hasLoss: Bool, at now: Instant) -> Bool {
        range.lowest = min(range.lowest, queue)
        range.highest = max(range.highest, queue)
        if range.highest - range.lowest > Self.tolerance { range = (queue, queue, now) }
        if now - second.begin > .seconds(1) {
            seconds.append((second.lowest, second.highest))
            if seconds.count > Self.varying { seconds.removeFirst() }
            second = (now, queue, queue)
        }
        second.lowest = min(second.lowest, queue)
        second.highest = max(second.highest, queue)
        let lowest = seconds.reduce(second.lowest) { min($0, $1.lowest) }
        let highest = seconds.reduce(second.highest) { max($0, $1.highest) }
        if hasLoss, queue >= lowest + Self.top * (highest - lowest) { lastOverflow = now }
        if now - range.since > Self.steady { return true }
        guard seconds.count == Self.varying, now - lastOverflow > .seconds(Int64(Self.varying)) else { return false }
        let tolerated = Self.tolerance * (1 + (now - begin).seconds / Self.toleranceTime)
        return seconds.allSatisfy { $0.lowest <= lowest + tolerated }
    }
}
