public import RTCWire

/// A packet that is written and waits for its turn: where its stream keeps it.
@frozen
@usableFromInline package struct RTPPacketReference: Sendable, Hashable {
    @usableFromInline
    let index: Int64
    /// An upper bound of its bytes on the wire, without SRTP's overhead.
    @usableFromInline package let size: Int
    @usableFromInline package let isRetransmission: Bool
    /// Whether it is sent again without a request.
    @usableFromInline package let isPadding: Bool

    init(index: Int64, size: Int, isRetransmission: Bool, isPadding: Bool = false) {
        self.index = index
        self.size = size
        self.isRetransmission = isRetransmission
        self.isPadding = isPadding
    }
}

/// The result of ``RTPOutgoingStream/send(_:into:transportSequenceNumber:at:)``.
@frozen
@usableFromInline package struct SentRTPPacket: Sendable, Hashable {
    /// In bytes, without SRTP's overhead.
    @usableFromInline package var size: Int
    @usableFromInline package var ssrc: SynchronizationSource
    @usableFromInline package var sequenceNumber: RTPSequenceNumber
    /// Whether it carries the transport-wide number that was handed in, which is then used up.
    @usableFromInline package var hasTransportSequenceNumber: Bool
    @usableFromInline package var isRetransmission: Bool
    /// Whether it carries forward error correction.
    @usableFromInline package var isErrorCorrection = false
}

/// The common properties of all packets of one frame.
@usableFromInline package struct RTPFrameDescription: Sendable {
    @usableFromInline package var payloadType: RTPPayloadType
    /// As set by the encoder; the stream adds its random offset.
    @usableFromInline package var timestamp: RTPTimestamp
    /// When the frame was captured; from it sender reports relate the timestamp to the clock.
    @usableFromInline package var captureTime: Instant
    /// The frame's header extensions. The stream adds `mid`, `rid` and the fields that are filled in when a packet
    /// leaves.
    @usableFromInline package var extensions: RTPHeaderExtensions
    /// Whether the frame is of a higher temporal layer, so that frames of the base layer can be decoded without it.
    @usableFromInline package var isHigherLayer: Bool

    @usableFromInline package init(
        payloadType: RTPPayloadType, timestamp: RTPTimestamp, captureTime: Instant,
        extensions: RTPHeaderExtensions = RTPHeaderExtensions(), isHigherLayer: Bool = false
    ) {
        self.payloadType = payloadType
        self.timestamp = timestamp
        self.captureTime = captureTime
        self.extensions = extensions
        self.isHigherLayer = isHigherLayer
    }
}

