internal import RTCWire

/// How much may be in flight (RFC 9260, section 7.2).
///
/// The window begins at ten packets (RFC 6928) and grows by what is acknowledged, not by one packet per SACK (RFC 3465),
/// since a receiver that reads packets in batches sends few SACKs. Slow start ends when the delay grows (HyStart++,
/// RFC 9406), before a queue overflows; congestion avoidance is CUBIC (RFC 9438), which fills long fast paths, and is
/// nowhere slower than the rule of RFC 9260.
///
/// A loss reduces the window where there is a queue on the path, or where much is lost. Otherwise it was chance, and the
/// window keeps what the path has been seen to carry (TCP Westwood+). Above the height of the last reduction, and while
/// there is no queue, the window grows faster than CUBIC's (Compound TCP). See docs/congestion.md.
struct CongestionController {
    /// Bytes that may be in flight (cwnd), headers of chunks included.
    private(set) var window: Int
    /// Below it the window grows exponentially (ssthresh).
    private(set) var slowStartThreshold = Int.max
    /// The TSN whose acknowledgement ends fast recovery, while it lasts.
    private(set) var recoveryExit: TransmissionSequenceNumber?
    private(set) var path: PathEstimate

    private var slowStart = SlowStartExit()
    private var cubic = CubicGrowth()
    /// Round trips in a row in which the window was used and no queue was seen.
    private var emptyRounds = 0
    /// Whether slow start ended because the delay grew, and nothing has been lost to a queue since.
    private var hasEndedByDelay = false
    private let packetSize: Int
    private let initialWindow: Int
    private let maximumWindow: Int

    /// What of the window it grows by per round trip on an empty path, one part of so many: above the height of the last
    /// reduction; the same once there was no queue for some round trips, and below that height from then on.
    private static let (growthAbove, growthAfterPatience, growthBelow) = (16, 8, 64)
    private static let patience = 8
    /// Below this part of the last height, what is lost is not lost to a full path.
    private static let roomy = 0.9
    /// Round trips without a queue after which the delay that ended slow start was not one: a busy machine, for instance.
    private static let roundsToResume = 3
    /// What a TCP flow grows by where we would grow by a packet: ours are smaller, and would have less than a fair share.
    private static let usualSegment = 1_460

    /// What a SACK tells of the path.
    struct Sample {
        /// Bytes newly acknowledged, and found to be lost.
        var acknowledged: Int
        var lost: Int
        /// Bytes that were in flight before, those included.
        var inFlight: Int
        var cumulativeTSN: TransmissionSequenceNumber
        /// The highest TSN that was sent.
        var highestTSN: TransmissionSequenceNumber
        /// When the chunk left that was sent last, of those newly acknowledged that were sent once only.
        var latestSent: Instant?
        var smoothedRoundTripTime: TimeDelta
    }

    /// How a loss is answered.
    enum LossAnswer {
        case none
        /// It was chance: the window stays.
        case kept
        /// The window is reduced, and fast recovery begins.
        case reduced
    }

    init(_ configuration: SCTPConfiguration) {
        packetSize = configuration.packetSize
        initialWindow = max(1, min(configuration.initialCongestionWindow, 1_000)) * packetSize
        // More cannot be in flight, whatever a peer acknowledges.
        maximumWindow = max(initialWindow, configuration.grantedSendBuffer)
        window = initialWindow
        path = PathEstimate(packetSize: packetSize)
    }

    var isInRecovery: Bool { recoveryExit != nil }

    /// Takes up a SACK. The window is reduced once per window of data at most (RFC 9260, section 7.2.4).
    mutating func take(_ sample: Sample, at now: Instant) -> LossAnswer {
        path.add(
            acknowledged: sample.acknowledged, lost: sample.lost, latestSent: sample.latestSent,
            hasRoom: Double(window) < cubic.plateau * Self.roomy, at: now)
        let isEmpty = path.queue < path.shortestQueue / 2
        if !isEmpty { emptyRounds = 0 } else if path.isNewRound { emptyRounds += 1 }
        if let exit = recoveryExit {
            guard sample.cumulativeTSN >= exit else { return .none }
            recoveryExit = nil
        }
        if sample.lost > 0 {
            guard path.isCongested else {
                keepWindow(sample)
                return .kept
            }
            leaveOvershoot(at: now)
            reduceThreshold()
            window = slowStartThreshold
            recoveryExit = sample.highestTSN
            path.forgetLosses()
            return .reduced
        }
        if sample.acknowledged > 0 { grow(sample, at: now) }
        return .none
    }

