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

    private static let high = 0.1
    private static let low = 0.02
    private static let minimumPackets = 20

    mutating func add(_ result: TransportPacketResult) {
        if result.wasReportedLost {
            // The packet was only late; the interval in which it counted as lost may be over.
            if result.arrival != nil { lost -= 1 }
            return
        }
        total += 1
        if result.arrival == nil { lost += 1 }
    }

    /// - Parameter isQueueing: Whether there is a queue on the path, which explains losses.
    /// - Parameter isDraining: Whether the rate has already been lowered for that queue, so that its losses do not
    ///   lower it again.
    /// - Returns: Whether the rate was lowered.
    mutating func update(
        rate: Double, roundTripTime: TimeDelta, isQueueing: Bool, isDraining: Bool, at now: Instant
    ) -> Bool {
        if let lastUpdate, now - lastUpdate < roundTripTime + .milliseconds(300) { return false }
        guard total >= Self.minimumPackets else { return false }
        lastUpdate = now
        loss = Double(max(lost, 0)) / Double(total)
        lost = min(lost, 0)
        total = 0
        learnInherentLoss(isQueueing: isQueueing)
        let excess = loss - inherent
        if excess > Self.high {
            guard !isDraining else { return false }
            let factor = 1 - 0.5 * excess
            limit = min(limit, rate) * factor
            decrease = (loss, factor)
            return true
        }
        decrease = nil
        if excess < Self.low, limit.isFinite {
            limit *= excess <= 0 ? 1.25 : 1.08
            // Far above the send rate the limit has no effect.
            if limit > 2 * rate { limit = .infinity }
        }
        return false
    }

    /// Compares the loss after a decrease with what it would be if we had exceeded the capacity.
    private mutating func learnInherentLoss(isQueueing: Bool) {
        inherent = min(inherent, loss + 0.02)
        guard let decrease, !isQueueing else { return }
        let predicted = max(1 - (1 - decrease.loss) / decrease.factor, 0)
        if loss > (predicted + decrease.loss) / 2 { inherent += 0.5 * (loss - inherent) }
    }
}
