internal import RTCWire

/// How long to wait before a step up is tried: longer each time that one had to be taken back soon.
struct StepPatience {
    /// The time to wait now.
    private(set) var time: TimeDelta
    private let first: TimeDelta
    private let longest: TimeDelta
    /// The time within which a step down shows that the step up was too early.
    private let relapse: TimeDelta
    private var lastUp: Instant?

    init(_ first: TimeDelta, longest: TimeDelta, relapse: TimeDelta) {
        time = first
        self.first = first
        self.longest = longest
        self.relapse = relapse
    }

    mutating func noteUp(at now: Instant) { lastUp = now }

    mutating func noteDown(at now: Instant) {
        if let lastUp, now - lastUp < relapse { time = min(time * 2, longest) }
        lastUp = nil
    }

    /// Notes that a step holds.
    mutating func noteCalm(at now: Instant) {
        if let lastUp, now - lastUp >= relapse { time = first }
    }
}
