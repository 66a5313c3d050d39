package import RTCWire

extension SCTPAssociation {
    /// Writes the next packet.
    ///
    /// - Parameter memory: At least `configuration.maximumPacketSize` bytes; no more are used.
    /// - Returns: The size of the packet, or 0 when there is nothing to send now.
    package mutating func pollTransmit(into memory: UnsafeMutableRawBufferPointer, at now: Instant) -> Int {
        let size = min(memory.count & ~3, configuration.packetSize)
        guard size >= 512 else { return 0 }
        hasJustSentData = false
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[..<size]))
        if let first = control.first, first.isAlone {
            control.popFirst()
            writeHeader(first.verificationTag ?? peerTag, to: &writer)
            writer.write(first.bytes)
            return finish(&writer, needsChecksum: first.needsChecksum)
        }
        writeHeader(peerTag, to: &writer)
        var needsChecksum = false
        switch state {
        case .closed, .cookieWait:
            // Chunks left over from an abandoned attempt have no receiver.
            while let chunk = control.first, !chunk.isAlone { control.popFirst() }
            return 0
        case .cookieEchoed:
            // Only one packet until COOKIE ACK arrives (RFC 9260, section 5.1).
            guard isCookieEchoDue else { return 0 }
            isCookieEchoDue = false
            needsChecksum = true
            CookieEchoChunk(cookie: cookie).write(to: &writer)
            writeControl(to: &writer)
        case .ended: writeControl(to: &writer)
        default:
            queueReconfiguration(at: now)
            writeControl(to: &writer)
            if sack.isDue || (sack.packets > 0 && !holdsData && hasDataToSend) { writeSack(to: &writer) }
            if isForwardTSNDue { writeForwardTSN(to: &writer) }
        }
        if writeData(to: &writer, at: now) {
            hasJustSentData = true
            lastDataSent = now
            if timers[.t3] == nil, state != .cookieEchoed { timers[.t3] = now + timeout.value }
        }
        if state == .shutdownPending || state == .shutdownReceived {
            // The last pending message may just have expired, and then no SACK follows that would continue the
            // shutdown.
            continueShutdown(at: now)
            writeControl(to: &writer)
        }
        return finish(&writer, needsChecksum: needsChecksum)
    }

    private func writeHeader(_ tag: UInt32, to writer: inout ByteWriter) {
        SCTPCommonHeader(
            sourcePort: configuration.localPort, destinationPort: configuration.remotePort, verificationTag: tag
        ).write(to: &writer)
    }

    /// Completes the packet. Returns its size, 0 when it is empty.
    private mutating func finish(_ writer: inout ByteWriter, needsChecksum: Bool) -> Int {
        guard writer.count > SCTPCommonHeader.size, !writer.overflowed else { return 0 }
        let leavesOut = configuration.zeroChecksum && peerCapabilities.contains(.zeroChecksum) && !needsChecksum
        if !leavesOut { SCTPCommonHeader.writeChecksum(into: writer.written) }
        counters.packetsSent += 1
        counters.bytesSent += UInt64(writer.count)
        return writer.count
    }

    // MARK: Control

    /// Queues a control chunk. Drops it if the queue is full: only a peer that sends requests faster than it reads gets
    /// there.
    mutating func queueControl(
        capacity: Int, verificationTag: UInt32? = nil, isAlone: Bool = false, needsChecksum: Bool = false,
        _ write: (inout ByteWriter) -> Void
    ) {
        guard control.count < 16 else {
            counters.chunksDropped += 1
            return
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            write(&writer)
            count = writer.overflowed ? 0 : writer.count
        }
        guard !bytes.isEmpty else { return }
        control.append(
            ControlChunk(
                bytes: bytes, verificationTag: verificationTag, isAlone: isAlone, needsChecksum: needsChecksum))
    }

    mutating func queueError(_ cause: SCTPErrorCause) {
        queueControl(capacity: 16 + cause.information.count) { ErrorChunk(causes: [cause]).write(to: &$0) }
    }

    private mutating func writeControl(to writer: inout ByteWriter) {
        while let chunk = control.first, !chunk.isAlone {
            if chunk.bytes.count > writer.room {
                // A chunk that fits in no packet would block all those behind it.
                if writer.count == SCTPCommonHeader.size { control.popFirst() }
                return
            }
            writer.write(chunk.bytes)
            control.popFirst()
        }
    }

    private mutating func writeSack(to writer: inout ByteWriter) {
        let room = (writer.room - SackChunk.fixedSize) / 4
        guard room >= 0 else { return }
        let ranges = received.ranges.prefix(room)
        let duplicates = received.duplicates.prefix(room - ranges.count)
        advertisedWindow = window.available
        SackChunk.write(
            cumulativeTSN: received.cumulative, advertisedWindow: UInt32(clamping: advertisedWindow),
            gapBlocks: ranges, duplicates: duplicates, to: &writer)
        received.clearDuplicates()
        sack = SackSchedule()
        timers[.delayedSack] = nil
    }

    private mutating func writeForwardTSN(to writer: inout ByteWriter) {
        let limit = (writer.room - ForwardTSNChunk.fixedSize) / 4
        guard limit > 0 else { return }
        let point = outstanding.advancedAckPoint(limit: limit)
        // If it does not fit, it gets the next packet to itself.
        isForwardTSNDue = point.map { $0.skipped.count > limit } ?? false
        guard let point, !isForwardTSNDue else { return }
        ForwardTSNChunk.write(newCumulativeTSN: point.tsn, skipped: point.skipped, to: &writer)
    }

    // MARK: Data

    /// Whether ``writeData(to:at:)`` will probably find something to write.
    var hasDataToSend: Bool {
        guard burstBudget > 0 else { return false }
        if recoveryBudget > 0, outstanding.lostCount > 0 { return true }
        return outstanding.bytesInFlight < congestion.window
            && (outstanding.lostCount > 0 || ((transmission != nil || !queue.isEmpty) && maySendNewData))
    }

    private var maySendNewData: Bool {
        switch state {
        case .cookieEchoed, .established, .shutdownPending, .shutdownReceived: true
        default: false
        }
    }

    /// Fills the packet with lost chunks, then new ones. Returns whether it wrote any.
    private mutating func writeData(to writer: inout ByteWriter, at now: Instant) -> Bool {
        guard burstBudget > 0, state != .ended, !holdsData else { return false }
        let start = writer.count
        if outstanding.lostCount > 0 { writeLost(to: &writer, at: now) }
        if outstanding.lostCount == 0, maySendNewData { writeNew(to: &writer, at: now) }
        guard writer.count > start else { return false }
        burstBudget -= 1
        return true
    }

    private mutating func writeLost(to writer: inout ByteWriter, at now: Instant) {
        let abandoned = outstanding.abandonedMessages
        // Only one packet at a time is sent into a closed window.
        let isOpen = peerWindow > 0 || outstanding.bytesInFlight == 0
        while isOpen, recoveryBudget > 0 || outstanding.bytesInFlight < congestion.window,
            let index = outstanding.nextLost(at: now)
        {
            let size = outstanding.chunks[index].size
            guard size <= writer.room else { break }
            recoveryBudget = max(0, recoveryBudget - size)
            // Restarts T3-rtx, because the earliest outstanding chunk is retransmitted (RFC 9260, section 7.2.4).
            if index == 0, state != .cookieEchoed { timers[.t3] = now + timeout.value }
            outstanding.resend(index, at: now, to: &writer)
            counters.chunksRetransmitted += 1
        }
        if outstanding.abandonedMessages != abandoned {
            isForwardTSNDue = true
            release()
        }
    }

    private mutating func writeNew(to writer: inout ByteWriter, at now: Instant) {
        let full = configuration.packetSize - SCTPCommonHeader.size - DataChunk.headerSize
        while outstanding.bytesInFlight < congestion.window,
            outstanding.chunks.count < RetransmissionQueue.maximumChunks
        {
            let room = writer.room - DataChunk.headerSize
            guard room >= 4, beginMessage(at: now), let current = transmission else { return }
            if endIfAbandoned(at: now) { continue }
            let left = current.count - current.offset
            let length: Int
            if left <= room {
                length = left
            } else if current.count > full, room >= 256 || room == full {
                length = room & ~3
            } else {
                return  // It fits whole, or with less overhead, into the next packet.
            }
            guard mayEnterPeerWindow(length, at: now) else { return }
            let isLimit = outstanding.bytesInFlight + DataChunk.size(userData: length) >= congestion.window
            outstanding.send(
                current.message, offset: current.offset, length: length, immediate: isLimit, at: now, to: &writer)
            counters.chunksSent += 1
            if current.isCounted { queue.sent(bytes: length, on: current.slot) }
            if left == length {
                transmission = nil
                counters.messagesSent += 1
            } else {
                transmission?.offset += length
            }
        }
    }

    /// Takes the next message into transmission if there is none; `false` when the queue is empty.
    private mutating func beginMessage(at now: Instant) -> Bool {
        if transmission != nil { return true }
        guard !queue.isEmpty else { return false }
        if outstanding.isEmpty, lastDataSent.nanoseconds > .min {
            let idle = (now - lastDataSent).nanoseconds / max(1, timeout.value.nanoseconds)
            congestion.idle(timeouts: Int(clamping: idle))
        }
        var expired = 0
        defer { bufferedAmount = max(0, bufferedAmount - expired) }
        guard let (slot, message) = queue.popMessage(at: now, discarded: &expired) else { return false }
        let count = message.bytes.count
        let number = outstanding.begin(
            InFlightMessage(
                bytes: message.bytes, protocolIdentifier: message.protocolIdentifier, slot: slot,
                stream: queue.streams[slot].id,
                sequenceNumber: message.isUnordered ? StreamSequenceNumber(0) : queue.takeSequenceNumber(of: slot),
                isUnordered: message.isUnordered, maximumRetransmits: message.maximumRetransmits,
                expiry: message.expiry))
        transmission = (number, slot, 0, count, message.isCounted)
        return true
    }

    /// Ends the message in transmission if it is abandoned. Returns whether it did.
    private mutating func endIfAbandoned(at now: Instant) -> Bool {
        guard let current = transmission, outstanding.abandonIfExpired(current.message, at: now) else { return false }
        outstanding.endAbandoned(current.message, at: now)
        let left = current.count - current.offset
        if current.isCounted { queue.sent(bytes: left, on: current.slot) }
        bufferedAmount = max(0, bufferedAmount - left)
        release()
        transmission = nil
        isForwardTSNDue = true
        if timers[.t3] == nil { timers[.t3] = now + timeout.value }
        return true
    }

    /// Whether the peer's window has room for `length` more bytes (RFC 9260, section 6.1, rule A).
    ///
    /// If it has none and nothing is in flight whose SACK could open it, one chunk is sent as a probe at each expiry of
    /// T3-rtx.
    private mutating func mayEnterPeerWindow(_ length: Int, at now: Instant) -> Bool {
        if outstanding.payloadInFlight + length <= peerWindow {
            isWindowBlocked = false
            return true
        }
        if isProbeDue, outstanding.payloadInFlight == 0 {
            isProbeDue = false
            isProbing = true
            return true
        }
        if outstanding.isEmpty, timers[.t3] == nil {
            isWindowBlocked = true
            timers[.t3] = now + timeout.value
        }
        return false
    }
}
