internal import RTCWire

/// How much may be in flight (RFC 9260, section 7.2).
///
/// Deviations, all of them widely used: the window begins at ten packets (RFC 6928), and grows by what is acknowledged
/// rather than by one packet per SACK (RFC 3465), since a receiver that reads packets in batches sends few SACKs.
struct CongestionController {
    /// Bytes that may be in flight (cwnd), headers of chunks included.
    private(set) var window: Int
    /// Below it the window grows exponentially (ssthresh).
    private(set) var slowStartThreshold = Int.max
    /// The TSN whose acknowledgement ends fast recovery, while it lasts.
    private(set) var recoveryExit: TransmissionSequenceNumber?

    /// Bytes acknowledged since the window last grew in congestion avoidance.
    private var partiallyAcknowledged = 0
    private let packetSize: Int
    private let initialWindow: Int
    private let maximumWindow: Int

    init(_ configuration: SCTPConfiguration) {
        packetSize = configuration.packetSize
        initialWindow = max(1, min(configuration.initialCongestionWindow, 1_000)) * packetSize
        maximumWindow = 1 << 30
        window = initialWindow
    }

    var isInRecovery: Bool { recoveryExit != nil }

    /// Takes up a SACK that acknowledged `bytes` when `inFlight` bytes, those included, were under way.
    mutating func acknowledged(
        bytes: Int, inFlight: Int, cumulativeTSN: TransmissionSequenceNumber, cumulativeAdvanced: Bool
    ) {
        if let exit = recoveryExit {
            guard cumulativeTSN >= exit else { return }
            recoveryExit = nil
        }
        // A window that is not used says nothing about whether the path bears it (section 7.2.1).
        guard cumulativeAdvanced, inFlight >= window / 2, window < maximumWindow else { return }
        if window <= slowStartThreshold {
            window += bytes
        } else {
            partiallyAcknowledged += bytes
            while partiallyAcknowledged >= window {
                partiallyAcknowledged -= window
                window += packetSize
            }
        }
    }

    /// Loss was found by SACKs. Halves the window once per window of data (section 7.2.4).
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

    /// The T3-rtx timer has expired: back to one packet (section 7.2.3).
    mutating func timedOut() {
        reduceThreshold()
        window = packetSize
        recoveryExit = nil
    }

    /// Nothing was sent for as long as `timeouts` retransmission timeouts: the window decays (section 7.2.1).
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
        partiallyAcknowledged = 0
    }

    private mutating func reduceThreshold() {
        slowStartThreshold = max(window / 2, 4 * packetSize)
        partiallyAcknowledged = 0
    }
}
