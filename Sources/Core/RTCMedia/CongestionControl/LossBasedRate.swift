internal import RTCWire

/// The rate that the loss allows (draft-ietf-rmcat-gcc-02, section 6), less the loss that is there at any rate.
///
/// Much loss lowers the rate. When the loss then does not fall as it would if we had been the cause, it is the path's
/// own, as on a poor radio link: that part is not answered by sending less, which would not help.
struct LossBasedRate: Sendable {
    /// In bits per second; infinite while the loss sets no limit.
    private(set) var limit = Double.infinity
    /// The share of lost packets of the last interval, 0 to 1.
    private(set) var loss = 0.0
    /// The share that is lost at any rate.
    private var inherent = 0.0
    private var lost = 0
    private var total = 0
    private var lastUpdate: Instant?
    /// The loss before the last decrease, and what the rate was multiplied with.
    private var decrease: (loss: Double, factor: Double)?

    private static let high = 0.1
    private static let low = 0.02
    private static let minimumPackets = 20

    mutating func add(_ result: TransportPacketResult) {
        if result.wasThoughtLost {
            // It was only overtaken; the interval in which it was counted may be over.
            if result.arrival != nil { lost -= 1 }
            return
        }
        total += 1
        if result.arrival == nil { lost += 1 }
    }

    /// - Parameter isQueueing: Whether a queue stands on the path, which then has a reason to lose.
    /// - Parameter isDraining: Whether the rate has been lowered for that queue: what it loses meanwhile is no reason to
    ///   lower it once more.
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
            // Far above what is sent it limits nothing.
            if limit > 2 * rate { limit = .infinity }
        }
        return false
    }

    /// Compares the loss after a decrease with what it would be if the path carried only so much.
    private mutating func learnInherentLoss(isQueueing: Bool) {
        inherent = min(inherent, loss + 0.02)
        guard let decrease, !isQueueing else { return }
        let predicted = max(1 - (1 - decrease.loss) / decrease.factor, 0)
        if loss > (predicted + decrease.loss) / 2 { inherent += 0.5 * (loss - inherent) }
    }
}
