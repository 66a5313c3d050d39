internal import RTCWire

/// The deadlines of a ``CallCore``, in one table.
struct CallTimers {
    enum Timer: Int, CaseIterable {
        /// The time limit for ringing.
        case ring
        /// The time limit for creating the answer.
        case answer
        /// The time limit for finding a path.
        case connect
        /// The time after which a lost path is reported.
        case loss
        /// The time limit for the signal that ends the call, after the peer has closed its connection.
        case goodBye
        /// The time limit for an ICE restart.
        case restart
        /// The earliest time of the next restart after a change of the network.
        case networkRestart
        /// The time after which an unanswered offer is sent again.
        case repeatOffer
        /// The time after which a failed message is sent again.
        case resend
    }

    private var deadlines = [Instant](repeating: .distantFuture, count: Timer.allCases.count)

    subscript(timer: Timer) -> Instant? {
        get {
            let deadline = deadlines[timer.rawValue]
            return deadline == .distantFuture ? nil : deadline
        }
        set { deadlines[timer.rawValue] = newValue ?? .distantFuture }
    }

    var earliest: (timer: Timer, deadline: Instant)? {
        var earliest: (timer: Timer, deadline: Instant)?
        for timer in Timer.allCases {
            guard let deadline = self[timer], deadline < earliest?.deadline ?? .distantFuture else { continue }
            earliest = (timer, deadline)
        }
        return earliest
    }

    /// Stops what belongs to a call.
    mutating func stopCall() {
        for timer in Timer.allCases where timer != .resend { self[timer] = nil }
    }
}

/// Times that no setting changes.
enum CallTimes {
    /// How long a path may be gone before it counts as lost.
    static let lossGrace = TimeDelta.seconds(2)
    /// How long the other side's last word may take after it has closed its connection.
    static let goodByeGrace = TimeDelta.seconds(1)
    /// How long a restart has before the next, and an offer before it is said again.
    static let restartInterval = TimeDelta.seconds(8)
    /// The least time between two restarts because the network changed.
    static let networkRestartInterval = TimeDelta.seconds(1)
    /// The same, when the signalling has been away meanwhile.
    static let repeatOfferDelay = TimeDelta.seconds(2)
    /// How long after an offer the same one is the same delivery; whoever says it again waits longer.
    static let repetitionGrace = TimeDelta.seconds(1)
    /// How long an `endCall` may follow the signal that it belongs to.
    static let endCallLifetime = TimeDelta.seconds(5)
    /// How long candidates wait for their call.
    static let earlyCandidateLifetime = TimeDelta.seconds(60)
}

extension TimeDelta {
    /// To the nanosecond; what is longer than 292 years is that long.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }
}
