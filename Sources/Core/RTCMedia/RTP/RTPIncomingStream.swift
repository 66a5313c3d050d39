public import RTCWire

/// A packet of a stream, its retransmission undone.
@usableFromInline package struct RTPArrival: Sendable {
    /// The header of the packet as it was first sent: of a retransmission, with the original's SSRC, number and payload
    /// type. Its `extensionRange` still is where it was in the datagram.
    @usableFromInline package var header: RTPHeader
    /// The payload, without padding, as offsets into the datagram. Empty when the packet was padding alone: its number
    /// is used all the same.
    @usableFromInline package var payload: Range<Int>
    /// The sequence number, without wrapping; it grows even if the sender restarts.
    @usableFromInline package var number: Int64
    @usableFromInline package var isRetransmission: Bool
    /// Whether it was lost, and recovered from error correction: ``payload`` is where
    /// ``RTPIncomingStream/withRecoveredPacket(_:_:)`` has it.
    @usableFromInline package var isRecovered = false
    /// Whether it carried error correction and no media: its number is used, and ``payload`` is empty.
    @usableFromInline package var isErrorCorrection = false
    /// Whether the sender has restarted: the buffered part of the stream will not continue.
    @usableFromInline package var isRestart: Bool
}

/// A received RTP stream with its retransmissions: which packets arrived, which are missing, and the feedback to the
/// sender ([RFC 3550](https://www.rfc-editor.org/rfc/rfc3550), [RFC 4585](https://www.rfc-editor.org/rfc/rfc4585), [RFC
/// 4588](https://www.rfc-editor.org/rfc/rfc4588)).
@usableFromInline package struct RTPIncomingStream: Sendable {
    @usableFromInline package struct Configuration: Sendable {
        @usableFromInline package var ssrc: SynchronizationSource
        /// In hertz.
        @usableFromInline package var clockRate: UInt32
        /// The SSRC of retransmissions, if it is known; ``RTPIncomingStream/adopt(rtxSSRC:)`` sets it later.
        @usableFromInline package var rtxSSRC: SynchronizationSource?
        /// Which payload type is retransmitted by which (`apt` of RFC 4588).
        @usableFromInline package var rtxPayloadTypes: [(media: RTPPayloadType, rtx: RTPPayloadType)]
        /// Whether missing packets are asked for (`a=rtcp-fb: nack`).
        @usableFromInline package var requestsRetransmissions: Bool
        /// Whether key frames are asked for (`nack pli`).
        @usableFromInline package var requestsKeyFrames: Bool
        /// The payload types of error correction, if it was agreed upon.
        @usableFromInline package var protection: RTPProtectionTypes?
        /// The IDs of the header extensions, for error correction: it does not cover those that are filled in on sending.
        @usableFromInline package var extensionMap = RTPHeaderExtensionMap()

        @usableFromInline package init(
            ssrc: SynchronizationSource, clockRate: UInt32, rtxSSRC: SynchronizationSource? = nil,
            rtxPayloadTypes: [(media: RTPPayloadType, rtx: RTPPayloadType)] = [],
            requestsRetransmissions: Bool = false, requestsKeyFrames: Bool = false
        ) {
            self.ssrc = ssrc
            self.clockRate = clockRate
            self.rtxSSRC = rtxSSRC
            self.rtxPayloadTypes = rtxPayloadTypes
            self.requestsRetransmissions = requestsRetransmissions
            self.requestsKeyFrames = requestsKeyFrames
        }
    }

    /// The stream's requests so far, under the names of webrtc-stats.
    @usableFromInline package struct Statistics: Sendable, Hashable {
        @usableFromInline package var nackCount: UInt64 = 0
        @usableFromInline package var pliCount: UInt64 = 0
        @usableFromInline package var retransmittedPacketsReceived: UInt64 = 0
        @usableFromInline package var retransmittedBytesReceived: UInt64 = 0
        /// Packets whose numbers or contents made no sense.
        @usableFromInline package var packetsDiscarded: UInt64 = 0
        /// Packets of forward error correction, and their payload bytes.
        @usableFromInline package var fecPacketsReceived: UInt64 = 0
        @usableFromInline package var fecBytesReceived: UInt64 = 0
        /// Those among them that recovered nothing.
        @usableFromInline package var fecPacketsDiscarded: UInt64 = 0
        /// Media packets that were lost and recovered.
        @usableFromInline package var packetsRecovered: UInt64 = 0
    }

    /// Payload types may change with a negotiation; the clock changes with ``setClockRate(_:)``.
    @usableFromInline package var configuration: Configuration
    @usableFromInline package internal(set) var statistics = Statistics()
    /// The reception on the stream's own SSRC.
    package private(set) var reception: ReceptionStatistics
    /// The reception of retransmissions on their own SSRC.
    package private(set) var rtxReception: ReceptionStatistics?
    /// The newest sender report: the relation of RTP timestamps to the sender's clock, for lip sync, and when it came.
    package private(set) var senderReport: (info: SenderInfo, arrival: Instant)?
    /// The time from a request to its answer. The owner sets it from measurements of the path.
    @usableFromInline package var roundTripTime = TimeDelta.milliseconds(100)

    /// The silence after which no more key frames are requested.
    static let keyFrameRequestTimeout = TimeDelta.seconds(5)

    var missing = MissingPackets()
    /// The packets and parities from which lost packets are recovered; `nil` before the first wrapped packet.
    var recovery: ULPFECReceiver?
    private var keyFrames = KeyFrameRequests()

    @usableFromInline package init(_ configuration: Configuration) {
        self.configuration = configuration
        reception = ReceptionStatistics(ssrc: configuration.ssrc, clockRate: configuration.clockRate)
        if let rtx = configuration.rtxSSRC { adopt(rtxSSRC: rtx) }
    }

    /// Whether `ssrc` is the stream's, or that of its retransmissions.
    @usableFromInline package func owns(_ ssrc: SynchronizationSource) -> Bool {
        ssrc == configuration.ssrc || ssrc == configuration.rtxSSRC
    }

    /// Uses `rtxSSRC` for the stream's retransmissions, as indicated by a packet's `repaired-rtp-stream-id` or payload
    /// type.
    @usableFromInline package mutating func adopt(rtxSSRC: SynchronizationSource) {
        configuration.rtxSSRC = rtxSSRC
        if rtxReception?.ssrc != rtxSSRC {
            rtxReception = ReceptionStatistics(ssrc: rtxSSRC, clockRate: configuration.clockRate)
        }
    }

    /// Continues the stream with a codec of another clock rate.
    @usableFromInline package mutating func setClockRate(_ clockRate: UInt32) {
        guard clockRate != configuration.clockRate else { return }
        configuration.clockRate = clockRate
        reception.setClockRate(clockRate)
        rtxReception?.setClockRate(clockRate)
    }

    // MARK: Packets

    /// Takes in a decrypted packet whose SSRC ``owns(_:)`` affirms.
    ///
    /// - Returns: What to hand to the jitter buffer; `nil` for noise, which is counted, and for empty retransmissions,
    ///   with which senders probe the path.
    @usableFromInline package mutating func receive(
        _ packet: RawSpan, header: borrowing RTPHeader, at now: Instant
    ) -> RTPArrival? {
        guard let arrival = take(packet, header: header, at: now) else { return nil }
        guard let types = configuration.protection, arrival.header.payloadType == types.red else { return arrival }
        return unwrap(arrival, in: packet, types)
    }

    private mutating func take(
        _ packet: RawSpan, header: borrowing RTPHeader, at now: Instant
    ) -> RTPArrival? {
        guard let payload = header.payloadRange(in: packet) else {
            statistics.packetsDiscarded += 1
            return nil
        }
        if header.ssrc == configuration.rtxSSRC {
            return receiveRTX(packet, header: header, payload: payload, at: now)
        }
        let previous = reception.highest
        switch reception.receive(header, size: payload.count, at: now) {
        case .implausible:
            statistics.packetsDiscarded += 1
            return nil
        case .restarted(let number):
            missing.removeAll()
            recovery?.reset()
            keyFrames.request()
            return RTPArrival(
                header: copy header, payload: payload, number: number, isRetransmission: false, isRestart: true)
        case .valid(let number):
            if configuration.requestsRetransmissions, let previous {
                if number > previous {
                    if number > previous + 1 { missing.skipped(previous + 1..<number, at: now) }
                    missing.newer(number, at: now)
                } else {
                    missing.arrived(
                        number, highest: previous, isOriginal: configuration.rtxSSRC != nil,
                        roundTripTime: roundTripTime, at: now)
                }
                giveUpIfNeeded()
            }
            return RTPArrival(
                header: copy header, payload: payload, number: number, isRetransmission: false, isRestart: false)
        }
    }

    /// Restores the original from a retransmission (RFC 4588, section 4).
    private mutating func receiveRTX(
        _ packet: RawSpan, header: borrowing RTPHeader, payload: Range<Int>, at now: Instant
    ) -> RTPArrival? {
        _ = rtxReception?.receive(header, size: payload.count, at: now)
        guard payload.count >= 2 else { return nil }
        let payloadType = header.payloadType
        guard let media = configuration.rtxPayloadTypes.first(where: { $0.rtx == payloadType })?.media,
            let number = packet.uint16(at: payload.lowerBound), let highest = reception.highest
        else {
            statistics.packetsDiscarded += 1
            return nil
        }
        statistics.retransmittedPacketsReceived += 1
        statistics.retransmittedBytesReceived += UInt64(payload.count)
        let distance = RTPSequenceNumber(UInt16(truncatingIfNeeded: highest))
            .distance(to: RTPSequenceNumber(number))
        // A newer number would be a retransmission of a packet not yet sent, which no sender makes.
        guard distance <= 0 else {
            statistics.packetsDiscarded += 1
            return nil
        }
        let extended = highest + Int64(distance)
        missing.repaired(extended)
        var original = copy header
        original.ssrc = configuration.ssrc
        original.sequenceNumber = RTPSequenceNumber(number)
        original.payloadType = media
        return RTPArrival(
            header: original, payload: payload.lowerBound + 2..<payload.upperBound, number: extended,
            isRetransmission: true, isRestart: false)
    }

    // MARK: Requests

    /// Asks for a key frame: at the next ``writeFeedback(from:at:to:)``, and again until ``keyFrameArrived()``.
    @usableFromInline package mutating func requestKeyFrame() {
        if configuration.requestsKeyFrames { keyFrames.request() }
    }

    /// A key frame has begun to arrive: none is asked for any more.
    @usableFromInline package mutating func keyFrameArrived() { keyFrames.clear() }

    /// Stops requesting packets before `number`, because the frames that they complete are not needed.
    @usableFromInline package mutating func forget(before number: Int64) { missing.forget(before: number) }

    /// Stops all requests: the sender has announced its end.
    @usableFromInline package mutating func forgetRequests() {
        missing.removeAll()
        missing.gaveUp = false
        keyFrames.clear()
    }

    /// Stops requesting the packets in `range`, because their repair would come too late.
    @usableFromInline package mutating func forget(_ range: Range<Int64>) { missing.forget(range) }

    /// The number of missing packets that are awaited.
    @usableFromInline package var missingCount: Int { missing.count }

    private mutating func giveUpIfNeeded() {
        guard missing.gaveUp else { return }
        missing.gaveUp = false
        requestKeyFrame()
    }

    /// When the next feedback of ``writeFeedback(from:at:to:)`` is due.
    @usableFromInline package var nextDeadline: Instant {
        min(missing.deadline, keyFrameDeadline)
    }

    /// Requests no key frames from a sender that has been silent for a while, until it sends again.
    private var keyFrameDeadline: Instant {
        let due = keyFrames.deadline(roundTripTime: roundTripTime)
        guard let last = reception.lastArrival, due > last + Self.keyFrameRequestTimeout else { return due }
        return .distantFuture
    }

    /// Writes the NACK and the PLI that are due, each only if it fits. Nothing is written when nothing is due.
    ///
    /// - Parameter sender: The SSRC that we report from.
    @usableFromInline package mutating func writeFeedback(
        from sender: SynchronizationSource, at now: Instant, to writer: inout ByteWriter
    ) {
        if missing.deadline <= now, writer.room >= GenericNACKWriter.headSize + GenericNACKWriter.itemSize {
            writeNACK(from: sender, at: now, to: &writer)
            giveUpIfNeeded()
        }
        if keyFrameDeadline <= now, writer.room >= 12 {
            PictureLossIndication(mediaSSRC: configuration.ssrc).write(from: sender, to: &writer)
            keyFrames.sent(at: now)
            statistics.pliCount += 1
        }
    }

    private mutating func writeNACK(from sender: SynchronizationSource, at now: Instant, to writer: inout ByteWriter) {
        var nack: GenericNACKWriter?
        let media = configuration.ssrc
        // The closure's borrow of the writer ends with the call.
        missing.requestDue(at: now, roundTripTime: roundTripTime, highest: reception.highest ?? 0) { number in
            if nack == nil { nack = GenericNACKWriter(from: sender, media: media, to: &writer) }
            return nack?.append(number, to: &writer) ?? false
        }
        guard nack != nil else { return }
        nack?.finish(to: &writer)
        statistics.nackCount += 1
    }

    // MARK: Reports

    /// Takes in a sender report whose SSRC is the stream's own.
    package mutating func handle(_ info: SenderInfo, at now: Instant) {
        senderReport = (info, now)
        reception.noteSenderReport(info.time, at: now)
    }

    /// Appends the stream's report blocks for the next report: its own, and that of its retransmissions.
    @usableFromInline package mutating func appendReportBlocks(to blocks: inout [ReportBlock], at now: Instant) {
        if let block = reception.reportBlock(at: now) { blocks.append(block) }
        if let block = rtxReception?.reportBlock(at: now) { blocks.append(block) }
    }

    /// The capture time, on the sender's clock, for an RTP timestamp; `nil` before the first sender report.
    @usableFromInline package func captureTime(of timestamp: RTPTimestamp) -> NTPTimestamp? {
        guard let (info, _) = senderReport else { return nil }
        let ticks = Int64(info.timestamp.distance(to: timestamp))
        return info.time.advanced(by: RTPClock.time(ticks, clockRate: configuration.clockRate))
    }
}
