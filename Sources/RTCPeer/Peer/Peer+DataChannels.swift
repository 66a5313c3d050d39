public import RTCTransport
public import RTCWire

extension Peer {
    public typealias ChannelID = DataChannelTransport.ChannelID

    /// Opens a data channel, now or as soon as the connection is there (RFC 8831, RFC 8832).
    public mutating func openChannel(
        _ parameters: DataChannelParameters, at now: Instant
    ) throws(DataChannelError) -> ChannelID {
        let id = try channels.open(parameters, at: now)
        negotiator.addDataSection()
        process(at: now)
        return id
    }

    /// Queues a message. It is kept until the other peer has acknowledged it, or its limits let it go.
    ///
    /// - Throws: ``DataChannelError`` when the channel is not open, the message is larger than the other peer takes, or
    ///   the send buffer is full.
    public mutating func send(
        _ message: DataChannelMessage, on id: ChannelID, at now: Instant
    ) throws(DataChannelError) {
        try channels.send(message, on: id, at: now)
    }

    /// Tells that the application took `messageCount` received messages of `byteCount` bytes together: the other peer may
    /// send as much again.
    public mutating func consumed(_ byteCount: Int, messageCount: Int = 1, on id: ChannelID, at now: Instant) {
        channels.consumed(byteCount, messageCount: messageCount, on: id, at: now)
    }

    /// Closes one channel in both directions; what was queued before still arrives.
    public mutating func closeChannel(_ id: ChannelID, at now: Instant) {
        channels.close(id, at: now)
        process(at: now)
    }

    /// Payload bytes that were handed to ``send(_:on:at:)`` and not yet to the network.
    public func bufferedAmount(of id: ChannelID) -> Int { channels.bufferedAmount(of: id) }

    /// When the buffered amount falls to this many bytes, ``PeerEvent/bufferedAmountLow(_:)`` comes.
    public mutating func setBufferedAmountLowThreshold(_ byteCount: Int, of id: ChannelID) {
        channels.setBufferedAmountLowThreshold(byteCount, of: id)
    }

    public func parameters(of id: ChannelID) -> DataChannelParameters? { channels.parameters(of: id) }
    public func streamID(of id: ChannelID) -> UInt16? { channels.streamID(of: id) }
    public func state(of id: ChannelID) -> DataChannelState { channels.state(of: id) }
}

extension Peer {
    public func statistics(of id: ChannelID) -> DataChannelStatistics? { channels.statistics(of: id) }
    public var channelStatistics: DataChannelTransportStatistics { channels.statistics }
    public var sctpStatistics: SCTPStatistics { channels.associationStatistics }
    public func iceStatistics() -> ICEStatistics { ice.statistics() }
    public var iceRoleIsControlling: Bool { ice.isControlling }
    public var localUsernameFragment: String { ice.localCredentials.usernameFragment }
    public var dtlsState: DTLSTransportState { dtls.state }
    public var dtlsRole: DTLSRole? { dtls.role }
    public var dtlsParameters: DTLSParameters? { dtls.parameters }
    public var localFingerprints: [Fingerprint] { dtls.localFingerprints }
    public var localCertificateDER: [UInt8] { configuration.certificate.der }
    public var remoteCertificateDER: [UInt8]? { dtls.remoteCertificateDER }
    public var droppedRecords: Int { dtls.droppedRecords }
}
