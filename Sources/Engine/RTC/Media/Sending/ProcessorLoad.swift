internal import RTCWire

/// How many steps of the ladder of sizes an encoder needs to keep up with the pictures.
///
/// Down by one after a while in which encoding takes most of the time from picture to picture; up again by one after a
/// longer while in which the larger size would leave room. A size that proved too large is tried again more and more rarely.
struct ProcessorLoad {
    /// The share of the time from picture to picture that encoding may take, and that it may take at the next larger size.
    static let (most, mostAfter) = (0.85, 0.6)
    static let patienceDown = TimeDelta.seconds(2)
    static let (patienceUp, longestPatienceUp) = (TimeDelta.seconds(8), TimeDelta.seconds(120))
    /// A size that is too large again within this time was tried too early.
    static let relapse = TimeDelta.seconds(15)
    /// Over how many seconds the load is smoothed.
    private static let window = 1.0

    private(set) var step = 0
    /// The share of time, smoothed; `nil` before the first picture of a size.
    private(set) var load: Double?
    private var patience = patienceUp
    private var highSince: Instant?
    private var lowSince: Instant?
    private var lastUp: Instant?

    /// Takes note of a picture.
    ///
    /// - Parameters:
    ///   - time: How long it took.
    ///   - interval: From picture to picture, as they are captured.
    ///   - growth: By how much more pixels the next larger size has; `nil` if there is none.
    ///   - mayShrink: Whether there is a smaller size.
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
            guard now - since >= Self.patienceDown else { return }
            if let lastUp, now - lastUp < Self.relapse { patience = min(patience * 2, Self.longestPatienceUp) }
            lastUp = nil
            move(by: 1)
        } else if step > 0, let growth, load * growth < Self.mostAfter {
            highSince = nil
            let since = lowSince ?? now
            lowSince = since
            guard now - since >= patience else { return }
            lastUp = now
            move(by: -1)
        } else {
            highSince = nil
            lowSince = nil
            if let lastUp, now - lastUp >= Self.relapse { patience = Self.patienceUp }
        }
    }

    /// There are no more steps than so many: the picture has become smaller at its source.
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
