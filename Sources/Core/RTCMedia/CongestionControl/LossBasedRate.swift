internal import RTCWire

/// The rate that the loss allows (draft-ietf-rmcat-gcc-02, section 6), minus the path's inherent loss.
///
/// High loss lowers the rate. If the loss then does not fall as it would if we had caused it, it is inherent in the
/// path, as on a poor radio link: the rate ignores that part, since sending less would not help.
struct LossBasedRate: Sendable {
    /// The limit in bits per second; infinite while the loss sets none.
    private(set) var limit = Double.infinity
    /// The loss ratio of the last interval, 0 to 1.
    private(set) var loss = 0.0
    /// The loss ratio that is independent of the rate.
    private var inherent = 0.0
    private var lost = 0
    private var total = 0
    private var lastUpdate: Instant?
    /// The loss before the last decrease, and the factor of that decrease.
    private var decrease: (loss: Double, factor: Double)?

    /// The counts of the last intervals, with exponential decay.
    private var recent = (lost: 0.0, total: 0.0)
    /// A limit that was raised although there is loss, to see whether the loss rises with it.
    private var trial: Trial?
    /// The number of intervals until the next trial.
    private var untilTrial = 0

    private struct Trial: Sendable {
        /// The loss before.
        var loss: Double
        /// What was counted since, after the first interval, which is partly of packets from before.
        var lost = 0
        var total = 0
        var intervals = 0
    }

    private static let high = 0.1
    private static let low = 0.02
    /// The packets of an interval: of twenty, two or three may be lost by chance on a path that loses a twenty-fifth.
    private static let minimumPackets = 50
    /// The packets that suffice if three of ten are lost; and, near the minimum rate, if none is.
    private static let fewestPackets = 20
    /// Below so many times the minimum rate an interval of all packets would take several seconds.
    private static let lowRate = 4.0
    /// The factor by which the counts decay per interval.
    private static let memory = 0.8
    /// The factor by which a trial raises the limit, its intervals, and those between two trials of which the first failed.
    private static let (trialFactor, trialIntervals, trialPause) = (1.08, 3, 8)

    mutating func add(_ result: TransportPacketResult) {
        if result.wasReportedLost {
            // The packet was only late; the interval in which it counted as lost may be over.
            if result.arrival != nil { lost -= 1 }
            return
        }
        total += 1
        if result.arrival == nil { lost += 1 }
    }

    /// - Parameter minimum: The lowest rate, below which the limit does not fall.
    /// - Parameter isQueueing: Whether there is a queue on the path, which explains losses.
    /// - Parameter isDraining: Whether the rate has already been lowered for that queue, so that its losses do not
    ///   lower it again.
    /// - Returns: Whether the rate was lowered.
    mutating func update(
        rate: Double, minimum: Double, roundTripTime: TimeDelta, isQueueing: Bool, isDraining: Bool, at now: Instant
    ) -> Bool {
        if let lastUpdate, now - lastUpdate < roundTripTime + .milliseconds(300) { return false }
        let isClear = lost * 10 >= total * 3 || lost <= 0 && limit < minimum * Self.lowRate
        guard total >= Self.minimumPackets || total >= Self.fewestPackets && isClear else { return false }
        lastUpdate = now
        let counted = (lost: max(lost, 0), total: total)
        loss = Double(counted.lost) / Double(total)
        recent.lost = recent.lost * Self.memory + Double(counted.lost)
        recent.total = recent.total * Self.memory + Double(total)
        lost = min(lost, 0)
        total = 0
        learnInherentLoss(isQueueing: isQueueing)
        let excess = loss - inherent
        if excess > Self.high {
            trial = nil
            guard !isDraining else { return false }
            let factor = 1 - 0.5 * excess
            limit = max(min(limit, rate) * factor, minimum)
            decrease = (loss, factor)
            return true
        }
        decrease = nil
        guard limit.isFinite else { return false }
        if excess < Self.low {
            trial = nil
            limit *= excess <= 0 ? 1.25 : 1.08
        } else {
            tryMore(counted, rate: rate, isQueueing: isQueueing)
        }
        // Far above the send rate the limit has no effect.
        if limit > 2 * rate { limit = .infinity }
        return false
    }

    /// The recent loss ratio beyond the path's own.
    var unusual: Double { max(usual - inherent, 0) }

    /// The recent loss ratio over several intervals.
    var usual: Double { recent.total > 0 ? recent.lost / recent.total : 0 }

    /// Raises the limit slightly although packets are lost. Loss that does not rise is the path's own, as after a decrease that did
    /// not lower it.
    private mutating func tryMore(_ counted: (lost: Int, total: Int), rate: Double, isQueueing: Bool) {
        guard !isQueueing, limit < rate * 1.1 else {
            trial = nil
            return
        }
        guard var trial else {
            untilTrial -= 1
            guard untilTrial <= 0 else { return }
            self.trial = Trial(loss: usual)
            limit *= Self.trialFactor
            return
        }
        trial.intervals += 1
        if trial.intervals > 1 {
            trial.lost += counted.lost
            trial.total += counted.total
        }
        guard trial.intervals > Self.trialIntervals else {
            self.trial = trial
            return
        }
        self.trial = nil
        let after = Double(trial.lost) / Double(max(trial.total, 1))
        let ours = 1 - (1 - trial.loss) / Self.trialFactor
        if after < (trial.loss + ours) / 2 {
            inherent += 0.5 * max(min(trial.loss, after) - inherent, 0)
        } else {
            limit /= Self.trialFactor
            untilTrial = Self.trialPause
        }
    }

    /// Compares the loss after a decrease with what it would be if we had exceeded the capacity.
    private mutating func learnInherentLoss(isQueueing: Bool) {
        inherent = min(inherent, usual + 0.02)
        guard let decrease, !isQueueing else { return }
        let predicted = max(1 - (1 - decrease.loss) / decrease.factor, 0)
        if loss > (predicted + decrease.loss) / 2 { inherent += 0.5 * (loss - inherent) }
    }
}
