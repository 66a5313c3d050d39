package import RTCWire

/// One SCTP association over DTLS (RFC 9260, RFC 8261), with partial reliability (RFC 3758), stream reset (RFC 6525) and
/// zero checksum (RFC 9653).
///
/// Sans-IO: packets go into ``receive(_:at:)``; after each call the owner polls ``pollTransmit(into:at:)`` and
/// ``pollEvent()`` until they are empty, and calls ``handleTimeout(at:)`` at ``nextDeadline``.
///
/// There are no addresses: DTLS is the path, and ICE moves it. Both ends may call ``connect(at:)``, as WebRTC peers do;
/// an end that does not still answers its peer.
package struct SCTPAssociation {
    let configuration: SCTPConfiguration
    let random: any RandomSource

    /// The states of RFC 9260, section 4.
    enum State {
        case closed, cookieWait, cookieEchoed, established
        case shutdownPending, shutdownSent, shutdownReceived, shutdownAckSent
        /// Closed for good.
        case ended
    }

    var state = State.closed
    var timers = SCTPTimers()
    var events = RingBuffer<SCTPEvent>()
    var counters = SCTPStatistics()

    // MARK: Identity

    let localTag: UInt32
    let localInitialTSN: TransmissionSequenceNumber
    let cookieBinding: StateCookie.Binding
    /// 0 until the peer's INIT or INIT ACK arrived.
    var peerTag: UInt32 = 0
    /// The capabilities that the peer's INIT or INIT ACK announced.
    var peerCapabilities: StateCookie.Capabilities = []
    /// The number of streams that may be sent on, and that are accepted.
    var outgoingStreamCount: Int
    var incomingStreamCount: Int

    // MARK: Pending control chunks

    var control = RingBuffer<ControlChunk>()
    /// The cookie to be echoed until it is acknowledged, and whether it is due.
    var cookie: [UInt8] = []
    var isCookieEchoDue = false
    var sack = SackSchedule()
    var isForwardTSNDue = false
    /// Bytes of lost chunks that may be sent although the congestion window is full: the first packet (RFC 9260,
    /// section 7.2.4), and then in proportion to arriving acknowledgements (RFC 6937).
    var recoveryBudget = 0
    /// Whether the owner holds back data.
    var holdsData = false
    /// Whether the last packet carries data.
    var hasJustSentData = false
    /// Bytes acknowledged since the owner last took this count.
    var acknowledgedBytes = 0
    /// The number of data packets that may be sent before the next acknowledgement.
    var burstBudget: Int

    // MARK: Sending

    var queue = SendQueue()
    /// The message in transmission, and the offset of its next fragment.
    var transmission: (message: UInt32, slot: Int, offset: Int, count: Int, isCounted: Bool)?
    var outstanding: RetransmissionQueue
    var congestion: CongestionController
    var timeout: RetransmissionTimeout
    /// The window that the peer last advertised (a_rwnd), before subtracting the bytes in flight.
    var peerWindow = 0
    /// Whether a probe of the peer's closed window is due, and whether one is in flight.
    var isProbeDue = false
    var isProbing = false
    /// Whether data wait for the peer's window while nothing in flight could open it by a SACK.
    var isWindowBlocked = false
    /// Bytes of messages that were given to `send` and are kept: neither cumulatively acknowledged nor given up.
    package internal(set) var bufferedAmount = 0
    var lastDataSent = Instant(nanoseconds: .min)
    /// The number of timeouts since the peer last acknowledged anything (Association.Error.Count).
    var errorCount = 0
    var initRetransmissions = 0
    /// The time at which INIT or COOKIE ECHO was first sent.
    var handshakeSent: Instant?

    // MARK: Receiving

    var received: ReceivedTSNs
    var reassembly: Reassembly
    var window: ReceiveWindow
    /// The window that the last SACK advertised.
    var advertisedWindow: Int

    // MARK: Others

    var reconfiguration: ReconfigurationState
    /// The HEARTBEAT that waits for its HEARTBEAT ACK.
    var heartbeat: (nonce: UInt64, sentAt: Instant)?

    package init(configuration: SCTPConfiguration, random: any RandomSource) {
        self.configuration = configuration
        self.random = random
        let numbers = random.next()
        localTag = max(1, UInt32(truncatingIfNeeded: numbers))
        localInitialTSN = TransmissionSequenceNumber(UInt32(truncatingIfNeeded: numbers >> 32))
        cookieBinding = StateCookie.Binding(high: random.next(), low: random.next())
        outgoingStreamCount = Int(configuration.outgoingStreams)
        incomingStreamCount = Int(configuration.incomingStreams)
        outstanding = RetransmissionQueue(initialTSN: localInitialTSN, packetSize: configuration.packetSize)
        congestion = CongestionController(configuration)
        timeout = RetransmissionTimeout(configuration)
        received = ReceivedTSNs(initialTSN: TransmissionSequenceNumber(0))
        reassembly = Reassembly(maximumMessageSize: configuration.maximumMessageSize)
        window = ReceiveWindow(initial: configuration.grantedWindow, maximum: configuration.largestWindow)
        advertisedWindow = configuration.grantedWindow
        burstBudget = max(configuration.maximumBurst, configuration.initialCongestionWindow, 1)
        reconfiguration = ReconfigurationState(
            nextRequest: ReconfigurationSequenceNumber(localInitialTSN.rawValue),
            nextPeerRequest: ReconfigurationSequenceNumber(0))
    }

    /// Whether messages flow: from `established` until a shutdown begins.
    package var isEstablished: Bool { state == .established }

    /// Whether the peer's capabilities and limits are known.
    package var isNegotiated: Bool { state != .closed && state != .cookieWait && state != .ended }

    /// Whether the association has ended, for any reason. It then sends and reports nothing more.
    package var hasEnded: Bool { state == .ended }

    /// When ``handleTimeout(at:)`` is due, or `nil`.
    package var nextDeadline: Instant? { timers.next }

    /// The next event, or `nil`.
    package mutating func pollEvent() -> SCTPEvent? {
        if let stream = queue.takeLowStream() { return .bufferedAmountLow(stream: stream) }
        return events.popFirst()
    }

    /// The next event that is not a low threshold, or `nil`.
    mutating func pollUrgentEvent() -> SCTPEvent? { events.popFirst() }

    /// A stream whose unsent bytes have sunk to its low threshold, or `nil`.
    mutating func pollLowStream() -> UInt16? { queue.takeLowStream() }

    // MARK: Messages

    /// Queues a message. It may be called before the association is established.
    ///
    /// - Parameters:
    ///   - message: Not empty. Its bytes are not copied until they are sent.
    ///   - isControl: Whether it is sent before the waiting messages of other streams.
    ///   - isCounted: Whether it counts among the stream's unsent bytes.
    package mutating func send(
        _ message: SCTPMessage, reliability: SCTPReliability = .reliable, isControl: Bool = false,
        isCounted: Bool = true, at now: Instant
    ) throws(SCTPSendError) {
        switch state {
        case .closed, .cookieWait, .cookieEchoed, .established: break
        default: throw .closed
        }
        let count = message.bytes.count
        guard count > 0 else { throw .empty }
        let limit = configuration.grantedSendBuffer
        guard count <= limit else { throw .tooLarge(limit: limit) }
        guard message.stream < outgoingStreamCount, message.stream != .max else { throw .streamUnavailable }
        guard isControl || bufferedAmount + count <= limit else { throw .bufferFull }
        let slot = queue.makeSlot(for: message.stream)
        guard !queue.streams[slot].isEnding else { throw .streamUnavailable }
        var queued = QueuedMessage(
            bytes: message.bytes, protocolIdentifier: message.protocolIdentifier, isUnordered: message.isUnordered,
            isControl: isControl, isCounted: isCounted, maximumRetransmits: -1, expiry: .distantFuture)
        switch reliability {
        case .reliable: break
        case .maxRetransmits(let limit): queued.maximumRetransmits = Int32(limit)
        case .maxLifetime(let lifetime): queued.expiry = now + lifetime
        }
        if outstanding.isEmpty { refillBurst() }
        bufferedAmount += count
        queue.append(queued, to: slot)
    }

    /// Tells that the application took `byteCount` bytes of messages: the window opens by as many, and grows where more
    /// are taken per round trip than it allows.
    package mutating func consumed(_ byteCount: Int, at now: Instant) {
        // An unanswered heartbeat blocks others for one second only.
        let isAsking = heartbeat.map { now - $0.sentAt < .seconds(1) } ?? false
        if timeout.leastRoundTripTime == nil, !isAsking, isSynchronized { sendHeartbeat(at: now) }
        window.take(byteCount, roundTripTime: timeout.leastRoundTripTime, at: now)
        updateWindow()
    }

    /// Reopens the window by bytes that will not be delivered.
    mutating func releaseWindow(_ byteCount: Int) {
        window.release(byteCount)
        updateWindow()
    }

    /// Adjusts the memory overhead of unconsumed messages by `byteCount` bytes, positive or negative.
    mutating func adjustOverhead(by byteCount: Int) {
        window.adjustOverhead(by: byteCount)
        if byteCount < 0 { updateWindow() }
    }

    /// Bytes on a stream that have not been sent for the first time.
    package func unsentBytes(of stream: UInt16) -> Int { queue.unsentBytes(of: stream) }

    /// Asks for `bufferedAmountLow` when the unsent bytes of the stream sink from above `threshold` to it or below.
    package mutating func setBufferedAmountLowThreshold(_ threshold: Int, of stream: UInt16) {
        queue.setLowThreshold(threshold, of: stream)
    }

    /// The stream's share of the association, beside other streams'. 256 at first.
    package mutating func setWeight(_ weight: UInt16, of stream: UInt16) {
        queue.setWeight(weight, of: stream)
    }

    /// Streams that may be sent on.
    package var outgoingStreams: Int { outgoingStreamCount }

    package var statistics: SCTPStatistics {
        var statistics = counters
        statistics.congestionWindow = congestion.window
        statistics.receiverWindow = peerWindow
        statistics.maximumPacketSize = configuration.packetSize
        statistics.smoothedRoundTripTime = timeout.smoothedRoundTripTime
        statistics.retransmissionTimeout = timeout.value
        statistics.unacknowledgedChunks = outstanding.chunks.count
        statistics.bytesInFlight = outstanding.bytesInFlight
        statistics.messagesAbandoned = outstanding.abandonedMessages + queue.expiredMessages
        return statistics
    }

    // MARK: The path

    /// Reports a change of the path: data in flight are considered lost and sent again, and the path is measured again.
    package mutating func pathChanged(at now: Instant) {
        guard state != .ended else { return }
        timeout.reset()
        congestion.reset()
        recoveryBudget = 0
        errorCount = 0
        if timers[.t1] != nil { timers[.t1] = now }
        if timers[.t2] != nil { timers[.t2] = now }
        if timers[.reconfiguration] != nil { timers[.reconfiguration] = now }
        // Sends something on the new path at once, even when idle: some peers, such as Chromium in the controlled role,
        // switch only when data arrive there.
        if isSynchronized { sendHeartbeat(at: now) }
        outstanding.pathChanged(at: now)
        guard !outstanding.isEmpty else { return }
        outstanding.loseAll(at: now)
        release()
        isForwardTSNDue = true
        refillBurst()
        timers[.t3] = now + timeout.value
    }

    mutating func takeAcknowledgedBytes() -> Int {
        defer { acknowledgedBytes = 0 }
        return acknowledgedBytes
    }

    // MARK: Shared by the parts

    mutating func refillBurst() {
        burstBudget = max(configuration.maximumBurst, configuration.initialCongestionWindow, 1)
    }

    /// Subtracts acknowledged and abandoned bytes from the buffered amount.
    mutating func release() {
        bufferedAmount = max(0, bufferedAmount - outstanding.takeReleasedBytes())
    }

    /// Ends the association. Complete messages can still be polled.
    mutating func end(_ event: SCTPEvent) {
        guard state != .ended else { return }
        state = .ended
        timers.stopAll()
        queue.removeAll()
        transmission = nil
        outstanding = RetransmissionQueue(initialTSN: outstanding.nextTSN, packetSize: configuration.packetSize)
        bufferedAmount = 0
        control.removeAll()
        isCookieEchoDue = false
        isForwardTSNDue = false
        sack = SackSchedule()
        reconfiguration.forget()
        events.append(event)
    }
}

/// An encoded chunk that waits to be sent.
struct ControlChunk {
    var bytes: [UInt8]
    /// Replaces the peer's tag if set.
    var verificationTag: UInt32?
    /// Whether the packet may hold nothing else (RFC 9260, section 6.10).
    var isAlone = false
    /// Whether the packet needs a checksum even where zero is acceptable (RFC 9653, section 5.2).
    var needsChecksum = false
}

/// When the next SACK is due (RFC 9260, section 6.2).
struct SackSchedule {
    /// The number of data packets that no SACK has acknowledged.
    var packets = 0
    /// Whether the SACK is sent with the next poll.
    var isDue = false
}
