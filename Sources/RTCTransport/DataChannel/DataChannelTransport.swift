public import RTCWire

/// The data channels of one peer connection (RFC 8831, RFC 8832), and the SCTP association that carries them.
///
/// Sans-IO: decrypted DTLS records go into ``receive(_:at:)``; after each call the owner polls
/// ``pollTransmit(into:at:)`` and ``pollEvent()`` until they are empty, and calls ``handleTimeout(at:)`` at
/// ``nextDeadline``. Channels can be opened at any time, also before ``start(as:remoteMaximumMessageSize:at:)``.
public struct DataChannelTransport {
    /// Names a channel here. It is not the stream identifier, which is known only once the DTLS roles are.
    public struct ChannelID: Hashable, Sendable {
        let rawValue: UInt32
    }

    public init(configuration: SCTPConfiguration, random: any RandomSource) {}

    /// Opens a channel. It is `connecting` until the `opened` event, which comes as soon as the association is there.
    ///
    /// - Throws: `invalidParameters`, `identifierInUse` or `tooManyChannels`.
    public mutating func open(_ parameters: DataChannelParameters, at now: Instant) throws(DataChannelError) -> ChannelID {
        ChannelID(rawValue: 0)
    }

    /// Begins the association, once DTLS is connected. Called once.
    ///
    /// - Parameters:
    ///   - role: This end's DTLS role, which decides between even and odd stream identifiers.
    ///   - remoteMaximumMessageSize: What the peer's description announced (RFC 8841, section 6), in bytes; 0 is no
    ///     limit. 65,536 where the attribute is missing.
    public mutating func start(as role: DTLSRole, remoteMaximumMessageSize: Int, at now: Instant) {}

    /// Changes the largest message that the peer accepts, after a renegotiation; 0 is no limit.
    public mutating func setRemoteMaximumMessageSize(_ size: Int) {}

    /// Takes one decrypted DTLS record, which is one SCTP packet. Garbage is dropped and counted.
    public mutating func receive(_ packet: RawSpan, at now: Instant) {}

    /// Writes the next SCTP packet.
    ///
    /// - Parameter memory: At least `configuration.maximumPacketSize` bytes.
    /// - Returns: The size of the packet, or 0 when there is nothing to send now.
    public mutating func pollTransmit(into memory: UnsafeMutableRawBufferPointer, at now: Instant) -> Int { 0 }

    /// Does what is due at `now`.
    public mutating func handleTimeout(at now: Instant) {}

    /// When ``handleTimeout(at:)`` is due, or `nil`.
    public var nextDeadline: Instant? { nil }

    /// Queues a message. Empty ones are allowed.
    ///
    /// - Throws: `notOpen`, `closed`, `messageTooLarge` or `sendBufferFull`.
    public mutating func send(
        _ message: DataChannelMessage, on id: ChannelID, at now: Instant
    ) throws(DataChannelError) {}

    /// Tells that the application took `byteCount` bytes of messages, so that the peer may send as many more.
    ///
    /// Also to be called for channels that are closed meanwhile.
    public mutating func consumed(_ byteCount: Int, on id: ChannelID, at now: Instant) {}

    /// Closes a channel once what waits on it has been sent. Nothing for one that is closing or closed.
    public mutating func close(_ id: ChannelID, at now: Instant) {}

    /// Bytes of messages on the channel that have not been sent for the first time.
    public func bufferedAmount(of id: ChannelID) -> Int { 0 }

    /// Asks for `bufferedAmountLow` when the buffered amount sinks from above `threshold` bytes to it or below.
    /// The threshold is 0 at first.
    public mutating func setBufferedAmountLowThreshold(_ threshold: Int, of id: ChannelID) {}

    /// Bytes of messages on all channels that are not acknowledged, against the configuration's `sendBufferLimit`.
    public var totalBufferedAmount: Int { 0 }

    /// The parameters of a channel, or `nil` for one that is forgotten. `negotiatedID` is `nil` unless negotiated.
    public func parameters(of id: ChannelID) -> DataChannelParameters? { nil }

    /// The stream identifier, or `nil` while it is not assigned.
    public func streamID(of id: ChannelID) -> UInt16? { nil }

    /// `closed` also for a channel that is forgotten.
    public func state(of id: ChannelID) -> DataChannelState { .closed }

    public func statistics(of id: ChannelID) -> DataChannelStatistics? { nil }

    public var statistics: DataChannelTransportStatistics { DataChannelTransportStatistics() }

    public var associationStatistics: SCTPStatistics { SCTPStatistics() }

    /// The next event, or `nil`.
    public mutating func pollEvent() -> DataChannelEvent? { nil }

    /// Tells that packets take another path from now on: what is overdue is sent again at once, and the round-trip time
    /// measured anew.
    public mutating func pathChanged(at now: Instant) {}

    /// Closes the association in order: what waits is sent first. Ends with `ended`, or `failed`.
    public mutating func shutdown(at now: Instant) {}

    /// Ends the association at once. An ABORT can be polled; what waits is lost. Ends with `failed(.aborted)`.
    public mutating func abort(at now: Instant) {}
}
