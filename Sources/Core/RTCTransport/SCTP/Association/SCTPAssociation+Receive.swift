package import RTCWire

extension SCTPAssociation {
    /// Processes one packet. If it is malformed, or not for this association, it is dropped and counted.
    package mutating func receive(_ packet: RawSpan, at now: Instant) {
        guard let header = SCTPCommonHeader(parsing: packet), header.sourcePort == configuration.remotePort,
            header.destinationPort == configuration.localPort, isIntact(packet, header)
        else {
            counters.packetsDropped += 1
            return
        }
        counters.packetsReceived += 1
        counters.bytesReceived += UInt64(packet.byteCount)
        var chunks = SCTPChunkReader(packet.extracting(unchecked: SCTPCommonHeader.size..<packet.byteCount))
        var isFirst = true
        var hasData = false
        var hasSack = false
        while let chunk = chunks.next() {
            if isFirst || chunk.type == .abort || chunk.type == .shutdownComplete {
                guard accepts(header.verificationTag, chunk) else {
                    counters.packetsDropped += 1
                    return
                }
            }
            let wasFirst = isFirst
            isFirst = false
            if chunk.type == .data {
                hasData = true
                receiveData(chunk, at: now)
            } else if chunk.type == .sack, hasSack {
                // No peer needs two SACKs in one packet, and each costs work.
                counters.chunksIgnored += 1
            } else {
                hasSack = hasSack || chunk.type == .sack
                guard receiveControl(chunk, header, isFirst: wasFirst, at: now) else { break }
            }
            if state == .ended { break }
        }
        if isFirst { counters.packetsDropped += 1 }
        if hasData { noteDataPacket(at: now) }
    }

    private func isIntact(_ packet: RawSpan, _ header: SCTPCommonHeader) -> Bool {
        if header.checksum == 0, configuration.zeroChecksum { return true }
        return packet.withUnsafeBytes { CRC32C.checksum(ofSCTPPacket: $0) } == header.checksum
    }

    /// The rules for verification tags (RFC 9260, sections 8.5 and 8.5.1).
    private func accepts(_ tag: UInt32, _ chunk: SCTPChunk) -> Bool {
        switch chunk.type {
        case .`init`: return tag == 0
        case .cookieEcho: return true  // It is checked against the cookie.
        case .abort, .shutdownComplete:
            let isReflected = chunk.flags & AbortChunk.tagIsReflected != 0
            return isReflected ? tag == peerTag && peerTag != 0 : tag == localTag
        case .shutdownAck where state == .cookieWait || state == .cookieEchoed: return true
        default: return tag == localTag
        }
    }

    /// Handles a chunk other than DATA. Returns whether to read the rest of the packet.
    private mutating func receiveControl(
        _ chunk: SCTPChunk, _ header: SCTPCommonHeader, isFirst: Bool, at now: Instant
    ) -> Bool {
        switch chunk.type {
        case .`init`:
            guard isFirst, let parsed = InitChunk(parsing: chunk.value) else { return ignore(andStop: true) }
            receiveInit(parsed, at: now)
            return false
        case .initAck:
            guard isFirst, let parsed = InitChunk(parsing: chunk.value) else { return ignore(andStop: true) }
            receiveInitAck(parsed, at: now)
            return false
        case .cookieEcho:
            guard isFirst else { return ignore(andStop: true) }
            receiveCookieEcho(chunk.value, tag: header.verificationTag, at: now)
            // The following chunks belong to the association only if the cookie did.
            return header.verificationTag == localTag && peerTag != 0 && state != .closed && state != .cookieWait
        case .cookieAck: receiveCookieAck(at: now)
        case .sack:
            guard let parsed = SackChunk(parsing: chunk.value) else { return ignore(andStop: false) }
            receiveSack(parsed, at: now)
        case .heartbeat:
            guard isSynchronized else { return ignore(andStop: false) }
            let answer = chunk.value.array
            guard answer.count <= 512 else { return ignore(andStop: false) }
            queueControl(capacity: answer.count + 8) { writer in
                let start = writer.beginChunk(.heartbeatAck)
                writer.write(answer)
                writer.endChunk(start)
            }
        case .heartbeatAck:
            guard let parsed = HeartbeatChunk(parsing: chunk.value) else { return ignore(andStop: false) }
            receiveHeartbeatAck(parsed, at: now)
        case .abort:
            let parsed = AbortChunk(parsing: chunk.value, flags: chunk.flags)
            if state != .closed { end(.failed(.abortedByPeer(cause: parsed.causes.first?.code.rawValue ?? 0))) }
        case .error:
            let parsed = ErrorChunk(parsing: chunk.value)
            if parsed.causes.contains(where: { $0.code == .staleCookie }) { receiveStaleCookie(at: now) }
        case .shutdown:
            guard let parsed = ShutdownChunk(parsing: chunk.value) else { return ignore(andStop: false) }
            receiveShutdown(parsed, at: now)
        case .shutdownAck: receiveShutdownAck(tag: header.verificationTag)
        case .shutdownComplete: receiveShutdownComplete()
        case .forwardTSN:
            guard let parsed = ForwardTSNChunk(parsing: chunk.value) else { return ignore(andStop: false) }
            receiveForwardTSN(parsed, at: now)
        case .reconfiguration:
            guard let parsed = ReconfigurationChunk(parsing: chunk.value) else { return ignore(andStop: false) }
            receiveReconfiguration(parsed, at: now)
        case .padding: break
        default:
            counters.chunksIgnored += 1
            if chunk.type.isReportedWhenUnknown, isSynchronized, chunk.whole.byteCount <= 512 {
                queueError(SCTPErrorCause(.unrecognizedChunkType, information: chunk.whole.array))
            }
            return !chunk.type.stopsPacketWhenUnknown
        }
        return true
    }

