/// Tells how good a call is, by the statistics of its connection.
///
/// It is given a report about once a second, and answers when its opinion changes. A call gets worse when that has lasted
/// for two seconds, and better when that has lasted for six, so that nothing flickers. It reads no clock.
///
/// ```swift
/// var meter = CallQualityMeter()
/// // Once a second:
/// if let quality = meter.update(await connection.getStats(), at: time) { show(quality) }
/// ```
public struct CallQualityMeter: Sendable {
    /// What it says at present; `nil` before there have been some seconds of media.
    public private(set) var quality: CallQuality?

    private var window = QualityWindow()
    private var lastTime: Double?
    private var trend: Trend?

    /// Judgements that differ from ``quality`` in one direction.
    private struct Trend: Sendable {
        enum Direction: Sendable { case worse, better, otherReason }
        var direction: Direction
        var since: Double
        /// Of what was judged meanwhile, what is nearest to ``quality``.
        var nearest: CallQuality
    }

    private static let leastInterval = 0.5
    private static let patience: [Trend.Direction: Double] = [.worse: 2, .better: 6, .otherReason: 6]

    public init() {}

    /// Takes in a report.
    ///
    /// - Parameters:
    ///   - report: Of one connection. Reports that come within half a second are passed over.
    ///   - hasNetwork: Whether this machine reaches anybody else, such as a signalling server. It says whose network is at
    ///     fault when nothing arrives at all.
    ///   - time: When the report was made, on any clock that goes forward.
    /// - Returns: The new opinion, when it has changed.
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

    /// Whether it is nearer to ``quality``; of equal ones the newer counts.
    private func isNearer(_ judged: CallQuality, than other: CallQuality) -> Bool {
        guard let level = quality?.level.rawValue else { return true }
        return abs(judged.level.rawValue - level) <= abs(other.level.rawValue - level)
    }
}
