package import RTCWire

extension SCTPAssociation {
    /// Closes the association normally: waiting data are sent and acknowledged first (RFC 9260, section 9.2). Ends with
    /// `closed`, or with `failed` if the peer does not cooperate.
    package mutating func shutdown(at now: Instant) {
        switch state {
        case .closed, .cookieWait, .cookieEchoed: end(.closed)
        case .established:
            state = .shutdownPending
            timers[.t5] = now + configuration.maximumRTO * 5
            continueShutdown(at: now)
        default: break
        }
    }

    /// Ends the association at once; an ABORT can be polled (RFC 9260, section 9.1). Ends with `failed(.aborted)`.
    package mutating func abort(at now: Instant) {
        fail(.aborted, cause: .userInitiatedAbort)
    }

    /// Ends the association with a failure, and tells the peer why.
    mutating func fail(_ failure: SCTPFailure, cause: SCTPErrorCause.Code, information: [UInt8] = []) {
        guard state != .ended else { return }
        let wasKnown = peerTag != 0 && state != .closed
        end(.failed(failure))
        guard wasKnown else { return }
        let chunk = AbortChunk(causes: [SCTPErrorCause(cause, information: information)])
        queueControl(capacity: 32 + information.count, isAlone: true) { chunk.write(to: &$0) }
    }

    /// Continues a shutdown once everything is acknowledged.
    mutating func continueShutdown(at now: Instant) {
        guard state == .shutdownPending || state == .shutdownReceived else { return }
        guard outstanding.isEmpty, transmission == nil, queue.isEmpty else { return }
        if state == .shutdownPending {
            state = .shutdownSent
            queueShutdown()
        } else {
            state = .shutdownAckSent
            queueShutdownAck()
        }
        timers[.t2] = now + timeout.value
    }

    private mutating func queueShutdown() {
        let chunk = ShutdownChunk(cumulativeTSN: received.cumulative)
        queueControl(capacity: 8) { chunk.write(to: &$0) }
    }

    private mutating func queueShutdownAck() {
        queueControl(capacity: 8) { $0.writeEmptyChunk(.shutdownAck) }
    }

    mutating func handleT2(at now: Instant) {
        countError()
        switch state {
        case .shutdownSent: queueShutdown()
        case .shutdownAckSent: queueShutdownAck()
        default: return
        }
        timeout.backOff()
        timers[.t2] = now + timeout.value
    }

    mutating func receiveShutdown(_ chunk: ShutdownChunk, at now: Instant) {
        switch state {
        case .established, .shutdownPending, .shutdownReceived:
            state = .shutdownReceived
            if timers[.t5] == nil { timers[.t5] = now + configuration.maximumRTO * 5 }
            _ = acknowledge(SackChunk(cumulativeTSN: chunk.cumulativeTSN), at: now)
            continueShutdown(at: now)
        case .shutdownSent:
            state = .shutdownAckSent
            queueShutdownAck()
            timers[.t2] = now + timeout.value
        case .shutdownAckSent: queueShutdownAck()
        default: counters.chunksIgnored += 1
        }
    }

    mutating func receiveShutdownAck(tag: UInt32) {
        switch state {
        case .shutdownSent, .shutdownAckSent:
            end(.closed)
            queueControl(capacity: 8, isAlone: true) { $0.writeEmptyChunk(.shutdownComplete) }
        case .ended where control.isEmpty && peerTag != 0:
            // Our SHUTDOWN COMPLETE was lost.
            queueControl(capacity: 8, isAlone: true) { $0.writeEmptyChunk(.shutdownComplete) }
        case .cookieWait, .cookieEchoed:
            // The peer has an association that is unknown here (RFC 9260, section 8.5.1).
            queueControl(capacity: 8, verificationTag: tag, isAlone: true) {
                $0.writeEmptyChunk(.shutdownComplete, flags: AbortChunk.tagIsReflected)
            }
        default: counters.chunksIgnored += 1
        }
    }

    mutating func receiveShutdownComplete() {
        if state == .shutdownAckSent { end(.closed) }
    }
}
