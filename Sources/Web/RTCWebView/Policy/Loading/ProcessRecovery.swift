internal import RTCWire

/// What to do when the process that shows a page ends: it is loaded again, unless that has been of no use several times.
struct ProcessRecovery: Sendable {
    enum Decision: Sendable, Hashable {
        case reload
        /// Show a page that says so, and leave the decision to the person.
        case giveUp
    }

    private let most: Int
    private let period: TimeDelta
    private var ends: [Instant] = []

    /// - Parameters:
    ///   - most: So many times …
    ///   - period: … within so long it is loaded again.
    init(most: Int = 3, period: TimeDelta = .seconds(60)) {
        self.most = most
        self.period = period
    }

    mutating func processEnded(at now: Instant) -> Decision {
        ends.removeAll { $0 + period <= now }
        guard ends.count < most else {
            ends = []
            return .giveUp
        }
        ends.append(now)
        return .reload
    }
}
