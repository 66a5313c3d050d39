internal import RTCWire

/// Limits the bytes in flight (RFC 9260, section 7.2).
///
/// The window starts at ten packets (RFC 6928) and grows by acknowledged bytes rather than one packet per SACK (RFC
/// 3465), since a receiver that reads packets in batches sends few SACKs. Slow start ends when the delay grows
/// (HyStart++, RFC 9406), before a queue overflows; congestion avoidance is CUBIC (RFC 9438), which fills long fast
/// paths and is never slower than the rule of RFC 9260.
///
/// A loss reduces the window if there is a queue on the path, or if the loss ratio is high. Other losses are random,
/// and the window keeps what the path has proved to carry (TCP Westwood+). Above the height of the last reduction, and
/// while there is no queue, the window grows faster than CUBIC's (Compound TCP). See docs/congestion.md.
struct CongestionController {
    /// The most bytes in flight (cwnd), chunk headers included.
    private(set) var window: Int
    /// The window below which growth is exponential (ssthresh).
    private(set) var slowStartThreshold = Int.max
    /// The TSN whose acknowledgement ends fast recovery; `nil` outside of it.
    private(set) var recoveryExit: TransmissionSequenceNumber?
    private(set) var path: PathEstimate

    private var slowStart = SlowStartExit()
    private var cubic = CubicGrowth()
    /// The number of consecutive round trips with a used window and no queue.
    private var emptyRounds = 0
    /// Whether increasing delay ended slow start, and no congestion loss has followed.
    private var hasEndedByDelay = false
    /// The losses for which alone, without a queue, the window was last reduced, with those found in recovery of what was sent
    /// before: at the reduction they have just crossed the limit, and most of an overflow is found later.
    private var doubtfulLosses: PathEstimate.Losses?
    /// The time of the last reduction, until something that was sent later arrives.
    private var lastReduction: Instant?
    private let packetSize: Int
    private let initialWindow: Int
    private let maximumWindow: Int

    /// The divisors for the window's growth per round trip without a queue: above W_max; above it after several round
    /// trips without a queue; and below it after as many.
    private static let (growthAbove, growthAfterPatience, growthBelow) = (16, 8, 64)
    private static let maximumEmptyRounds = 8
    /// The number of round trips without a queue that show that the delay which ended slow start was not a queue but,
    /// for instance, a busy machine.
    private static let roundsToResume = 3
    /// The segment size of a typical TCP flow, used for growth: our packets are smaller and would get less than a fair
    /// share.
    private static let referenceSegment = 1_460

    /// The information of a SACK about the path.
    struct Sample {
        /// Bytes newly acknowledged, and bytes newly found lost.
        var acknowledged: Int
        var lost: Int
        /// Bytes in flight before the SACK, including those.
        var inFlight: Int
        var cumulativeTSN: TransmissionSequenceNumber
        /// The highest TSN that was sent.
        var highestTSN: TransmissionSequenceNumber
        /// The send time of the last-sent chunk among the newly acknowledged ones that were sent once.
        var latestSent: Instant?
        var smoothedRoundTripTime: TimeDelta
    }

    /// The reaction to a loss.
    enum LossResponse {
        case none
        /// Random loss: the window is not reduced for congestion.
        case kept
        /// The window is reduced, and fast recovery begins.
        case reduced
    }

    init(_ configuration: SCTPConfiguration) {
        packetSize = configuration.packetSize
        initialWindow = max(1, min(configuration.initialCongestionWindow, 1_000)) * packetSize
        // No more than the send buffer can be in flight, whatever a peer acknowledges.
        maximumWindow = max(initialWindow, configuration.grantedSendBuffer)
        window = initialWindow
        path = PathEstimate(packetSize: packetSize)
    }

    var isInRecovery: Bool { recoveryExit != nil }

    /// The standing queue that media measure on the same path; `nil` without media.
    var mediaQueue: TimeDelta? {
        get { path.mediaQueue }
        set { path.mediaQueue = newValue }
    }

    /// Processes a SACK. Reduces the window at most once per window of data (RFC 9260, section 7.2.4).
    mutating func take(_ sample: Sample, at now: Instant) -> LossResponse {
        // What is found lost during recovery was sent before the reduction.
        path.add(
            acknowledged: sample.acknowledged, lost: sample.lost, latestSent: sample.latestSent,
            hasRoom: !isInRecovery && Double(window) < cubic.plateau * path.room, at: now)
        let isEmpty = path.queue < path.shortestQueue / 2
        if !isEmpty { emptyRounds = 0 } else if path.isNewRound { emptyRounds += 1 }
        if let exit = recoveryExit {
            completeDoubtfulLosses(sample)
            guard sample.cumulativeTSN >= exit else { return .none }
            recoveryExit = nil
            // What was lost until now was sent before the reduction, and answered by it.
            path.pardonLosses()
        }
        if sample.lost > 0 {
            guard path.isCongested else {
                keepWindow(sample)
                return .kept
            }
            let losses = path.queue < path.shortestQueue ? path.losses : nil
            reduceAfterSlowStart(at: now)
            reduceThreshold()
            doubtfulLosses = losses
            lastReduction = now
            window = slowStartThreshold
            recoveryExit = sample.highestTSN
            path.forgetLosses()
            return .reduced
        }
        if sample.acknowledged > 0 { grow(sample, at: now) }
        return .none
    }

