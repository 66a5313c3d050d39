internal import RTCWire

extension SCTPAssociation {
    /// Handles a SACK (RFC 9260, section 6.2.1, and RFC 3758, section 3.5).
    mutating func receiveSack(_ chunk: SackChunk, at now: Instant) {
        guard acknowledge(chunk, at: now) else { return }
        let before = peerWindow
        peerWindow = Int(chunk.advertisedWindow)
        if isProbing, peerWindow > before, outstanding.payloadInFlight <= peerWindow, !outstanding.isEmpty {
            // The probe hit a closed window. It is resent now rather than when T3-rtx expires.
            outstanding.loseAll(at: now)
            isProbing = false
        }
        if isWindowBlocked, peerWindow > before, outstanding.isEmpty {
            isWindowBlocked = false
            timers[.t3] = nil
        }
        continueShutdown(at: now)
    }

    /// Processes the acknowledgements of a SACK or SHUTDOWN. Returns whether they were new and in order.
    mutating func acknowledge(_ chunk: SackChunk, at now: Instant) -> Bool {
        guard isSynchronized, state != .shutdownAckSent else {
            counters.chunksIgnored += 1
            return false
        }
        let inFlight = outstanding.bytesInFlight
        guard let result = outstanding.acknowledge(chunk, at: now, queue: &queue) else {
            counters.chunksIgnored += 1
            return false
        }
        errorCount = 0
        acknowledgedBytes += result.bytes
        if let sample = result.roundTripTime {
            timeout.measured(sample)
        } else if result.cumulativeAdvanced {
            timeout.removeBackoff()
        }
        let answer = congestion.take(
            CongestionController.Sample(
                acknowledged: result.bytes, lost: result.lost, inFlight: inFlight,
                cumulativeTSN: outstanding.firstTSN.previous, highestTSN: outstanding.nextTSN.previous,
                latestSent: result.latestSent, smoothedRoundTripTime: timeout.smoothedRoundTripTime ?? timeout.value),
            at: now)
        switch answer {
        case .none: break
        case .kept: counters.randomLosses += 1
        case .reduced: counters.fastRecoveries += 1
        }
        if answer == .reduced {
            recoveryBudget = configuration.packetSize
        } else if congestion.isInRecovery {
            recoveryBudget += result.bytes / 2
            if result.cumulativeAdvanced { recoveryBudget = max(recoveryBudget, configuration.packetSize) }
        } else {
            recoveryBudget = 0
        }
        release()
        refillBurst()
        burstBudget += result.chunks
        if outstanding.isEmpty {
            timers[.t3] = nil
            isProbing = false
        } else {
            if result.cumulativeAdvanced || timers[.t3] == nil { timers[.t3] = now + timeout.value }
            if outstanding.mayAbandon { isForwardTSNDue = outstanding.hasAbandonedFront }
        }
        return true
    }
}
