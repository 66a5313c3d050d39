public import RTCWire

/// The data channels of one peer connection (RFC 8831, RFC 8832), and the SCTP association that carries them.
///
/// Sans-IO: decrypted DTLS records go into ``receive(_:at:)``; after each call the owner polls
/// ``pollTransmit(into:at:)`` and ``pollEvent()`` until they are empty, and calls ``handleTimeout(at:)`` at
/// ``nextDeadline``. Channels can be opened at any time, also before ``start(as:remoteMaximumMessageSize:at:)``.
@usableFromInline package struct DataChannelTransport {
    /// Names a channel here. It is not the stream identifier, which is known only once the DTLS roles are.
    @usableFromInline package struct ChannelID: Hashable, Sendable {
        let index: UInt32
        /// Distinguishes the channel from earlier ones in the same slot.
        let generation: UInt32
    }

    /// The state that each packet and message needs; it holds no references, so that copies are cheap.
    struct Channel {
        var id: ChannelID
        var stream: UInt16?
        var state = DataChannelState.connecting
        var isOrdered: Bool
        var isNegotiated: Bool
        var isFromPeer = false
        /// Whether the opening message was queued, or is not needed.
        var isAnnounced = false
        /// Whether the peer is known to have the channel. Until then nothing may overtake the opening message.
        var isAcknowledged: Bool
        /// Whether the peer has reset its stream, and we ours.
        var isIncomingReset = false
        var isOutgoingReset = false
        /// Whether parts of a message are kept in ``parts``.
        var hasParts = false
        var reliability = SCTPReliability.reliable
        var priority: DataChannelPriority
        var lowThreshold = 0
        /// The size in bytes, and the number, of messages that the application has not consumed.
        var unconsumedBytes = 0
        var unconsumedMessages = 0
        var statistics = DataChannelCounters()

        init(id: ChannelID, _ parameters: DataChannelParameters, isAcknowledged: Bool) {
            self.id = id
            self.isAcknowledged = isAcknowledged
            isOrdered = parameters.ordered
            isNegotiated = parameters.negotiatedID != nil
            priority = parameters.priority
            if let limit = parameters.maxRetransmits {
                reliability = .maxRetransmits(limit)
            } else if let lifetime = parameters.maxPacketLifeTime {
                reliability = .maxLifetime(lifetime)
            }
        }
    }

    /// The most channels that may exist at once, the peer's and ours together.
    static let maximumChannels = 16_384
    /// The bytes that each message counts against the window beyond its payload, a rough estimate of its memory.
    /// Without it, a window full of tiny messages, or any number of empty ones, would cost a hundred times the window.
    static let messageOverhead = 64
    /// The most bytes of labels and protocols of the peer's channels that are kept.
    static let maximumNameBytes = 4 << 20

    var association: SCTPAssociation
    var slots: [Channel?] = []
    /// The parameters of the channel in the same slot.
    var parameters: [DataChannelParameters] = []
    /// The received fragments of messages sent by the deprecated partial PPIDs (RFC 8831, section 8), by slot.
    var parts: [Int: [UInt8]] = [:]
    var generations: [UInt32] = []
    var freeSlots: [Int] = []
    var slotOfStream: [UInt16: Int] = [:]
    var events = RingBuffer<DataChannelEvent>()
    var role: DTLSRole?
    /// The lowest stream identifier of our parity that may be free.
    var nextStream = 0
    var remoteNameBytes = 0
    /// Whether channels wait for their opening message to be queued.
    var hasUnannounced = false
    /// Whether a channel got its stream since the peer last reset all streams at once.
    var hasStreamsToReset = false
    /// How many slots such resets have looked at.
    var slotsVisitedByResets = 0
    /// The limit of ``totalBufferedAmount``, in bytes: the configuration's, within bounds.
    @usableFromInline package let sendBufferLimit: Int
    let maximumMessageSize: Int
    var remoteMaximumMessageSize = 65_536
    package internal(set) var statistics = DataChannelTransportCounters()

    package init(configuration: SCTPConfiguration, random: any RandomSource) {
        association = SCTPAssociation(configuration: configuration, random: random)
        sendBufferLimit = configuration.grantedSendBuffer
        maximumMessageSize = configuration.maximumMessageSize
    }

    /// Begins the association, once DTLS is connected. Called once.
    ///
    /// - Parameters:
    ///   - role: This end's DTLS role, which decides between even and odd stream identifiers.
    ///   - remoteMaximumMessageSize: What the peer's description announced (RFC 8841, section 6), in bytes; 0 is no
    ///     limit. 65,536 where the attribute is missing.
    package mutating func start(as role: DTLSRole, remoteMaximumMessageSize: Int, at now: Instant) {
        guard self.role == nil else { return }
        self.role = role
        setRemoteMaximumMessageSize(remoteMaximumMessageSize)
        nextStream = role == .client ? 0 : 1
        for index in slots.indices { assignStream(index) }
        association.connect(at: now)
        announce(at: now)
    }

    /// Changes the largest message that the peer accepts, after a renegotiation; 0 is no limit.
    @usableFromInline package mutating func setRemoteMaximumMessageSize(_ size: Int) {
        remoteMaximumMessageSize = size > 0 ? size : .max
    }

    // MARK: Packets and time

    /// Processes one decrypted DTLS record, which is one SCTP packet. Invalid packets, and those that arrive before the
    /// start, are dropped and counted: the peer sends the latter again.
    @usableFromInline package mutating func receive(_ packet: RawSpan, at now: Instant) {
        guard role != nil else {
            statistics.messagesIgnored += 1
            return
        }
        association.receive(packet, at: now)
        if hasUnannounced { announce(at: now) }
        takeAssociationEvents(at: now)
    }

    /// Writes the next SCTP packet.
    ///
    /// - Parameter memory: At least `configuration.maximumPacketSize` bytes.
    /// - Returns: The size of the packet, or 0 when there is nothing to send now.
    @usableFromInline package mutating func pollTransmit(into memory: UnsafeMutableRawBufferPointer, at now: Instant)
        -> Int
    {
        association.pollTransmit(into: memory, at: now)
    }

    /// Whether data wait, while control and acknowledgements are sent: the owner decides when data may leave.
    @usableFromInline package var holdsData: Bool {
        get { association.holdsData }
        set { association.holdsData = newValue }
    }

    /// The standing queue that media measure on the same path; `nil` without media. A loss counts as congestion only with a queue.
    package var mediaQueue: TimeDelta? {
        get { association.congestion.mediaQueue }
        set { association.congestion.mediaQueue = newValue }
    }

    /// Whether there are data that the windows allow to be sent.
    @usableFromInline package var hasDataToSend: Bool { association.hasDataToSend }

    /// Whether the last packet of ``pollTransmit(into:at:)`` contains data.
    @usableFromInline package var hasJustSentData: Bool { association.hasJustSentData }

    /// Returns the bytes that the other side has acknowledged since the last call.
    @usableFromInline package mutating func takeAcknowledgedBytes() -> Int { association.takeAcknowledgedBytes() }

    /// Does what is due at `now`.
    @usableFromInline package mutating func handleTimeout(at now: Instant) {
        association.handleTimeout(at: now)
        takeAssociationEvents(at: now)
    }

    /// When ``handleTimeout(at:)`` is due, or `nil`.
    @usableFromInline package var nextDeadline: Instant? { association.nextDeadline }

    /// The next event, or `nil`.
    package mutating func pollEvent() -> DataChannelEvent? {
        if let event = events.popFirst() {
            if case .closed(let id) = event, let index = index(of: id) { forget(index) }
            return event
        }
        while let stream = association.pollLowStream() {
            guard let index = slotOfStream[stream], let channel = slots[index], channel.state == .open else { continue }
            return .bufferedAmountLow(channel.id)
        }
        return nil
    }

    /// Reports a change of the path: overdue data are sent again immediately, and the round-trip time is measured
    /// again.
    @usableFromInline package mutating func pathChanged(at now: Instant) {
        association.pathChanged(at: now)
    }

    /// Closes the association normally: waiting data are sent first. Ends with `ended`, or `failed`.
    @usableFromInline package mutating func shutdown(at now: Instant) {
        association.shutdown(at: now)
        takeAssociationEvents(at: now)
    }

    /// Ends the association immediately. An ABORT can be polled; waiting data are lost. Ends with `failed(.aborted)`.
    @usableFromInline package mutating func abort(at now: Instant) {
        association.abort(at: now)
        takeAssociationEvents(at: now)
    }

    // MARK: Messages

    /// Queues a message. Empty ones are allowed.
    ///
    /// - Throws: `notOpen`, `closed`, `messageTooLarge` or `sendBufferFull`.
    package mutating func send(
        _ message: DataChannelMessage, on id: ChannelID, at now: Instant
    ) throws(DataChannelError) {
        guard let index = index(of: id), let channel = slots[index], let stream = channel.stream,
            channel.state == .open
        else { throw unsendable(id) }
        let count = message.bytes.count
        guard count <= remoteMaximumMessageSize else {
            throw DataChannelError(
                .messageTooLarge,
                "The message has \(count) bytes, and the peer accepts \(remoteMaximumMessageSize). Send it in parts.")
        }
        let isEmpty = count == 0
        let identifier: UInt32
        if message.isText {
            identifier = isEmpty ? DataChannelPayload.textEmpty : DataChannelPayload.text
        } else {
            identifier = isEmpty ? DataChannelPayload.binaryEmpty : DataChannelPayload.binary
        }
        do throws(SCTPSendError) {
            try association.send(
                SCTPMessage(
                    stream: stream, protocolIdentifier: identifier,
                    isUnordered: !channel.isOrdered && channel.isAcknowledged,
                    bytes: isEmpty ? [0] : message.bytes),
                reliability: channel.reliability, isCounted: !isEmpty, at: now)
        } catch {
            throw explain(error, count)
        }
        slots[index]?.statistics.messagesSent += 1
        slots[index]?.statistics.bytesSent += UInt64(count)
    }

    /// Reports that the application has consumed messages of `byteCount` bytes in total, so that the peer may send that
    /// much more.
    ///
    /// Call it also with 0 for empty messages, and for channels that have been closed: data that are not consumed
    /// narrow the window of all channels.
    ///
    /// - Parameter messageCount: The number of messages; `nil` estimates it by their share of the bytes, which credits
    ///   empty messages too early.
    @usableFromInline package mutating func consumed(
        _ byteCount: Int, messageCount: Int? = nil, on id: ChannelID, at now: Instant
    ) {
        guard let index = index(of: id), var channel = slots[index] else {
            association.consumed(byteCount, at: now)
            return
        }
        let taken = min(max(0, byteCount), channel.unconsumedBytes)
        let messages: Int
        if let messageCount {
            messages = min(max(0, messageCount), channel.unconsumedMessages)
        } else if taken == channel.unconsumedBytes {
            messages = channel.unconsumedMessages
        } else {
            messages = channel.unconsumedMessages * taken / channel.unconsumedBytes
        }
        channel.unconsumedBytes -= taken
        channel.unconsumedMessages -= messages
        slots[index] = channel
        association.adjustOverhead(by: -messages * Self.messageOverhead)
        association.consumed(taken, at: now)
    }

    private func unsendable(_ id: ChannelID) -> DataChannelError {
        state(of: id) == .connecting
            ? DataChannelError(.notOpen, "The channel is not open yet. Wait for its opened event before sending.")
            : DataChannelError(.closed, "The channel is closed. Open another one to go on.")
    }

    private func explain(_ error: SCTPSendError, _ count: Int) -> DataChannelError {
        switch error {
        case .bufferFull:
            DataChannelError(
                .sendBufferFull,
                "\(association.bufferedAmount) bytes wait to be sent, and \(sendBufferLimit) may. Wait for "
                    + "bufferedAmountLow, then send again.")
        case .tooLarge(let limit):
            DataChannelError(
                .messageTooLarge, "The message has \(count) bytes, and the send buffer \(limit). Send it in parts.")
        case .closed, .streamUnavailable, .empty:
            DataChannelError(.closed, "The association is closed or closing. Open a new connection to go on.")
        }
    }

    /// Bytes of messages on the channel that have not been sent for the first time.
    @usableFromInline package func bufferedAmount(of id: ChannelID) -> Int {
        guard let index = index(of: id), let channel = slots[index], channel.state != .closed else { return 0 }
        return channel.stream.map { association.unsentBytes(of: $0) } ?? 0
    }

    /// Asks for `bufferedAmountLow` when the buffered amount sinks from above `threshold` bytes to it or below.
    /// The threshold is 0 at first.
    @usableFromInline package mutating func setBufferedAmountLowThreshold(_ threshold: Int, of id: ChannelID) {
        guard let index = index(of: id), slots[index]?.state != .closed else { return }
        slots[index]?.lowThreshold = threshold
        if let stream = slots[index]?.stream { association.setBufferedAmountLowThreshold(threshold, of: stream) }
    }

    /// Bytes of messages on all channels that are not acknowledged. Where a message does not fit beside them below
    /// ``sendBufferLimit``, `send` throws `sendBufferFull`.
    @usableFromInline package var totalBufferedAmount: Int { association.bufferedAmount }

    // MARK: Queries

    /// The parameters of a channel, or `nil` for one that is forgotten. `negotiatedID` is `nil` unless negotiated.
    @usableFromInline package func parameters(of id: ChannelID) -> DataChannelParameters? {
        index(of: id).map { parameters[$0] }
    }

    /// The stream identifier, or `nil` while it is not assigned, and for a channel that is forgotten.
    @usableFromInline package func streamID(of id: ChannelID) -> UInt16? {
        index(of: id).flatMap { slots[$0]?.stream }
    }

    /// `closed` also for a channel that is forgotten.
    @usableFromInline package func state(of id: ChannelID) -> DataChannelState {
        index(of: id).flatMap { slots[$0]?.state } ?? .closed
    }

    /// Counters of a channel, or `nil` for one that is forgotten.
    package func statistics(of id: ChannelID) -> DataChannelCounters? {
        index(of: id).flatMap { slots[$0]?.statistics }
    }

    package var associationStatistics: SCTPStatistics { association.statistics }

    func index(of id: ChannelID) -> Int? {
        let index = Int(id.index)
        guard index < generations.count, generations[index] == id.generation, slots[index] != nil else { return nil }
        return index
    }
}
