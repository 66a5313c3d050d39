internal import RTCWire

/// How much may be in flight (RFC 9260, section 7.2).
///
/// The window begins at ten packets (RFC 6928) and grows by what is acknowledged, not by one packet per SACK (RFC 3465),
/// since a receiver that reads packets in batches sends few SACKs. Slow start ends when the delay grows (HyStart++,
/// RFC 9406), before a queue overflows; congestion avoidance is CUBIC (RFC 9438), which fills long fast paths, and is
/// nowhere slower than the rule of RFC 9260.
struct CongestionController {
    /// Bytes that may be in flight (cwnd), headers of chunks included.
    private(set) var window: Int
    /// Below it the window grows exponentially (ssthresh).
    private(set) var slowStartThreshold = Int.max
    /// The TSN whose acknowledgement ends fast recovery, while it lasts.
    private(set) var recoveryExit: TransmissionSequenceNumber?

    private var slowStart = SlowStartExit()
    private var cubic = CubicGrowth()
    private let packetSize: Int
    private let initialWindow: Int
    private let maximumWindow = 1 << 30

    /// What a SACK tells of the path.
    struct Sample {
        /// Bytes newly acknowledged.
        var acknowledged: Int
        /// Bytes that were in flight before, those included.
        var inFlight: Int
        var cumulativeTSN: TransmissionSequenceNumber
        /// The highest TSN that was sent.
        var highestTSN: TransmissionSequenceNumber
        /// The delay of the chunk that was sent last, if it was sent once only.
        var delay: TimeDelta?
        var smoothedRoundTripTime: TimeDelta
    }

    init(_ configuration: SCTPConfiguration) {
        packetSize = configuration.packetSize
        initialWindow = max(1, min(configuration.initialCongestionWindow, 1_000)) * packetSize
        window = initialWindow
    }

    var isInRecovery: Bool { recoveryExit != nil }

    /// Takes up a SACK that moved the cumulative TSN.
    mutating func acknowledged(_ sample: Sample, at now: Instant) {
        if let exit = recoveryExit {
            guard sample.cumulativeTSN >= exit else { return }
            recoveryExit = nil
        }
        // A window that is not used says nothing about whether the path bears it (RFC 9260, section 7.2.1).
        guard sample.inFlight >= window / 2, window < maximumWindow else {
            cubic.pause()
            return
        }
        if window < slowStartThreshold {
            let verdict = slowStart.judge(sample)
            window += verdict == .slowly ? sample.acknowledged / 4 : sample.acknowledged
            if verdict == .over { slowStartThreshold = window }
        } else {
            window += cubic.growth(window: window, packetSize: packetSize, sample, at: now)
        }
    }

    /// Loss was found by SACKs. Reduces the window once per window of data (RFC 9260, section 7.2.4).
    ///
    /// - Parameter highest: The highest TSN that was sent so far.
    /// - Returns: Whether fast recovery begins now.
    mutating func lossDetected(highest: TransmissionSequenceNumber) -> Bool {
        guard recoveryExit == nil else { return false }
        reduceThreshold()
        window = slowStartThreshold
        recoveryExit = highest
        return true
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
        slowStart = SlowStartExit()
        cubic = CubicGrowth()
    }

    private mutating func reduceThreshold() {
        slowStartThreshold = max(cubic.reduced(window), 4 * packetSize)
        slowStart = SlowStartExit()
    }
}

/// Ends slow start when a round's least delay exceeds that of the round before (RFC 9406).
private struct SlowStartExit {
    enum Verdict {
        case goOn
        /// Conservative slow start: perhaps the queue grows, perhaps it was jitter.
        case slowly
        case over
    }

    private static let samplesPerRound = 8
    private static let conservativeRounds = 5

    private var roundEnd: TransmissionSequenceNumber?
    private var lastDelay: TimeDelta?
    private var delay: TimeDelta?
    private var samples = 0
    /// The least delay when conservative slow start began, while it lasts.
    private var baseline: TimeDelta?
    private var conservativeRoundsLeft = 0

    mutating func judge(_ sample: CongestionController.Sample) -> Verdict {
        if roundEnd.map({ sample.cumulativeTSN >= $0 }) ?? true {
            roundEnd = sample.highestTSN
            lastDelay = delay
            delay = nil
            samples = 0
            if baseline != nil {
                conservativeRoundsLeft -= 1
                if conservativeRoundsLeft <= 0 { return .over }
            }
        }
        if let new = sample.delay {
            delay = min(delay ?? new, new)
            samples += 1
        }
        guard samples >= Self.samplesPerRound, let delay else { return baseline == nil ? .goOn : .slowly }
        if let baseline {
            guard delay < baseline else { return .slowly }
            self.baseline = nil  // It was jitter.
        } else if let lastDelay {
            let threshold = min(max(lastDelay / 8, .milliseconds(4)), .milliseconds(16))
            if delay >= lastDelay + threshold {
                baseline = delay
                conservativeRoundsLeft = Self.conservativeRounds
                return .slowly
            }
        }
        return .goOn
    }
}

/// The window as a cubic function of the time since the last loss (RFC 9438).
private struct CubicGrowth {
    private static let scale = 0.4
    private static let reduction = 0.7

    /// The window at the last loss, in bytes (W_max).
    private var plateau = 0.0
    /// When the present growth began, and with which window.
    private var start: Instant?
    /// The window that additive increase would have by now (W_est).
    private var additive = 0.0
    /// Seconds from ``start`` to the plateau (K).
    private var timeToPlateau = 0.0
    /// The fraction of a byte that growth has left over.
    private var remainder = 0.0

    /// The window after a loss.
    mutating func reduced(_ window: Int) -> Int {
        let window = Double(window)
        // A window that had not reached its former height makes room for a newcomer (fast convergence).
        plateau = window < plateau ? window * (1 + Self.reduction) / 2 : window
        start = nil
        return Int(window * Self.reduction)
    }

    /// Lets time stand still while the window is not used.
    mutating func pause() { start = nil }

    /// By how much the window grows for a SACK, in bytes.
    mutating func growth(
        window: Int, packetSize: Int, _ sample: CongestionController.Sample, at now: Instant
    ) -> Int {
        let current = Double(window)
        let packet = Double(packetSize)
        let acknowledged = Double(sample.acknowledged)
        if start == nil {
            start = now
            additive = current
            plateau = max(plateau, current)
            timeToPlateau = Self.cubeRoot((plateau - current) / (Self.scale * packet))
        }
        let elapsed = (now - (start ?? now)).seconds + sample.smoothedRoundTripTime.seconds - timeToPlateau
        let cubic = plateau + Self.scale * elapsed * elapsed * elapsed * packet
        let additiveFactor = additive < plateau ? 3 * (1 - Self.reduction) / (1 + Self.reduction) : 1
        additive += additiveFactor * packet * acknowledged / current
        let target = max(min(cubic, 1.5 * current), current)
        remainder += max((target - current) * acknowledged / current, additive - current)
        let whole = Int(max(0, min(remainder, 1.5 * current)))
        remainder = max(0, remainder - Double(whole))
        return whole
    }

    /// By Newton's method, since the standard library has no cube root.
    private static func cubeRoot(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        var root = max(1, value)
        for _ in 0..<60 {
            let next = (2 * root + value / (root * root)) / 3
            if abs(next - root) < 1e-9 * root { return next }
            root = next
        }
        return root
    }
}
