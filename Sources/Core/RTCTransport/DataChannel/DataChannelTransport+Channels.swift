public import RTCWire

extension DataChannelTransport {
    // MARK: Opening

    /// Opens a channel. It is `connecting` until the `opened` event, which is reported once the association is
    /// established.
    ///
    /// - Throws: `invalidParameters`, `identifierInUse`, `tooManyChannels`, or `closed` when the association has ended.
    package mutating func open(_ parameters: DataChannelParameters, at now: Instant) throws(DataChannelError)
        -> ChannelID
    {
        try check(parameters)
        guard slots.count - freeSlots.count < Self.maximumChannels else {
            throw DataChannelError(
                .tooManyChannels, "There are \(Self.maximumChannels) channels already. Close some that are not used.")
        }
        guard !association.hasEnded else {
            throw DataChannelError(.closed, "The association has ended. Open a new connection to go on.")
        }
        let index = insert(parameters, stream: nil, isAcknowledged: parameters.negotiatedID != nil)
        if let stream = parameters.negotiatedID {
            take(stream, for: index)
        } else if role != nil {
            assignStream(index)
            guard slots[index]?.stream != nil else {
                forget(index)
                throw DataChannelError(
                    .tooManyChannels, "All stream identifiers are in use. Close channels that are not used.")
            }
        }
        let id = slots[index]?.id ?? ChannelID(index: 0, generation: .max)
        if association.isNegotiated {
            let missing = announce(index, at: now)
            if missing > 0 { addStreams(missing, at: now) }
        } else {
            hasUnannounced = true
        }
        return id
    }

    private func check(_ parameters: DataChannelParameters) throws(DataChannelError) {
        guard parameters.maxRetransmits == nil || parameters.maxPacketLifeTime == nil else {
            throw DataChannelError(
                .invalidParameters, "maxRetransmits and maxPacketLifeTime exclude each other. Give one of them.")
        }
        guard parameters.label.utf8.count <= 65_535, parameters.protocol.utf8.count <= 65_535 else {
            throw DataChannelError(.invalidParameters, "Label and protocol have at most 65,535 bytes. Shorten them.")
        }
        if let lifetime = parameters.maxPacketLifeTime, lifetime < .zero {
            throw DataChannelError(.invalidParameters, "maxPacketLifeTime is negative. Give zero or more.")
        }
        guard let stream = parameters.negotiatedID else { return }
        guard stream != .max else {
            throw DataChannelError(.invalidParameters, "Identifiers go from 0 to 65,534. Choose another one.")
        }
        guard slotOfStream[stream] == nil else {
            throw DataChannelError(
                .identifierInUse,
                "Identifier \(stream) belongs to another channel. Choose another, or close that first.")
        }
    }

