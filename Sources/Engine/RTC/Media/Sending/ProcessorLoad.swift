internal import RTCWire

/// Counts the steps of a ladder by which an encoder must go down to keep up with the frame rate.
///
/// Goes down one step after a period in which encoding takes most of the frame interval; goes up one step after a
/// longer period in which the step above would leave room. A step that proved too much is retried at increasing
/// intervals.
struct ProcessorLoad {
    /// The fraction of the frame interval that encoding may take, and may take at the step above.
    static let (most, mostAfter) = (0.85, 0.6)
    static let timeUntilDecrease = TimeDelta.seconds(2)
    static let (timeUntilIncrease, longestTimeUntilIncrease) = (TimeDelta.seconds(8), TimeDelta.seconds(120))
    /// The time within which a repeated overload shows that the step above was tried too early.
    static let relapseInterval = TimeDelta.seconds(15)
    /// The smoothing time of the load, in seconds.
    private static let window = 1.0

    private(set) var step = 0
    /// The smoothed fraction of time; `nil` before the first frame of a step.
    private(set) var load: Double?
    private var patience = StepPatience(
        timeUntilIncrease, longest: longestTimeUntilIncrease, relapse: relapseInterval)
    private var highSince: Instant?
    private var lowSince: Instant?

    /// Adds an encoded frame.
    ///
    /// - Parameters:
    ///   - time: The encoding time.
    ///   - interval: The interval between frames to encode.
    ///   - growth: The ratio of pixels per second of the step above; `nil` if there is none.
    ///   - mayShrink: Whether there is a step below.
    mutating func note(
        time: TimeDelta, interval: TimeDelta, growth: Double?, mayShrink: Bool, at now: Instant
    ) {
        guard interval > .zero else { return }
        let share = min(max(time.seconds / interval.seconds, 0), 4)
        let weight = min(max(interval, time).seconds / Self.window, 1)
        let load = load.map { $0 + (share - $0) * weight } ?? share
        self.load = load
        if load > Self.most, mayShrink {
            lowSince = nil
            let since = highSince ?? now
            highSince = since
            guard now - since >= Self.timeUntilDecrease else { return }
            patience.noteDown(at: now)
            move(by: 1)
        } else if step > 0, let growth, load * growth < Self.mostAfter {
            highSince = nil
            let since = lowSince ?? now
            lowSince = since
            guard now - since >= patience.time else { return }
            patience.noteUp(at: now)
            move(by: -1)
        } else {
            highSince = nil
            lowSince = nil
            patience.noteCalm(at: now)
        }
    }

    /// Limits the steps, because the source's frames have become smaller or fewer.
    mutating func limit(to last: Int) {
        if step > last { move(by: last - step) }
    }

    private mutating func move(by steps: Int) {
        step += steps
        load = nil
        highSince = nil
        lowSince = nil
    }
}
