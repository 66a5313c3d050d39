/// Computes the quality of a call from the statistics of its connection.
///
/// Pass it a report about once per second. The quality gets worse after two seconds, and better after six seconds, so
/// that it does not flicker. It reads no clock.
///
/// ```swift
/// var meter = CallQualityMeter()
/// // Once a second:
/// if let quality = meter.update(await connection.getStats(), at: time) { show(quality) }
/// ```
public struct CallQualityMeter: Sendable {
    /// The current quality; `nil` during the first seconds of media.
    public private(set) var quality: CallQuality?

    private var window = QualityWindow()
    private var lastTime: Double?
    private var trend: Trend?

    /// Consecutive judgements that differ from ``quality`` in one direction.
    private struct Trend: Sendable {
        enum Direction: Sendable { case worse, better, otherReason }
        var direction: Direction
        var since: Double
        /// The judgement in that time that is nearest to ``quality``.
        var nearest: CallQuality
    }

    private static let leastInterval = 0.5
    private static let patience: [Trend.Direction: Double] = [.worse: 2, .better: 6, .otherReason: 6]

    public init() {}

    /// Updates the quality with a report.
    ///
    /// - Parameters:
    ///   - report: A report of the same connection. A report within half a second of the previous one is ignored.
    ///   - hasNetwork: Whether this machine reaches other machines, such as a signalling server. It decides whose
    ///     network is the cause if nothing arrives.
    ///   - time: The time of the report, on any monotonic clock.
    /// - Returns: The new quality, if it changed.
    public mutating func update(
        _ report: StatisticsReport, hasNetwork: Bool = true, at time: Duration
    ) -> CallQuality? {
        update(QualityReading(report), hasNetwork: hasNetwork, at: time / .seconds(1))
    }

    mutating func update(_ reading: QualityReading, hasNetwork: Bool, at time: Double) -> CallQuality? {
        if let lastTime, time < lastTime + Self.leastInterval { return nil }
        lastTime = time
        window.add(reading, at: time)
        guard let change = window.change else { return nil }
        let before = quality
        weigh(QualityJudgement.judge(change, hasNetwork: hasNetwork), at: time)
        return quality == before ? nil : quality
    }

    private mutating func weigh(_ judged: CallQuality, at time: Double) {
        guard let quality else { return quality = judged }
        guard judged != quality else { return trend = nil }
        let direction: Trend.Direction =
            judged.level == quality.level ? .otherReason : judged.level < quality.level ? .worse : .better
        if let trend, trend.direction == direction {
            if isNearer(judged, than: trend.nearest) { self.trend?.nearest = judged }
        } else {
            trend = Trend(direction: direction, since: time, nearest: judged)
        }
        guard let trend, time - trend.since >= Self.patience[direction] ?? 0 else { return }
        self.quality = trend.nearest
        self.trend = nil
    }

    /// Whether a judgement is nearer to ``quality``, or equally near and newer.
    private func isNearer(_ judged: CallQuality, than other: CallQuality) -> Bool {
        guard let level = quality?.level.rawValue else { return true }
        return abs(judged.level.rawValue - level) <= abs(other.level.rawValue - level)
    }
}