    private mutating func ignore(andStop stop: Bool) -> Bool {
        counters.chunksIgnored += 1
        return !stop
    }

    /// Whether both ends know of the association.
    var isSynchronized: Bool {
        switch state {
        case .closed, .cookieWait, .cookieEchoed, .ended: false
        default: true
        }
    }

    private var acceptsData: Bool {
        state == .established || state == .shutdownPending || state == .shutdownSent
    }

    // MARK: DATA

    private mutating func receiveData(_ chunk: SCTPChunk, at now: Instant) {
        guard let data = DataChunk(parsing: chunk), acceptsData else {
            counters.chunksIgnored += 1
            return
        }
        counters.chunksReceived += 1
        guard data.userData.byteCount > 0 else {
            var information: [UInt8] = []
            information.append(bigEndian: data.tsn.rawValue)
            fail(
                .protocolViolation("a DATA chunk without user data"), cause: .noUserData, information: information)
            return
        }
        if data.flags.contains(.immediate) { sack.isDue = true }
        let arrival = received.classify(data.tsn)
        switch arrival {
        case .duplicate:
            counters.duplicateChunks += 1
            received.noteDuplicate(data.tsn)
            sack.isDue = true
            return
        case .unreasonable:
            counters.chunksDropped += 1
            sack.isDue = true
            return
        case .next where received.ranges.isEmpty: break
        case .next, .ahead: sack.isDue = true
        }
        guard hasRoom(for: data, arrival) else {
            counters.chunksDropped += 1
            sack.isDue = true
            return
        }
        received.insert(data.tsn)
        guard data.stream < incomingStreamCount else {
            counters.chunksIgnored += 1
            var information: [UInt8] = []
            information.append(bigEndian: UInt32(data.stream) << 16)
            queueError(SCTPErrorCause(.invalidStreamIdentifier, information: information))
            return
        }
        window.keep(data.userData.byteCount)
        do throws(Reassembly.Failure) {
            try reassembly.insert(data)
        } catch {
            fail(
                .protocolViolation("a message larger than a=max-message-size allows"), cause: .protocolViolation)
            return
        }
        if arrival == .next {
            reassembly.prune(upTo: received.cumulative)
        }
        takeDelivered()
        takeDiscarded()
        if arrival == .next { performDeferredReset() }
    }

    /// Whether a chunk may be kept.
    ///
    /// A chunk that fills a gap is accepted beyond the window: a peer that respects the window sent it before the
    /// chunks already held, which cannot be delivered without it.
    private func hasRoom(for data: DataChunk, _ arrival: ReceivedTSNs.Arrival) -> Bool {
        let fillsGap = received.ranges.last.map { $0.last > data.tsn } ?? false
        if !fillsGap, reassembly.itemCount >= Reassembly.maximumItems { return false }
        if arrival != .next, !reassembly.hasRoomForRun { return false }
        // Respects the advertised window even if overhead has reduced it since, up to a bound.
        if !fillsGap, window.overhead >= max(4 * configuration.grantedWindow, window.size) { return false }
        let limit = window.size + (fillsGap ? 256 << 10 : 0)
        return window.buffered + data.userData.byteCount <= limit
    }

    /// Emits the messages that are complete and in order.
    private mutating func takeDelivered() {
        while let message = reassembly.popDelivered() {
            counters.messagesReceived += 1
            events.append(.message(message))
        }
    }

    /// Returns the window space of discarded fragments.
    private mutating func takeDiscarded() {
        let discarded = reassembly.takeDiscardedBytes()
        if discarded > 0 { window.release(discarded) }
    }

    private mutating func noteDataPacket(at now: Instant) {
        guard acceptsData else { return }
        sack.packets += 1
        // In SHUTDOWN-SENT each packet with data is answered at once (RFC 9260, section 9.2).
        if sack.packets >= 2 || state == .shutdownSent { sack.isDue = true }
        if sack.isDue {
            timers[.delayedSack] = nil
        } else if timers[.delayedSack] == nil {
            timers[.delayedSack] = now + configuration.sackDelay
        }
    }

    /// Schedules a SACK when a nearly closed window has reopened.
    mutating func updateWindow() {
        guard isSynchronized else { return }
        let step = min(window.size / 2, 4 * configuration.packetSize)
        if advertisedWindow < step, window.available >= step { sack.isDue = true }
    }

    // MARK: FORWARD TSN

    private mutating func receiveForwardTSN(_ chunk: ForwardTSNChunk, at now: Instant) {
        guard acceptsData else {
            counters.chunksIgnored += 1
            return
        }
        sack.isDue = true
        let distance = received.cumulative.distance(to: chunk.newCumulativeTSN)
        guard distance > 0 else { return }
        received.skip(to: chunk.newCumulativeTSN)
        reassembly.skip(to: chunk.newCumulativeTSN)
        for index in 0..<chunk.skippedStreamCount {
            let skipped = chunk.skippedStream(at: index)
            guard skipped.stream < incomingStreamCount else { continue }
            reassembly.skip(stream: skipped.stream, to: skipped.sequenceNumber)
        }
        reassembly.prune(upTo: received.cumulative)
        takeDelivered()
        takeDiscarded()
        performDeferredReset()
    }
}
