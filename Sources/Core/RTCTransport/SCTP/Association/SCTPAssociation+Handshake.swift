package import RTCWire

extension SCTPAssociation {
    /// Begins the association with an INIT. Both ends may do so at the same time (RFC 9260, section 5.2.1).
    package mutating func connect(at now: Instant) {
        guard state == .closed else { return }
        state = .cookieWait
        initRetransmissions = 0
        handshakeSent = now
        queueInit()
        timers[.t1] = now + timeout.value
    }

    // MARK: INIT

    /// The parameters that this end announces in INIT and INIT ACK.
    private var offer: InitChunk {
        var offer = InitChunk(
            initiateTag: localTag, advertisedWindow: UInt32(clamping: configuration.grantedWindow),
            outboundStreams: max(1, configuration.outgoingStreams),
            inboundStreams: max(1, configuration.incomingStreams), initialTSN: localInitialTSN)
        offer.supportsForwardTSN = true
        offer.supportsReconfiguration = true
        offer.acceptsZeroChecksum = configuration.zeroChecksum
        return offer
    }

    mutating func queueInit() {
        let offer = offer
        queueControl(capacity: 128, verificationTag: 0, isAlone: true, needsChecksum: true) {
            offer.write(as: .`init`, to: &$0)
        }
    }

    /// Answers an INIT in every state but two; the association changes only when the cookie returns (RFC 9260, sections
    /// 5.1, 5.2.1 and 5.2.2).
    mutating func receiveInit(_ chunk: InitChunk, at now: Instant) {
        if state == .ended {
            counters.packetsDropped += 1
            return
        }
        if state == .shutdownAckSent {
            queueControl(capacity: 8) { $0.writeEmptyChunk(.shutdownAck) }
            return
        }
        guard chunk.initiateTag != 0 else {
            counters.packetsDropped += 1
            return
        }
        guard chunk.outboundStreams > 0, chunk.inboundStreams > 0, !chunk.hasHostName else {
            let cause = SCTPErrorCause(chunk.hasHostName ? .unresolvableAddress : .invalidMandatoryParameter)
            queueControl(capacity: 32, verificationTag: chunk.initiateTag, isAlone: true) {
                AbortChunk(causes: [cause]).write(to: &$0)
            }
            return
        }
        var answer = offer
        var cookie = StateCookie(
            binding: cookieBinding, created: now, localTag: localTag, localInitialTSN: localInitialTSN, peer: chunk)
        switch state {
        case .closed, .cookieWait: break
        case .cookieEchoed:
            cookie.localTieTag = localTag
            cookie.peerTieTag = peerTag
        default:
            // The association exists, so the peer may have lost its state. New tags and TSNs distinguish the two
            // associations.
            cookie.localTag = max(1, UInt32(truncatingIfNeeded: random.next()))
            cookie.localInitialTSN = TransmissionSequenceNumber(UInt32(truncatingIfNeeded: random.next()))
            cookie.localTieTag = localTag
            cookie.peerTieTag = peerTag
            answer.initiateTag = cookie.localTag
            answer.initialTSN = cookie.localInitialTSN
        }
        answer.cookie = cookie.bytes
        answer.unrecognizedParameters = chunk.unrecognizedParameters
        queueControl(
            capacity: 1_024, verificationTag: chunk.initiateTag, isAlone: true, needsChecksum: true
        ) { answer.write(as: .initAck, to: &$0) }
    }

    mutating func receiveInitAck(_ chunk: InitChunk, at now: Instant) {
        guard state == .cookieWait else { return }
        guard chunk.initiateTag != 0, chunk.outboundStreams > 0, chunk.inboundStreams > 0, !chunk.hasHostName,
            let cookie = chunk.cookie, !cookie.isEmpty
        else {
            peerTag = chunk.initiateTag
            fail(
                .protocolViolation("the INIT ACK lacks a valid tag, streams or cookie"),
                cause: .invalidMandatoryParameter)
            return
        }
        adopt(
            peerTag: chunk.initiateTag, initialTSN: chunk.initialTSN, window: chunk.advertisedWindow,
            outbound: chunk.outboundStreams, inbound: chunk.inboundStreams,
            capabilities: StateCookie.Capabilities(chunk))
        self.cookie = cookie
        state = .cookieEchoed
        measureHandshake(at: now)
        initRetransmissions = 0
        handshakeSent = now
        isCookieEchoDue = true
        timers[.t1] = now + timeout.value
        if !chunk.unrecognizedParameters.isEmpty {
            var information: [UInt8] = []
            for parameter in chunk.unrecognizedParameters {
                information += parameter
                while information.count % 4 != 0 { information.append(0) }
            }
            queueError(SCTPErrorCause(.unrecognizedParameters, information: information))
        }
    }

    // MARK: Cookies

