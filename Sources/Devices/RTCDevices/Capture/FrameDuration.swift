/// The duration of one frame in seconds, as a fraction, as in AVFoundation.
///
/// A frame rate is not precise enough. A USB camera counts in units of 100 ns: its "30 frames a second" last 333,333 of
/// them, which is less than a thirtieth of a second, and the framework ends an app that then requests a thirtieth.
struct FrameDuration: Sendable, Hashable, Comparable {
    var value: Int64
    var timescale: Int32

    var rate: Double { value > 0 ? Double(timescale) / Double(value) : .infinity }

    private var isValid: Bool { value > 0 && timescale > 0 }

    static func < (left: FrameDuration, right: FrameDuration) -> Bool {
        Int128(left.value) * Int128(right.timescale) < Int128(right.value) * Int128(left.timescale)
    }

    /// The duration to request, which one of the ranges contains; `nil` if none has the rate or nearly that rate.
    static func nearest(to rate: Double, in ranges: [ClosedRange<FrameDuration>]) -> FrameDuration? {
        guard rate.isFinite, rate > 0, rate < 1_000_000 else { return nil }
        let wanted = FrameDuration(value: 1_000, timescale: Int32((min(rate, 1_000_000) * 1_000).rounded()))
        let valid = ranges.filter { $0.lowerBound.isValid && $0.upperBound.isValid }
        let choices = valid.map { min(max(wanted, $0.lowerBound), $0.upperBound) }
        return choices.filter { abs($0.rate - rate) <= rate / 200 }.min { abs($0.rate - rate) < abs($1.rate - rate) }
    }
}
