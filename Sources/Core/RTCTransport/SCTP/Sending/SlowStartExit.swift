internal import RTCWire

/// Ends slow start when a round's least delay exceeds that of the round before (HyStart++, RFC 9406).
struct SlowStartExit {
    enum Verdict {
        case continueSlowStart
        /// Conservative slow start: the delay increase may be a queue or jitter.
        case conservativeSlowStart
        case over
    }

    private static let samplesPerRound = 8
    private static let conservativeRounds = 5

    private var lastDelay: TimeDelta?
    private var delay: TimeDelta?
    private var samples = 0
    /// The least delay at the start of conservative slow start; `nil` outside of it.
    private var baseline: TimeDelta?
    private var conservativeRoundsLeft = 0

    /// - Parameters:
    ///   - delay: The delay measured by the last acknowledgement.
    ///   - isNewRound: Whether the acknowledgement is the first of a round trip.
    ///   - isQueueLong: Whether the queue is too long to be jitter.
    mutating func judge(_ new: TimeDelta?, isNewRound: Bool, isQueueLong: Bool) -> Verdict {
        if isNewRound {
            lastDelay = delay
            delay = nil
            samples = 0
            if baseline != nil {
                conservativeRoundsLeft -= 1
                if conservativeRoundsLeft <= 0 { return .over }
            }
        }
        if let new {
            delay = min(delay ?? new, new)
            samples += 1
        }
        if isQueueLong { return .over }
        guard samples >= Self.samplesPerRound, let delay else {
            return baseline == nil ? .continueSlowStart : .conservativeSlowStart
        }
        if let baseline {
            guard delay < baseline else { return .conservativeSlowStart }
            self.baseline = nil  // It was jitter.
        } else if let lastDelay {
            let threshold = min(max(lastDelay / 8, .milliseconds(4)), .milliseconds(16))
            if delay >= lastDelay + threshold {
                baseline = delay
                conservativeRoundsLeft = Self.conservativeRounds
                return .conservativeSlowStart
            }
        }
        return .continueSlowStart
    }
}