    /// Handles COOKIE ECHO (RFC 9260, sections 5.1.5 and 5.2.4).
    mutating func receiveCookieEcho(_ bytes: RawSpan, tag: UInt32, at now: Instant) {
        guard state != .ended, let cookie = StateCookie(parsing: bytes, binding: cookieBinding),
            cookie.localTag == tag
        else {
            counters.packetsDropped += 1
            return
        }
        let isOurs = cookie.localTag == localTag
        let isKnownPeer = cookie.peerTag == peerTag && peerTag != 0
        if now - cookie.created > configuration.cookieLifetime, !(isOurs && isKnownPeer) {
            var staleness: [UInt8] = []
            let excess = (now - cookie.created) - configuration.cookieLifetime
            staleness.append(bigEndian: UInt32(clamping: excess.microseconds))
            let error = ErrorChunk(causes: [SCTPErrorCause(.staleCookie, information: staleness)])
            queueControl(capacity: 32, verificationTag: cookie.peerTag, isAlone: true) { error.write(to: &$0) }
            return
        }
        switch state {
        case .closed, .cookieWait, .cookieEchoed:
            guard isOurs else {
                counters.packetsDropped += 1
                return
            }
            // In COOKIE-ECHOED, a cookie with the known peer tag changes only the state (action D); with another tag it
            // stems from the peer's own INIT, which wins (action B).
            if state != .cookieEchoed || !isKnownPeer {
                adopt(
                    peerTag: cookie.peerTag, initialTSN: cookie.peerInitialTSN, window: cookie.peerWindow,
                    outbound: cookie.peerOutboundStreams, inbound: cookie.peerInboundStreams,
                    capabilities: cookie.capabilities)
            }
            establish(at: now)
            queueCookieAck()
        case .shutdownAckSent:
            if isOurs {
                queueControl(capacity: 8) { $0.writeEmptyChunk(.shutdownAck) }
            }
        default:
            if isOurs, isKnownPeer {
                queueCookieAck()  // Our COOKIE ACK was lost.
            } else if !isOurs, !isKnownPeer, cookie.localTieTag == localTag, cookie.peerTieTag == peerTag {
                fail(.restarted, cause: .userInitiatedAbort)
            } else {
                counters.packetsDropped += 1
            }
        }
    }

    mutating func receiveCookieAck(at now: Instant) {
        guard state == .cookieEchoed else { return }
        measureHandshake(at: now)
        establish(at: now)
    }

    /// Measures the round trip of INIT or COOKIE ECHO, unless it was retransmitted: then the timeout stays backed off,
    /// since the round-trip time may have grown.
    private mutating func measureHandshake(at now: Instant) {
        guard initRetransmissions == 0, let handshakeSent else { return }
        timeout.measured(now - handshakeSent)
    }

    /// Restarts the handshake because the cookie arrived too late (RFC 9260, section 5.2.6).
    mutating func receiveStaleCookie(at now: Instant) {
        guard state == .cookieEchoed else { return }
        state = .cookieWait
        isCookieEchoDue = false
        countInitRetransmission()
        guard state == .cookieWait else { return }
        queueInit()
        timers[.t1] = now + timeout.value
    }

    private mutating func queueCookieAck() {
        queueControl(capacity: 8) { $0.writeEmptyChunk(.cookieAck) }
    }

    /// Adopts the peer's parameters from INIT or INIT ACK.
    private mutating func adopt(
        peerTag: UInt32, initialTSN: TransmissionSequenceNumber, window: UInt32, outbound: UInt16, inbound: UInt16,
        capabilities: StateCookie.Capabilities
    ) {
        self.peerTag = peerTag
        peerCapabilities = capabilities
        peerWindow = Int(window)
        outgoingStreamCount = min(Int(configuration.outgoingStreams), Int(inbound))
        incomingStreamCount = min(Int(configuration.incomingStreams), Int(outbound))
        received = ReceivedTSNs(initialTSN: initialTSN)
        outstanding.mayAbandon = capabilities.contains(.forwardTSN)
        reconfiguration.nextPeerRequest = ReconfigurationSequenceNumber(initialTSN.rawValue)
    }

    private mutating func establish(at now: Instant) {
        state = .established
        cookie = []
        isCookieEchoDue = false
        timers[.t1] = nil
        errorCount = 0
        refillBurst()
        restartHeartbeat(at: now)
        if !outstanding.isEmpty { timers[.t3] = now + timeout.value }
        events.append(.established)
    }

    // MARK: T1

    mutating func handleT1(at now: Instant) {
        countInitRetransmission()
        switch state {
        case .cookieWait: queueInit()
        case .cookieEchoed:
            isCookieEchoDue = true
            // Data bundled with the first COOKIE ECHO are bundled with the next.
            outstanding.loseAll(at: now)
        default: return
        }
        timeout.backOff()
        timers[.t1] = now + timeout.value
    }

    private mutating func countInitRetransmission() {
        initRetransmissions += 1
        if let limit = configuration.maximumInitRetransmissions, initRetransmissions > limit {
            end(.failed(.timedOut))
        }
    }
}