    private mutating func grow(_ sample: Sample, at now: Instant) {
        // A window that is not used says nothing about whether the path bears it (RFC 9260, section 7.2.1).
        guard sample.inFlight >= window / 2 else {
            emptyRounds = 0
            if path.isNewRound { giveUpUnused() }
            return cubic.pause()
        }
        if hasEndedByDelay, emptyRounds >= Self.roundsToResume { resumeSlowStart() }
        if window < slowStartThreshold {
            growInSlowStart(sample, at: now)
        } else {
            let growth = cubic.growth(
                window: window, packetSize: max(packetSize, Self.usualSegment), acknowledged: sample.acknowledged,
                smoothedRoundTripTime: sample.smoothedRoundTripTime, at: now)
            // Up to the plateau, CUBIC shares with others. What is beyond nobody else uses, as long as no queue forms, nor
            // what is left for long.
            let isLeft = emptyRounds > Self.patience
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

    /// Lets a window decay that is not used: sent at once later, it would be more than is known to fit (RFC 7661).
    private mutating func giveUpUnused() {
        guard window > initialWindow else { return }
        if slowStartThreshold != .max { slowStartThreshold = max(slowStartThreshold, window / 4 * 3) }
        window = max(initialWindow, window - window / 8)
    }

    private mutating func growInSlowStart(_ sample: Sample, at now: Instant) {
        // How far a later slow start may go is known (RFC 9406, section 4.3).
        guard slowStartThreshold == .max else {
            window = min(window + sample.acknowledged, slowStartThreshold)
            return
        }
        let verdict = slowStart.judge(
            sample.latestSent.map { now - $0 }, isNewRound: path.isNewRound,
            isQueueLong: path.queue >= max(path.shortestQueue * 4, .milliseconds(8)))
        window += verdict == .slowly ? sample.acknowledged / 4 : sample.acknowledged
        guard verdict == .over else { return }
        // The window has doubled since what is acknowledged now was sent: most of that would only be a queue.
        let capacity = max(path.capacity, path.capacityOfThisRound(at: now))
        window = max(min(window, capacity + capacity / 8), min(window, initialWindow))
        slowStartThreshold = window
        hasEndedByDelay = true
        emptyRounds = 0
    }

    private mutating func resumeSlowStart() {
        hasEndedByDelay = false
        slowStartThreshold = .max
        slowStart = SlowStartExit()
        cubic = CubicGrowth()
    }

    /// A loss in slow start: the window has doubled since, and may be several times what the path carries.
    private mutating func leaveOvershoot(at now: Instant) {
        guard window < slowStartThreshold else { return }
        let capacity = max(path.capacity, path.capacityOfThisRound(at: now))
        window = max(min(window, capacity + capacity / 4), min(window, initialWindow))
    }

    /// A loss by chance. What the path has not been seen to carry, the window loses.
    private mutating func keepWindow(_ sample: Sample) {
        let isUnused = slowStartThreshold != .max && sample.inFlight < window / 2
        guard window >= slowStartThreshold || isUnused, path.capacity > 0 else { return }
        // With jitter the usual round trip is longer than the shortest, and more is under way.
        let used = max(path.capacity, Int(min(path.rate * sample.smoothedRoundTripTime.seconds, 1e12)))
        window = min(window, max(used + used / 4, initialWindow))
    }

    /// The T3-rtx timer has expired: back to one packet (RFC 9260, section 7.2.3).
    mutating func timedOut() {
        // Timeouts in a row say no more than the first.
        if window > packetSize { reduceThreshold() }
        window = packetSize
        recoveryExit = nil
    }

    /// Nothing was sent for as long as `timeouts` retransmission timeouts: the window decays (RFC 9260, section 7.2.1).
    mutating func idle(timeouts: Int) {
        for _ in 0..<min(max(timeouts, 0), 30) where window > initialWindow {
            window = max(window / 2, initialWindow)
        }
    }

    /// Begins anew on another path.
    mutating func reset() {
        window = initialWindow
        slowStartThreshold = .max
        recoveryExit = nil
        path = PathEstimate(packetSize: packetSize)
        slowStart = SlowStartExit()
        cubic = CubicGrowth()
        emptyRounds = 0
        hasEndedByDelay = false
    }

    private mutating func reduceThreshold() {
        slowStartThreshold = max(cubic.reduced(window), 4 * packetSize)
        slowStart = SlowStartExit()
        emptyRounds = 0
        hasEndedByDelay = false
    }
}