/// One RTP stream that we send, with its retransmissions
/// ([RFC 3550](https://www.rfc-editor.org/rfc/rfc3550), [RFC 4588](https://www.rfc-editor.org/rfc/rfc4588)).
///
/// A packet is written once, into the stream's own memory; a reference to it goes to the pacer; when its turn comes it
/// is copied into the datagram that leaves, where SRTP seals it in place. Copies of the stream share nothing: keep it in
/// one place and change it there.
@usableFromInline package struct RTPOutgoingStream: Sendable {
    @usableFromInline package struct Configuration: Sendable {
        @usableFromInline package var ssrc: SynchronizationSource
        /// In hertz.
        @usableFromInline package var clockRate: UInt32
        /// The SSRC of retransmissions, or `nil` to repeat packets byte by byte.
        @usableFromInline package var rtxSSRC: SynchronizationSource?
        /// Which payload type carries the retransmissions of which (`apt` of RFC 4588). Where there is an ``rtxSSRC``, a
        /// payload type without an entry is not sent again.
        @usableFromInline package var rtxPayloadTypes: [(media: RTPPayloadType, rtx: RTPPayloadType)]
        @usableFromInline package var extensionMap: RTPHeaderExtensionMap
        /// Sent until the peer has reported on the stream (RFC 9143, section 15.2).
        @usableFromInline package var mid: RTPStreamName?
        @usableFromInline package var rid: RTPStreamName?
        /// Whether NACKs are answered at all.
        @usableFromInline package var answersNACKs: Bool
        /// The largest RTP packet in bytes, without SRTP's overhead.
        @usableFromInline package var maximumPacketSize: Int
        package var history: RTPHistoryLimits
        /// The payload types of error correction, if it was agreed upon.
        @usableFromInline package var protection: RTPProtectionTypes?

        package init(
            ssrc: SynchronizationSource, clockRate: UInt32, rtxSSRC: SynchronizationSource? = nil,
            rtxPayloadTypes: [(media: RTPPayloadType, rtx: RTPPayloadType)] = [],
            extensionMap: RTPHeaderExtensionMap = RTPHeaderExtensionMap(), mid: RTPStreamName? = nil,
            rid: RTPStreamName? = nil, answersNACKs: Bool = true, maximumPacketSize: Int = 1_180,
            history: RTPHistoryLimits
        ) {
            self.ssrc = ssrc
            self.clockRate = clockRate
            self.rtxSSRC = rtxSSRC
            self.rtxPayloadTypes = rtxPayloadTypes
            self.extensionMap = extensionMap
            self.mid = mid
            self.rid = rid
            self.answersNACKs = answersNACKs
            self.maximumPacketSize = maximumPacketSize
            self.history = history
        }
    }

    /// The stream's counters, under the names of webrtc-stats.
    @usableFromInline package struct Statistics: Sendable, Hashable {
        @usableFromInline package var packetsSent: UInt64 = 0
        /// Payload bytes, as sender reports count them.
        @usableFromInline package var bytesSent: UInt64 = 0
        @usableFromInline package var headerBytesSent: UInt64 = 0
        /// Video frames, and key frames among them, whose last packet was sent. Frames that were removed before do not
        /// count.
        @usableFromInline package var framesSent: UInt64 = 0
        @usableFromInline package var keyFramesSent: UInt64 = 0
        /// Of payload that was sent again; neither is part of the counts above.
        @usableFromInline package var retransmittedPacketsSent: UInt64 = 0
        @usableFromInline package var retransmittedBytesSent: UInt64 = 0
        /// Packets that were sent again to probe the path; they are not included in the counters above.
        @usableFromInline package var paddingPacketsSent: UInt64 = 0
        @usableFromInline package var paddingBytesSent: UInt64 = 0
        /// Packets of forward error correction, and their payload bytes; both are part of the first counts.
        @usableFromInline package var fecPacketsSent: UInt64 = 0
        @usableFromInline package var fecBytesSent: UInt64 = 0
        @usableFromInline package var nackCount: UInt64 = 0
        @usableFromInline package var pliCount: UInt64 = 0
        @usableFromInline package var firCount: UInt64 = 0
        /// Packets that were requested and not retransmitted: too old, too often, too many at once, unnecessary after a
        /// key frame, or of a payload type without retransmissions.
        @usableFromInline package var refusedRetransmissions: UInt64 = 0
    }

    /// Payload types, extensions and the clock may change in a negotiation; the SSRCs and the history may not. The
    /// sequence numbers of an SSRC always continue: SRTP refuses to protect two packets with the same number.
    @usableFromInline package var configuration: Configuration
    @usableFromInline package internal(set) var statistics = Statistics()
    /// The last report of the peer's receiver about the stream.
    @usableFromInline package internal(set) var remote: RemoteReception?
    /// The smoothed round trip. The owner may set it from elsewhere, such as ICE's checks; the stream measures it from
    /// receiver reports.
    @usableFromInline package var roundTripTime: TimeDelta?

    var history: RTPPacketHistory
    /// The parity that is being computed, for its memory.
    var parity = ULPFECParity()
    /// The first index that may be retransmitted: a key frame has made, or will make, the earlier ones unnecessary.
    var repairStart: Int64 = 0
    /// The index after the newest key frame.
    var keyFrameEnd: Int64 = 0
    /// The sequence number of the packet with index 0.
    private let firstSequenceNumber: RTPSequenceNumber
    private let timestampOffset: UInt32
    private var rtxSequenceNumber: RTPSequenceNumber
    /// The newest frame, to which sender reports refer.
    private var lastFrame: (timestamp: RTPTimestamp, captureTime: Instant)?
    /// Whether the peer has reported on the SSRC, so that packets need not carry `mid` and `rid` any more.
    var isKnownToPeer = false
    var isRTXKnownToPeer = false
    /// The bytes that may be retransmitted; first transmissions add to it.
    var retransmissionCredit = initialRetransmissionCredit
    var lastKeyFrameRequest: Instant?
    var lastKeyFrame: Instant?
    /// The time at which a key frame last replaced retransmissions.
    var lastKeyFrameReplacement: Instant?
    var lastFIRSequenceNumber: UInt8?

    static let initialRetransmissionCredit = 32 << 10
    /// The most bytes that one NACK can trigger after a quiet time: 200 ms at 10 Mbit/s.
    static let maximumRetransmissionCredit = 256 << 10

    /// - Parameter random: For the first sequence numbers and the offset of the timestamps (RFC 3550, section 5.1).
    @usableFromInline package init(_ configuration: Configuration, random: any RandomSource) {
        self.configuration = configuration
        history = RTPPacketHistory(limits: configuration.history)
        // In the lower half, so that the number does not wrap within the first packets: a receiver that misses those
        // would get a wrong rollover counter for SRTP (RFC 3711, section 3.3.1).
        firstSequenceNumber = RTPSequenceNumber(UInt16(truncatingIfNeeded: random.next()) & 0x7FFF)
        rtxSequenceNumber = RTPSequenceNumber(UInt16(truncatingIfNeeded: random.next()) & 0x7FFF)
        timestampOffset = UInt32(truncatingIfNeeded: random.next())
    }

    /// The number of the packet that is written next.
    @usableFromInline package var nextSequenceNumber: RTPSequenceNumber { sequenceNumber(of: history.end) }

    func sequenceNumber(of index: Int64) -> RTPSequenceNumber {
        RTPSequenceNumber(firstSequenceNumber.rawValue &+ UInt16(truncatingIfNeeded: index))
    }

    // MARK: Writing

    /// The extensions of a packet of `frame`, with those that the stream adds.
    func extensions(of frame: borrowing RTPFrameDescription) -> RTPHeaderExtensions {
        var extensions = frame.extensions
        if !isKnownToPeer {
            extensions.mid = configuration.mid
            extensions.rid = configuration.rid
        }
        extensions.absoluteSendTime = AbsoluteSendTime(rawValue: 0)
        extensions.transportSequenceNumber = TransportSequenceNumber(0)
        return extensions
    }

    /// The payload bytes that fit into each packet of `frame`, for callers that have to split the frame first.
    @usableFromInline package func maximumPayloadSize(for frame: borrowing RTPFrameDescription) -> Int {
        max(configuration.maximumPacketSize - headerSize(extensions(of: frame)) - rtxOverhead, 0)
    }

    func headerSize(_ extensions: borrowing RTPHeaderExtensions) -> Int {
        RTPHeader.minimumLength + extensions.size(in: configuration.extensionMap)
    }

    /// The extra bytes of a retransmission: the original sequence number, and the names while the peer has reported on
    /// the original SSRC only.
    private var rtxOverhead: Int {
        guard configuration.rtxSSRC != nil else { return 0 }
        return isKnownToPeer && !isRTXKnownToPeer ? 2 + namesSize : 2
    }

    /// The most bytes that `mid` and `rid` add to other extensions.
    var namesSize: Int {
        var names = RTPHeaderExtensions()
        names.mid = configuration.mid
        names.rid = configuration.rid
        return names.size(in: configuration.extensionMap)
    }

    /// Writes the next packet of `frame`.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the packet contains the whole frame, as audio packets do. The marker bit then means
    ///     something else than the end of a frame.
    ///   - payload: Writes the payload to the beginning of the memory, whose size is that of the largest payload. It
    ///     returns the number of bytes and whether the packet gets the marker bit (the last packet of a video frame; the
    ///     first audio after silence), or `nil` to give up the packet and its number.
    /// - Returns: The reference for the pacer, or `nil` if there is no packet.
    @usableFromInline package mutating func write(
        _ frame: borrowing RTPFrameDescription, isWhole: Bool = false, at now: Instant,
        payload: (UnsafeMutableRawBufferPointer) -> (count: Int, isMarked: Bool)?
    ) -> RTPPacketReference? {
        let extensions = extensions(of: frame)
        let hasExtension = extensions.size(in: configuration.extensionMap) > 0
        let header = RTPHeader(
            payloadType: frame.payloadType, sequenceNumber: nextSequenceNumber,
            timestamp: RTPTimestamp(frame.timestamp.rawValue &+ timestampOffset), ssrc: configuration.ssrc)
        let map = configuration.extensionMap
        var endsFrame = false
        let index = history.append(atMost: max(configuration.maximumPacketSize - rtxOverhead, 0), at: now) { memory in
            var writer = ByteWriter(memory)
            header.write(to: &writer, hasExtension: hasExtension)
            let fields = hasExtension ? extensions.write(to: &writer, map: map) : RTPSendTimeFields()
            guard !writer.overflowed else { return nil }
            let headerSize = writer.count
            guard let (count, isMarked) = payload(UnsafeMutableRawBufferPointer(rebasing: memory[headerSize...])),
                count >= 0, count <= memory.count - headerSize
            else { return nil }
            if isMarked { memory[1] |= 0x80 }
            endsFrame = isWhole || isMarked
            return (headerSize + count, count, fields)
        }
        guard let index else { return nil }
        history[index].endsFrame = endsFrame
        history[index].isHigherLayer = frame.isHigherLayer
        lastFrame = (frame.timestamp, frame.captureTime)
        return RTPPacketReference(index: index, size: history[index].size, isRetransmission: false)
    }

    // MARK: Sending

    /// Copies a packet that waited into the datagram that leaves, and fills in what is known only now.
    ///
    /// - Parameters:
    ///   - memory: At least `reference.size` bytes.
    ///   - transportSequenceNumber: The next number of the transport (``TransportFeedbackReader/nextNumber``).
    /// - Returns: `nil` when the packet is not kept any more, or does not fit: nothing is to be sent.
    @usableFromInline package mutating func send(
        _ reference: RTPPacketReference, into memory: UnsafeMutableRawBufferPointer,
        transportSequenceNumber: TransportSequenceNumber, at now: Instant
    ) -> SentRTPPacket? {
        guard history.contains(reference.index) else { return nil }
        return reference.isRetransmission
            ? sendAgain(reference, into: memory, transportSequenceNumber: transportSequenceNumber, at: now)
            : sendFirst(reference.index, into: memory, transportSequenceNumber: transportSequenceNumber, at: now)
    }

    private mutating func sendFirst(
        _ index: Int64, into memory: UnsafeMutableRawBufferPointer, transportSequenceNumber: TransportSequenceNumber,
        at now: Instant
    ) -> SentRTPPacket? {
        // A packet that was sent must not change any more: see sendAgain.
        guard history[index].lastSent == nil else { return nil }
        history.patch(index, at: now, transportSequenceNumber: transportSequenceNumber)
        guard let size = copy(index, to: memory) else { return nil }
        let record = history[index]
        history[index].lastSent = now
        statistics.packetsSent += 1
        statistics.bytesSent += UInt64(record.payloadSize)
        statistics.headerBytesSent += UInt64(size - record.payloadSize)
        if record.isErrorCorrection {
            statistics.fecPacketsSent += 1
            statistics.fecBytesSent += UInt64(record.payloadSize)
        } else if record.endsFrame {
            statistics.framesSent += 1
        }
        if record.endsKeyFrame { statistics.keyFramesSent += 1 }
        retransmissionCredit = min(retransmissionCredit + size, Self.maximumRetransmissionCredit)
        return SentRTPPacket(
            size: size, ssrc: configuration.ssrc, sequenceNumber: sequenceNumber(of: index),
            hasTransportSequenceNumber: record.fields.hasTransportSequenceNumber, isRetransmission: false,
            isErrorCorrection: record.isErrorCorrection)
    }

    /// Copies the stored packet.
    private func copy(_ index: Int64, to memory: UnsafeMutableRawBufferPointer) -> Int? {
        history.withPacket(index) { packet in
            guard memory.count >= packet.count else { return nil }
            UnsafeMutableRawBufferPointer(rebasing: memory[..<packet.count]).copyMemory(from: packet)
            return packet.count
        }
    }

    /// Sends the packet as an RTX retransmission. Without RTX, sends the same bytes as before, with the old send time
    /// and transport-wide number: SRTP seals them under the same nonce, which must never be used for other data (RFC
    /// 3711, section 9.1; RFC 7714, section 8.3).
    private mutating func sendAgain(
        _ reference: RTPPacketReference, into memory: UnsafeMutableRawBufferPointer,
        transportSequenceNumber: TransportSequenceNumber, at now: Instant
    ) -> SentRTPPacket? {
        let index = reference.index
        if !reference.isPadding { history[index].isWaiting = false }
        var sent = SentRTPPacket(
            size: 0, ssrc: configuration.ssrc, sequenceNumber: sequenceNumber(of: index),
            hasTransportSequenceNumber: false, isRetransmission: true)
        // A negotiation may have disabled retransmissions since the request.
        guard configuration.answersNACKs else { return nil }
        if let rtxSSRC = configuration.rtxSSRC {
            guard let payloadType = rtxPayloadType(of: index),
                let (size, fields) = writeRTX(
                    index, ssrc: rtxSSRC, payloadType: payloadType, into: memory,
                    transportSequenceNumber: transportSequenceNumber, at: now)
            else { return nil }
            sent.size = size
            sent.ssrc = rtxSSRC
            sent.sequenceNumber = rtxSequenceNumber
            sent.hasTransportSequenceNumber = fields.hasTransportSequenceNumber
            rtxSequenceNumber = rtxSequenceNumber.next
        } else {
            guard let size = copy(index, to: memory) else { return nil }
            sent.size = size
        }
        guard !reference.isPadding else {
            statistics.paddingPacketsSent += 1
            statistics.paddingBytesSent += UInt64(sent.size)
            return sent
        }
        history[index].lastSent = now
        statistics.retransmittedPacketsSent += 1
        statistics.retransmittedBytesSent += UInt64(history[index].payloadSize)
        return sent
    }

    /// The RTX payload type for a packet; `nil` if its payload type has none.
    func rtxPayloadType(of index: Int64) -> RTPPayloadType? {
        let payloadType = history.withPacket(index) { $0.count > 1 ? RTPPayloadType($0[1]) : RTPPayloadType(0) }
        return configuration.rtxPayloadTypes.first { $0.media == payloadType }?.rtx
    }

    /// Writes the retransmission of a packet (RFC 4588, section 4): the original header with another SSRC, sequence
    /// number and payload type, the original sequence number in two bytes, and the payload.
    private func writeRTX(
        _ index: Int64, ssrc: SynchronizationSource, payloadType: RTPPayloadType,
        into memory: UnsafeMutableRawBufferPointer, transportSequenceNumber: TransportSequenceNumber, at now: Instant
    ) -> (size: Int, fields: RTPSendTimeFields)? {
        history.withPacket(index) { bytes in
            let original = RawSpan(_unsafeBytes: bytes)
            guard var header = RTPHeader(original) else { return nil }
            var extensions = RTPHeaderExtensions(original, header: header, map: configuration.extensionMap)
            extensions.mid = isRTXKnownToPeer ? nil : configuration.mid
            extensions.rid = nil
            extensions.repairedRID = isRTXKnownToPeer ? nil : configuration.rid
            let payload = original.extracting(unchecked: header.length..<original.byteCount)
            let room = configuration.maximumPacketSize - payload.byteCount - 2
            if headerSize(extensions) > room {
                // The extension IDs have changed since room was reserved for the names.
                extensions.mid = nil
                extensions.repairedRID = nil
                guard headerSize(extensions) <= room else { return nil }
            }
            header.ssrc = ssrc
            header.payloadType = payloadType
            let number = header.sequenceNumber
            header.sequenceNumber = rtxSequenceNumber
            let hasExtension = extensions.size(in: configuration.extensionMap) > 0
            var writer = ByteWriter(memory)
            header.write(to: &writer, hasExtension: hasExtension)
            let fields =
                hasExtension ? extensions.write(to: &writer, map: configuration.extensionMap) : RTPSendTimeFields()
            writer.write(number.rawValue)
            writer.write(payload)
            guard !writer.overflowed else { return nil }
            fields.patch(writer.written, at: now, transportSequenceNumber: transportSequenceNumber)
            return (writer.count, fields)
        }
    }

    // MARK: Reports

    /// The contents of a sender report at `now`, or `nil` before the first packet has left.
    package func senderInfo(at now: Instant, clock: NTPClock) -> SenderInfo? {
        guard statistics.packetsSent > 0, let (timestamp, captureTime) = lastFrame else { return nil }
        let ticks = RTPClock.ticks(now - captureTime, clockRate: configuration.clockRate)
        return SenderInfo(
            time: clock.timestamp(at: now),
            timestamp: RTPTimestamp(
                timestamp.rawValue &+ timestampOffset &+ UInt32(truncatingIfNeeded: ticks)),
            packetCount: UInt32(truncatingIfNeeded: statistics.packetsSent),
            octetCount: UInt32(truncatingIfNeeded: statistics.bytesSent))
    }
}

/// Converts between ticks of an RTP clock and time.
enum RTPClock {
    /// The ticks in `delta`, rounded towards zero.
    static func ticks(_ delta: TimeDelta, clockRate: UInt32) -> Int64 {
        let (seconds, rest) = delta.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds &* Int64(clockRate) &+ rest * Int64(clockRate) / 1_000_000_000
    }

    /// The duration of `ticks`.
    static func time(_ ticks: Int64, clockRate: UInt32) -> TimeDelta {
        let rate = Int64(max(clockRate, 1))
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: rate)
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / rate)
    }
}