    private mutating func insert(_ parameters: DataChannelParameters, stream: UInt16?, isAcknowledged: Bool) -> Int {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = slots.count
            slots.append(nil)
            self.parameters.append(parameters)
            generations.append(0)
        }
        let id = ChannelID(index: UInt32(truncatingIfNeeded: index), generation: generations[index])
        slots[index] = Channel(id: id, parameters, isAcknowledged: isAcknowledged)
        self.parameters[index] = parameters
        if let stream { take(stream, for: index) }
        return index
    }

    private mutating func take(_ stream: UInt16, for index: Int) {
        slots[index]?.stream = stream
        slotOfStream[stream] = index
        hasStreamsToReset = true
    }

    /// Gives a channel that has no stream identifier the lowest free one of our parity (RFC 8832, section 6).
    mutating func assignStream(_ index: Int) {
        guard slots[index] != nil, slots[index]?.stream == nil else { return }
        while nextStream < 65_535 {
            let stream = UInt16(truncatingIfNeeded: nextStream)
            nextStream += 2
            guard slotOfStream[stream] == nil else { continue }
            take(stream, for: index)
            return
        }
    }

    /// Queues the pending opening messages once the peer's limits are known, in time to be bundled with COOKIE ECHO.
    mutating func announce(at now: Instant) {
        guard association.isNegotiated else { return }
        hasUnannounced = false
        var missing = 0
        for index in slots.indices { missing = max(missing, announce(index, at: now)) }
        if missing > 0 { addStreams(missing, at: now) }
    }

    /// Queues the opening message of one channel, if it is pending. Returns the number of streams that are missing for
    /// it.
    private mutating func announce(_ index: Int, at now: Instant) -> Int {
        guard let channel = slots[index], channel.state == .connecting else { return 0 }
        guard let stream = channel.stream else {
            close(at: index)
            return 0
        }
        guard Int(stream) < association.outgoingStreams else { return Int(stream) + 1 - association.outgoingStreams }
        if !channel.isAnnounced {
            slots[index]?.isAnnounced = true
            association.setWeight(channel.priority.rawValue, of: stream)
            association.setBufferedAmountLowThreshold(channel.lowThreshold, of: stream)
            if !channel.isNegotiated {
                sendControl(DataChannelOpenMessage(parameters[index]).bytes, on: stream, at: now)
            }
        }
        if association.isEstablished { becomeOpen(index) }
        return 0
    }

    private mutating func addStreams(_ count: Int, at now: Instant) {
        guard association.isEstablished else { return }
        association.addOutgoingStreams(UInt16(clamping: count), at: now)
        takeAssociationEvents(at: now)
    }

    private mutating func becomeOpen(_ index: Int) {
        guard let id = slots[index]?.id else { return }
        slots[index]?.state = .open
        statistics.channelsOpened += 1
        events.append(.opened(id))
    }

    private mutating func sendControl(_ bytes: [UInt8], on stream: UInt16, at now: Instant) {
        do throws(SCTPSendError) {
            try association.send(
                SCTPMessage(stream: stream, protocolIdentifier: DataChannelPayload.control, bytes: bytes),
                isControl: true, isCounted: false, at: now)
        } catch {
            // The association is closing, and the channels with it.
        }
    }

    // MARK: Closing

    /// Closes a channel once its waiting messages have been sent (RFC 8831, section 6.7). Does nothing if it is closing
    /// or closed.
    @usableFromInline package mutating func close(_ id: ChannelID, at now: Instant) {
        guard let index = index(of: id), let channel = slots[index] else { return }
        switch channel.state {
        case .closing, .closed: return
        case .connecting where !channel.isAnnounced: close(at: index)
        case .connecting, .open:
            slots[index]?.state = .closing
            if let stream = channel.stream { association.resetStreams([stream], at: now) }
            takeAssociationEvents(at: now)
        }
    }

    /// Closes a channel. Its stream is free at once; the rest is kept until the event is polled, so that the owner can
    /// query it in the events before.
    private mutating func close(at index: Int) {
        guard let channel = slots[index], channel.state != .closed else { return }
        if channel.isAnnounced, channel.state != .connecting { statistics.channelsClosed += 1 }
        slots[index]?.state = .closed
        events.append(.closed(channel.id))
        if let stream = channel.stream, slotOfStream[stream] == index {
            slotOfStream[stream] = nil
            let isOurs = (stream & 1 == 0) == (role == .client)
            if isOurs { nextStream = min(nextStream, Int(stream)) }
        }
        if channel.hasParts { dropParts(index) }
    }

    mutating func forget(_ index: Int) {
        guard let channel = slots[index] else { return }
        if channel.isFromPeer { remoteNameBytes -= parameters[index].nameBytes }
        parameters[index] = DataChannelParameters()
        association.adjustOverhead(by: -channel.unconsumedMessages * Self.messageOverhead)
        slots[index] = nil
        generations[index] &+= 1
        freeSlots.append(index)
    }

    // MARK: Events of the association

    mutating func takeAssociationEvents(at now: Instant) {
        while let event = association.pollUrgentEvent() {
            switch event {
            case .established:
                events.append(.associated)
                announce(at: now)
            case .message(let message): receive(message, at: now)
            case .bufferedAmountLow: break
            case .incomingStreamsReset(let streams): incomingReset(streams, at: now)
            case .outgoingStreamsReset(let streams): outgoingReset(streams)
            case .streamResetDenied(let streams):
                // The peer will not reset its side either, so waiting is pointless.
                for stream in streams {
                    if let index = slotOfStream[stream], slots[index]?.state == .closing { close(at: index) }
                }
            case .outgoingStreamCount(let count):
                for index in slots.indices where slots[index]?.state == .connecting {
                    if let stream = slots[index]?.stream, Int(stream) >= count { close(at: index) }
                }
                announce(at: now)
            case .closed: end(.ended)
            case .failed(let failure): end(.failed(failure))
            }
        }
    }

    private mutating func end(_ event: DataChannelEvent) {
        for index in slots.indices where slots[index] != nil { close(at: index) }
        events.append(event)
    }

    private mutating func incomingReset(_ streams: [UInt16], at now: Instant) {
        // A request of 20 bytes resets all streams: only the first one finds anything to do.
        if streams.isEmpty, hasStreamsToReset {
            hasStreamsToReset = false
            slotsVisitedByResets += slots.count
            for index in slots.indices { incomingReset(index, at: now) }
        }
        for stream in streams {
            if let index = slotOfStream[stream] { incomingReset(index, at: now) }
        }
    }

    private mutating func incomingReset(_ index: Int, at now: Instant) {
        guard let channel = slots[index], let stream = channel.stream, !channel.isIncomingReset else { return }
        slots[index]?.isIncomingReset = true
        switch channel.state {
        case .connecting where !channel.isAnnounced: close(at: index)  // Nothing was sent yet.
        case .connecting, .open:
            slots[index]?.state = .closing
            events.append(.closing(channel.id))
            association.resetStreams([stream], at: now)
        case .closing:
            if channel.isOutgoingReset { close(at: index) }
        case .closed: break
        }
    }

    private mutating func outgoingReset(_ streams: [UInt16]) {
        for stream in streams {
            guard let index = slotOfStream[stream], let channel = slots[index], channel.state == .closing else {
                continue
            }
            slots[index]?.isOutgoingReset = true
            if channel.isIncomingReset { close(at: index) }
        }
    }

    // MARK: Incoming messages

    private mutating func receive(_ message: SCTPMessage, at now: Instant) {
        guard message.protocolIdentifier != DataChannelPayload.control else {
            association.releaseWindow(message.bytes.count)
            receiveControl(message, at: now)
            return
        }
        guard let index = slotOfStream[message.stream], slots[index] != nil, slots[index]?.isIncomingReset == false
        else {
            ignore(message.bytes.count)
            return
        }
        slots[index]?.isAcknowledged = true
        switch message.protocolIdentifier {
        case DataChannelPayload.text: deliver(message.bytes, isText: true, index, at: now)
        case DataChannelPayload.binary: deliver(message.bytes, isText: false, index, at: now)
        case DataChannelPayload.textEmpty, DataChannelPayload.binaryEmpty:
            association.releaseWindow(message.bytes.count)
            deliver([], isText: message.protocolIdentifier == DataChannelPayload.textEmpty, index, at: now)
        case DataChannelPayload.textPartial, DataChannelPayload.binaryPartial:
            takePart(message.bytes, index)
        default: ignore(message.bytes.count)
        }
    }

    private mutating func ignore(_ count: Int) {
        statistics.messagesIgnored += 1
        association.releaseWindow(count)
    }

    /// Keeps a fragment of a message. Ends the association when the message exceeds the maximum size, as for an
    /// unfragmented one: to drop a fragment would corrupt the message.
    private mutating func takePart(_ bytes: [UInt8], _ index: Int) {
        guard (parts[index]?.count ?? 0) + bytes.count <= maximumMessageSize else { return failTooLarge(index) }
        parts[index, default: []] += bytes
        slots[index]?.hasParts = true
    }

    private mutating func failTooLarge(_ index: Int) {
        slots[index]?.isIncomingReset = true  // Messages in the same packet are not delivered either.
        association.fail(
            .protocolViolation("a message larger than a=max-message-size allows"), cause: .protocolViolation)
    }

    /// Gives back the window taken by the fragments of an incomplete message.
    private mutating func dropParts(_ index: Int) {
        guard let dropped = parts.removeValue(forKey: index) else { return }
        slots[index]?.hasParts = false
        association.releaseWindow(dropped.count)
    }

    private mutating func deliver(_ bytes: [UInt8], isText: Bool, _ index: Int, at now: Instant) {
        guard var channel = slots[index] else { return }
        var bytes = bytes
        if channel.hasParts {
            channel.hasParts = false
            slots[index]?.hasParts = false
            let parts = parts.removeValue(forKey: index) ?? []
            guard parts.count + bytes.count <= maximumMessageSize else { return failTooLarge(index) }
            bytes = parts + bytes
        }
        channel.unconsumedBytes += bytes.count
        channel.unconsumedMessages += 1
        association.adjustOverhead(by: Self.messageOverhead)
        channel.statistics.messagesReceived += 1
        channel.statistics.bytesReceived += UInt64(bytes.count)
        slots[index] = channel
        events.append(.message(channel.id, DataChannelMessage(bytes: bytes, isText: isText)))
    }

    private mutating func receiveControl(_ message: SCTPMessage, at now: Instant) {
        if message.bytes.first == DataChannelOpenMessage.acknowledgement {
            if let index = slotOfStream[message.stream] { slots[index]?.isAcknowledged = true }
            return
        }
        guard let open = message.bytes.withUnsafeBytes({ DataChannelOpenMessage(parsing: $0.bytes) }) else {
            refuse(message.stream, at: now)
            return
        }
        if let index = slotOfStream[message.stream], let channel = slots[index] {
            // The peer reuses the stream, so it has processed our reset, though its response has not arrived.
            guard channel.state == .closing, channel.isIncomingReset else {
                statistics.messagesIgnored += 1
                return
            }
            close(at: index)
        }
        let isPeers = (message.stream & 1 == 0) == (role == .server)
        let nameBytes = open.parameters.nameBytes
        guard isPeers, role != nil, slots.count - freeSlots.count < Self.maximumChannels,
            remoteNameBytes + nameBytes <= Self.maximumNameBytes, Int(message.stream) < association.outgoingStreams
        else {
            refuse(message.stream, at: now)
            return
        }
        remoteNameBytes += nameBytes
        let index = insert(open.parameters, stream: message.stream, isAcknowledged: true)
        slots[index]?.isFromPeer = true
        slots[index]?.isAnnounced = true
        slots[index]?.state = .open
        statistics.channelsOpened += 1
        association.setWeight(open.parameters.priority.rawValue, of: message.stream)
        sendControl([DataChannelOpenMessage.acknowledgement], on: message.stream, at: now)
        if let id = slots[index]?.id { events.append(.incoming(id, open.parameters)) }
    }

    /// Closes a stream that the peer opened in error, by resetting ours (RFC 8832, section 6).
    private mutating func refuse(_ stream: UInt16, at now: Instant) {
        statistics.channelsRefused += 1
        if slotOfStream[stream] == nil { association.resetStreams([stream], at: now) }
    }
}
