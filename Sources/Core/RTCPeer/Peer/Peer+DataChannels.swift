public import RTCTransport
public import RTCWire

extension Peer {
    /// Names a data channel of this peer, and no other one, also after it was closed.
    public struct ChannelID: Hashable, Sendable {
        let id: DataChannelTransport.ChannelID
        /// The number of the SCTP association: a peer may have several in succession.
        let association: UInt32
    }

    /// Opens a data channel, now or as soon as the connection is there (RFC 8831, RFC 8832). Where the other peer has
    /// refused or removed data channels, it is asked again.
    package mutating func openChannel(
        _ parameters: DataChannelParameters, at now: Instant
    ) throws(DataChannelError) -> ChannelID {
        if areChannelsRetired, connectionState != .closed, dtls.state.isUsable { renewChannels(at: now) }
        let id = try channels.open(parameters, at: now)
        negotiator.addDataSection()
        process(at: now)
        return name(id)
    }

    /// Queues a message. It is kept until the other peer has acknowledged it, or until its lifetime or retransmission
    /// limit is reached.
    ///
    /// - Throws: ``DataChannelError`` when the channel is not open, the message is larger than the other peer takes, or
    ///   the send buffer is full.
    package mutating func send(
        _ message: DataChannelMessage, on id: ChannelID, at now: Instant
    ) throws(DataChannelError) {
        guard let id = current(id) else {
            throw DataChannelError(.closed, "The channel is closed. Open another one to go on.")
        }
        try channels.send(message, on: id, at: now)
    }

    /// Tells that the application took `messageCount` received messages of `byteCount` bytes together: the other peer may
    /// send as much again.
    @usableFromInline package mutating func consumed(
        _ byteCount: Int, messageCount: Int = 1, on id: ChannelID, at now: Instant
    ) {
        guard let id = current(id) else { return }
        channels.consumed(byteCount, messageCount: messageCount, on: id, at: now)
    }

    /// Closes one channel in both directions; messages queued before are still delivered.
    @usableFromInline package mutating func closeChannel(_ id: ChannelID, at now: Instant) {
        guard let id = current(id) else { return }
        channels.close(id, at: now)
        process(at: now)
    }

    /// Payload bytes that were handed to ``send(_:on:at:)`` and not yet to the network.
    @usableFromInline package func bufferedAmount(of id: ChannelID) -> Int {
        guard let id = current(id) else { return 0 }
        return channels.bufferedAmount(of: id)
    }

    /// Payload bytes of all channels that the other peer has not acknowledged, those that wait to be sent among them: as
    /// many as ``SCTPConfiguration/sendBufferLimit`` at most.
    @usableFromInline package var totalBufferedAmount: Int { channels.totalBufferedAmount }

    /// Sets the buffered amount at or below which ``PeerEvent/bufferedAmountLow(_:)`` is reported.
    @usableFromInline package mutating func setBufferedAmountLowThreshold(_ byteCount: Int, of id: ChannelID) {
        guard let id = current(id) else { return }
        channels.setBufferedAmountLowThreshold(byteCount, of: id)
    }

    @usableFromInline package func parameters(of id: ChannelID) -> DataChannelParameters? {
        guard let id = current(id) else { return nil }
        return channels.parameters(of: id)
    }

    @usableFromInline package func streamID(of id: ChannelID) -> UInt16? {
        guard let id = current(id) else { return nil }
        return channels.streamID(of: id)
    }

    public func state(of id: ChannelID) -> DataChannelState {
        guard let id = current(id) else { return .closed }
        return channels.state(of: id)
    }
}

// MARK: - Associations

extension Peer {
    /// Starts SCTP once DTLS is connected and a data section is agreed upon.
    mutating func startChannels(at now: Instant) {
        guard let data = remoteData, dtls.state == .connected, let role = dtls.role, !hasStartedChannels else { return }
        hasStartedChannels = true
        channels.start(as: role, remoteMaximumMessageSize: data.maximumMessageSize, at: now)
    }

    /// Applies the remote parameters of the data section, new or changed.
    mutating func agree(on data: DataDescription, at now: Instant) {
        // Another port means another association over the same DTLS (RFC 8841, RFC 8261); the open channels end.
        if hasStartedChannels, let known = remoteData, known.sctpPort != data.sctpPort { retireChannels(at: now) }
        remoteData = data
        if areChannelsRetired { renewChannels(at: now) }
        if hasStartedChannels {
            channels.setRemoteMaximumMessageSize(data.maximumMessageSize)
        } else {
            startChannels(at: now)
        }
    }

    /// Ends the association, because its data section is gone. A new section starts another association.
    mutating func retireChannels(at now: Instant) {
        channels.abort(at: now)
        remoteData = nil
        areChannelsRetired = true
    }

    /// Replaces an association that has ended.
    private mutating func renewChannels(at now: Instant) {
        while let event = channels.pollEvent() {
            if let event = makeEvent(event) { events.append(event) }
        }
        // Keeps its last packet, if that has not been sent.
        composeLastPacket(at: now)
        pastChannelStatistics = channelStatistics
        var settings = configuration.sctp
        if let port = remoteData?.sctpPort { settings.remotePort = port }
        channels = DataChannelTransport(configuration: settings, random: random)
        association &+= 1
        hasStartedChannels = false
        areChannelsRetired = false
    }

    func name(_ id: DataChannelTransport.ChannelID) -> ChannelID { ChannelID(id: id, association: association) }

    func current(_ id: ChannelID) -> DataChannelTransport.ChannelID? {
        id.association == association ? id.id : nil
    }
}

extension DTLSTransportState {
    /// Whether the connection is not over yet.
    fileprivate var isUsable: Bool {
        switch self {
        case .closed, .failed: false
        default: true
        }
    }
}