    private mutating func completeDoubtfulLosses(_ sample: Sample) {
        guard let reduction = lastReduction else { return }
        if let latestSent = sample.latestSent, latestSent > reduction {
            lastReduction = nil
        } else {
            doubtfulLosses?.add(arrived: sample.acknowledged, lost: sample.lost)
        }
    }

    private mutating func grow(_ sample: Sample, at now: Instant) {
        // An unused window gives no evidence that the path can carry it (RFC 9260, section 7.2.1).
        guard sample.inFlight >= window / 2 else {
            emptyRounds = 0
            if path.isNewRound { giveUpUnused() }
            return cubic.pause()
        }
        // By what is known now, the reduction may have been for random losses.
        let wasRandom = doubtfulLosses.map { !path.isHigh($0) } ?? false
        if hasEndedByDelay || wasRandom, emptyRounds >= Self.roundsToResume { resumeSlowStart() }
        if window < slowStartThreshold {
            growInSlowStart(sample, at: now)
        } else {
            let growth = cubic.growth(
                window: window, packetSize: max(packetSize, Self.referenceSegment), acknowledged: sample.acknowledged,
                smoothedRoundTripTime: sample.smoothedRoundTripTime, at: now)
            // Below the plateau, CUBIC's growth is fair to other flows. Capacity above it, while no queue forms, and
            // below it, when no queue has formed for a while, is unused by others.
            let isLeft = emptyRounds > Self.maximumEmptyRounds
            let isAbove = Double(window) >= cubic.plateau
            let part = isAbove ? (isLeft ? Self.growthAfterPatience : Self.growthAbove) : Self.growthBelow
            let faster = sample.acknowledged / part
            if faster > growth, isAbove ? emptyRounds > 0 : isLeft {
                window += faster
                cubic.pause()
            } else {
                window += growth
            }
        }
        window = min(window, maximumWindow)
    }

    /// Lets an unused window decay: sending it at once later would exceed what is known to fit (RFC 7661).
    private mutating func giveUpUnused() {
        guard window > initialWindow else { return }
        if slowStartThreshold != .max { slowStartThreshold = max(slowStartThreshold, window / 4 * 3) }
        window = max(initialWindow, window - window / 8)
    }

    private mutating func growInSlowStart(_ sample: Sample, at now: Instant) {
        // The threshold of a later slow start is known (RFC 9406, section 4.3).
        guard slowStartThreshold == .max else {
            window = min(window + sample.acknowledged, slowStartThreshold)
            return
        }
        let verdict = slowStart.judge(
            sample.latestSent.map { now - $0 }, isNewRound: path.isNewRound,
            isQueueLong: path.queue >= max(path.shortestQueue * 4, .milliseconds(8)))
        window += verdict == .conservativeSlowStart ? sample.acknowledged / 4 : sample.acknowledged
        guard verdict == .over else { return }
        // The window has doubled since the acknowledged data were sent; most of the increase would only be a queue.
        let capacity = max(path.capacity, path.capacityOfThisRound(at: now))
        window = max(min(window, capacity + capacity / 8), min(window, initialWindow))
        slowStartThreshold = window
        hasEndedByDelay = true
        emptyRounds = 0
    }

    private mutating func resumeSlowStart() {
        hasEndedByDelay = false
        doubtfulLosses = nil
        slowStartThreshold = .max
        slowStart = SlowStartExit()
        cubic = CubicGrowth()
    }

    /// Reduces the window after a loss in slow start: it has doubled since, and may be several times the path's
    /// capacity.
    private mutating func reduceAfterSlowStart(at now: Instant) {
        guard window < slowStartThreshold else { return }
        let capacity = max(path.capacity, path.capacityOfThisRound(at: now))
        window = max(min(window, capacity + capacity / 4), min(window, initialWindow))
    }

    /// After a random loss, bounds the window by what the path has proved to carry.
    private mutating func keepWindow(_ sample: Sample) {
        let isUnused = slowStartThreshold != .max && sample.inFlight < window / 2
        guard window >= slowStartThreshold || isUnused, path.capacity > 0 else { return }
        // With jitter the smoothed round trip exceeds the shortest, so more is in flight.
        let used = max(path.capacity, Int(min(path.rate * sample.smoothedRoundTripTime.seconds, 1e12)))
        window = min(window, max(used + used / 4, initialWindow))
    }

    /// Handles an expiry of T3-rtx: back to one packet (RFC 9260, section 7.2.3).
    mutating func timedOut() {
        // Consecutive timeouts give no further information.
        if window > packetSize { reduceThreshold() }
        window = packetSize
        recoveryExit = nil
    }

    /// Lets the window decay after `timeouts` retransmission timeouts without sending (RFC 9260, section 7.2.1).
    mutating func idle(timeouts: Int) {
        for _ in 0..<min(max(timeouts, 0), 30) where window > initialWindow {
            window = max(window / 2, initialWindow)
        }
    }

    /// Restarts on another path.
    mutating func reset() {
        window = initialWindow
        slowStartThreshold = .max
        recoveryExit = nil
        path = PathEstimate(packetSize: packetSize)
        slowStart = SlowStartExit()
        cubic = CubicGrowth()
        emptyRounds = 0
        hasEndedByDelay = false
        doubtfulLosses = nil
        lastReduction = nil
    }

    private mutating func reduceThreshold() {
        slowStartThreshold = max(cubic.reduced(window), 4 * packetSize)
        slowStart = SlowStartExit()
        emptyRounds = 0
        hasEndedByDelay = false
        doubtfulLosses = nil
    }
}
