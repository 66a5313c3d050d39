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
        /// The time after which the last verification message is sent again.
        case repeatVerification
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

    /// Stops the timers of a call.
    mutating func stopCall() {
        for timer in Timer.allCases where timer != .resend { self[timer] = nil }
    }
}

/// Times that are not configurable.
enum CallTimes {
    /// The time without a path after which it counts as lost.
    static let lossGrace = TimeDelta.seconds(2)
    /// The time limit for the signal that ends the call, after the peer has closed its connection.
    static let goodByeGrace = TimeDelta.seconds(1)
    /// The interval between ICE restarts, and before an unanswered offer is repeated for the first time.
    static let restartInterval = TimeDelta.seconds(8)
    /// The shortest interval between two ICE restarts for network changes.
    static let networkRestartInterval = TimeDelta.seconds(1)
    /// The time before an unanswered offer is repeated after the signalling was interrupted.
    static let repeatOfferDelay = TimeDelta.seconds(2)
    /// The time before a verification message is repeated that the server may have dropped.
    static let repeatVerificationDelay = TimeDelta.seconds(2)
    /// The time within which a repeated offer counts as a duplicate delivery; repetitions of a peer take longer.
    static let repetitionGrace = TimeDelta.seconds(1)
    /// The time within which an `endCall` belongs to the preceding signal.
    static let endCallLifetime = TimeDelta.seconds(5)
    /// The time for which candidates wait for their call.
    static let earlyCandidateLifetime = TimeDelta.seconds(60)
}
