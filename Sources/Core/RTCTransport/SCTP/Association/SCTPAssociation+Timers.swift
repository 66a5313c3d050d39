package import RTCWire

extension SCTPAssociation {
    /// Does what is due at `now`.
    package mutating func handleTimeout(at now: Instant) {
        while let timer = timers.popExpired(at: now) {
            switch timer {
            case .t1: handleT1(at: now)
            case .t2: handleT2(at: now)
            case .t3: handleT3(at: now)
            case .t5: fail(.timedOut, cause: .userInitiatedAbort)
            case .delayedSack: sack.isDue = true
            case .heartbeat: handleHeartbeatTimer(at: now)
            case .reconfiguration: handleReconfigurationTimer(at: now)
            }
        }
    }

    /// Handles the expiry of T3-rtx (RFC 9260, section 6.3.3).
    private mutating func handleT3(at now: Instant) {
        if isWindowBlocked, outstanding.isEmpty {
            isProbeDue = true
            timeout.backOff()
            return
        }
        guard !outstanding.isEmpty else { return }
        counters.timeouts += 1
        countError()
        guard state != .ended else { return }
        // A probe of a closed window says nothing about the path.
        if !isProbing { congestion.timedOut() }
        recoveryBudget = 0
        timeout.backOff()
        outstanding.loseAll(at: now)
        release()
        isForwardTSNDue = outstanding.hasAbandonedFront
        refillBurst()
        timers[.t3] = now + timeout.value
    }

    /// Counts a timeout, and ends the association when there were too many in a row (RFC 9260, section 8.1).
    mutating func countError() {
        errorCount += 1
        if let limit = configuration.maximumRetransmissions, errorCount > limit {
            fail(.timedOut, cause: .userInitiatedAbort)
        }
    }

    // MARK: Heartbeat

    mutating func restartHeartbeat(at now: Instant) {
        guard let interval = configuration.heartbeatInterval else { return }
        timers[.heartbeat] = now + max(interval, .zero) + timeout.value
    }

    /// Sends a HEARTBEAT to an idle peer (RFC 9260, section 8.3).
    private mutating func handleHeartbeatTimer(at now: Instant) {
        guard isSynchronized, let interval = configuration.heartbeatInterval else { return }
        if heartbeat != nil {
            heartbeat = nil
            countError()
            guard state != .ended else { return }
        }
        restartHeartbeat(at: now)
        guard outstanding.isEmpty, lastDataSent + interval <= now else { return }
        sendHeartbeat(at: now)
    }

    mutating func sendHeartbeat(at now: Instant) {
        let nonce = random.next()
        heartbeat = (nonce, now)
        var information: [UInt8] = []
        information.append(bigEndian: nonce)
        queueControl(capacity: 32) { HeartbeatChunk(information: information).write(as: .heartbeat, to: &$0) }
    }

    mutating func receiveHeartbeatAck(_ chunk: HeartbeatChunk, at now: Instant) {
        guard let (nonce, sentAt) = heartbeat else { return }
        var expected: [UInt8] = []
        expected.append(bigEndian: nonce)
        guard chunk.information == expected else {
            counters.chunksIgnored += 1
            return
        }
        heartbeat = nil
        errorCount = 0
        timeout.measured(now - sentAt)
        // The peer answers again, so T3-rtx waits no longer than a timeout without backoff.
        if let due = timers[.t3] { timers[.t3] = min(due, now + timeout.value) }
    }
}
