internal import RTCWire

/// Decides what to do when the web content process ends: load the page again, unless that was done too often.
struct ProcessRecovery: Sendable {
    enum Decision: Sendable, Hashable {
        case reload
        /// Show an error page, and leave the decision to the person.
        case giveUp
    }

    private let most: Int
    private let period: TimeDelta
    private var ends: [Instant] = []

    /// - Parameters:
    ///   - most: The number of reloads …
    ///   - period: … within this time.
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
