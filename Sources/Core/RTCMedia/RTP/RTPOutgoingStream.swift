public import RTCWire

/// A packet that is written and waits for its turn: where its stream keeps it.
@frozen
public struct RTPPacketReference: Sendable, Hashable {
    @usableFromInline
    let index: Int64
    /// An upper bound of its bytes on the wire, without what SRTP adds.
    public let size: Int
    public let isRetransmission: Bool
    /// Whether it is sent again though nobody misses it.
    public let isPadding: Bool

    init(index: Int64, size: Int, isRetransmission: Bool, isPadding: Bool = false) {
        self.index = index
        self.size = size
        self.isRetransmission = isRetransmission
        self.isPadding = isPadding
    }
}

/// What ``RTPOutgoingStream/send(_:into:transportSequenceNumber:at:)`` put into the memory it was given.
@frozen
public struct SentRTPPacket: Sendable, Hashable {
    /// Bytes, without what SRTP adds.
    public var size: Int
    public var ssrc: SynchronizationSource
    public var sequenceNumber: RTPSequenceNumber
    /// Whether it carries the transport-wide number that was handed in, which is then used up.
    public var hasTransportSequenceNumber: Bool
    public var isRetransmission: Bool
}

/// What all packets of one frame have in common.
public struct RTPFrameDescription: Sendable {
    public var payloadType: RTPPayloadType
    /// As the encoder gave it; the stream adds its random offset.
    public var timestamp: RTPTimestamp
    /// When the frame was captured; from it sender reports relate the timestamp to the clock.
    public var captureTime: Instant
    /// What is said of the frame. The stream adds `mid`, `rid` and the fields that are filled in when a packet leaves.
    public var extensions: RTPHeaderExtensions

    public init(
        payloadType: RTPPayloadType, timestamp: RTPTimestamp, captureTime: Instant,
        extensions: RTPHeaderExtensions = RTPHeaderExtensions()
    ) {
        self.payloadType = payloadType
        self.timestamp = timestamp
        self.captureTime = captureTime
        self.extensions = extensions
    }
}

/// One RTP stream that we send, with its retransmissions
/// ([RFC 3550](https://www.rfc-editor.org/rfc/rfc3550), [RFC 4588](https://www.rfc-editor.org/rfc/rfc4588)).
///
/// A packet is written once, into the stream's own memory; a reference to it goes to the pacer; when its turn comes it
/// is copied into the datagram that leaves, where SRTP seals it in place. Copies of the stream share nothing: keep it in
/// one place and change it there.
public struct RTPOutgoingStream: Sendable {
    public struct Configuration: Sendable {
        public var ssrc: SynchronizationSource
        /// In hertz.
        public var clockRate: UInt32
        /// The SSRC of retransmissions, or `nil` to repeat packets byte by byte.
        public var rtxSSRC: SynchronizationSource?
        /// Which payload type carries the retransmissions of which (`apt` of RFC 4588). Where there is an ``rtxSSRC``, a
        /// payload type without an entry is not sent again.
        public var rtxPayloadTypes: [(media: RTPPayloadType, rtx: RTPPayloadType)]
        public var extensionMap: RTPHeaderExtensionMap
        /// Sent until the peer has reported on the stream (RFC 9143, section 15.2).
        public var mid: RTPStreamName?
        public var rid: RTPStreamName?
        /// Whether NACKs are answered at all.
        public var answersNACKs: Bool
        /// Bytes of an RTP packet at most, without what SRTP adds.
        public var maximumPacketSize: Int
        public var history: RTPHistoryLimits

        public init(
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

    /// What the stream has done so far, by the names of webrtc-stats.
    public struct Statistics: Sendable, Hashable {
        public var packetsSent: UInt64 = 0
        /// Payload bytes, as sender reports count them.
        public var bytesSent: UInt64 = 0
        public var headerBytesSent: UInt64 = 0
        /// Frames, and key frames among them, whose last packet has left: those that were taken back do not count. Of video.
        public var framesSent: UInt64 = 0
        public var keyFramesSent: UInt64 = 0
        /// Of payload that was sent again; neither is part of the counts above.
        public var retransmittedPacketsSent: UInt64 = 0
        public var retransmittedBytesSent: UInt64 = 0
        /// Whole packets that were sent again to see what the path carries, part of none of the counts above.
        public var paddingPacketsSent: UInt64 = 0
        public var paddingBytesSent: UInt64 = 0
        public var nackCount: UInt64 = 0
        public var pliCount: UInt64 = 0
        public var firCount: UInt64 = 0
        /// Packets that were asked for and not sent again: too old, too often, too many at once, made unnecessary by a key frame,
        /// or of a payload type without retransmissions.
        public var refusedRetransmissions: UInt64 = 0
    }

    /// Payload types, extensions and the clock may change with a negotiation; the SSRCs and the history may not. The
    /// numbers of an SSRC go on whatever changes: SRTP refuses to seal two packets under one.
    public var configuration: Configuration
    public internal(set) var statistics = Statistics()
    /// What the peer's receiver said last of the stream.
    public internal(set) var remote: RemoteReception?
    /// The smoothed round trip. The owner may set it from elsewhere, such as ICE's checks; the stream measures it from
    /// receiver reports.
    public var roundTripTime: TimeDelta?

    var history: RTPPacketHistory
    /// What was written before is not sent again: a key frame has made it unnecessary, or will.
    var repairStart: Int64 = 0
    /// Behind the newest key frame.
    var keyFrameEnd: Int64 = 0
    /// The sequence number of the packet with index 0.
    private let firstSequenceNumber: RTPSequenceNumber
    private let timestampOffset: UInt32
    private var rtxSequenceNumber: RTPSequenceNumber
    /// The newest frame, to which sender reports refer.
    private var lastFrame: (timestamp: RTPTimestamp, captureTime: Instant)?
    /// Whether the peer has reported on the SSRC, so that it need not be told any more whose packets these are.
    var isKnownToPeer = false
    var isRTXKnownToPeer = false
    /// Bytes that may be retransmitted: what was sent for the first time earns them.
    var retransmissionCredit = initialRetransmissionCredit
    var lastKeyFrameRequest: Instant?
    var lastKeyFrame: Instant?
    /// When a key frame was chosen in place of retransmissions.
    var lastSurrender: Instant?
    var lastFIRSequenceNumber: UInt8?

    static let initialRetransmissionCredit = 32 << 10
    /// What one NACK after a long quiet time can set free: 200 ms of 10 Mbit/s.
    static let maximumRetransmissionCredit = 256 << 10

    /// - Parameter random: For the first sequence numbers and the offset of the timestamps (RFC 3550, section 5.1).
    public init(_ configuration: Configuration, random: any RandomSource) {
        self.configuration = configuration
        history = RTPPacketHistory(limits: configuration.history)
        // The lower half, so that the first turn of the counter is not among the first packets: SRTP's rollover counter
        // of a receiver that misses those would be wrong (RFC 3711, section 3.3.1).
        firstSequenceNumber = RTPSequenceNumber(UInt16(truncatingIfNeeded: random.next()) & 0x7FFF)
        rtxSequenceNumber = RTPSequenceNumber(UInt16(truncatingIfNeeded: random.next()) & 0x7FFF)
        timestampOffset = UInt32(truncatingIfNeeded: random.next())
    }

    /// The number of the packet that is written next.
    public var nextSequenceNumber: RTPSequenceNumber { sequenceNumber(of: history.end) }

    func sequenceNumber(of index: Int64) -> RTPSequenceNumber {
        RTPSequenceNumber(firstSequenceNumber.rawValue &+ UInt16(truncatingIfNeeded: index))
    }

    // MARK: Writing

    /// The extensions of a packet of `frame`, with what the stream adds.
    private func extensions(of frame: borrowing RTPFrameDescription) -> RTPHeaderExtensions {
        var extensions = frame.extensions
        if !isKnownToPeer {
            extensions.mid = configuration.mid
            extensions.rid = configuration.rid
        }
        extensions.absoluteSendTime = AbsoluteSendTime(rawValue: 0)
        extensions.transportSequenceNumber = TransportSequenceNumber(0)
        return extensions
    }

    /// The bytes of payload that fit into each packet of `frame`, for who must cut the frame before it writes.
    public func maximumPayloadSize(for frame: borrowing RTPFrameDescription) -> Int {
        max(configuration.maximumPacketSize - headerSize(extensions(of: frame)) - rtxOverhead, 0)
    }

    private func headerSize(_ extensions: borrowing RTPHeaderExtensions) -> Int {
        RTPHeader.minimumLength + extensions.size(in: configuration.extensionMap)
    }

    /// What a retransmission is longer by: the original's number in front of its payload; and the names of the stream,
    /// as long as only the peer's report on the original's SSRC has come.
    private var rtxOverhead: Int {
        guard configuration.rtxSSRC != nil else { return 0 }
        return isKnownToPeer && !isRTXKnownToPeer ? 2 + namesSize : 2
    }

    /// Bytes of `mid` and `rid` at most, if they have to be added to other extensions.
    var namesSize: Int {
        var names = RTPHeaderExtensions()
        names.mid = configuration.mid
        names.rid = configuration.rid
        return names.size(in: configuration.extensionMap)
    }

    /// Writes the next packet of `frame`.
    ///
    /// - Parameter payload: Writes the payload to the beginning of the memory, whose size is what fits into the packet.
    ///   It answers how many bytes it wrote and whether the packet gets the marker bit (the last of a picture; the first
    ///   sound after silence), or `nil` to give the packet up, its number included.
    /// - Returns: What to hand to the pacer, or `nil` when there is no packet.
    public mutating func write(
        _ frame: borrowing RTPFrameDescription, at now: Instant,
        payload: (UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool)?
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
            guard let (count, isLast) = payload(UnsafeMutableRawBufferPointer(rebasing: memory[headerSize...])),
                count >= 0, count <= memory.count - headerSize
            else { return nil }
            if isLast { memory[1] |= 0x80 }
            endsFrame = isLast
            return (headerSize + count, count, fields)
        }
        guard let index else { return nil }
        history[index].endsFrame = endsFrame
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
    public mutating func send(
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
        // What left once is never changed again: see sendAgain.
        guard history[index].lastSent == nil else { return nil }
        history.patch(index, at: now, transportSequenceNumber: transportSequenceNumber)
        guard let size = copy(index, to: memory) else { return nil }
        let record = history[index]
        history[index].lastSent = now
        statistics.packetsSent += 1
        statistics.bytesSent += UInt64(record.payloadSize)
        statistics.headerBytesSent += UInt64(size - record.payloadSize)
        if record.endsFrame { statistics.framesSent += 1 }
        if record.endsKeyFrame { statistics.keyFramesSent += 1 }
        retransmissionCredit = min(retransmissionCredit + size, Self.maximumRetransmissionCredit)
        return SentRTPPacket(
            size: size, ssrc: configuration.ssrc, sequenceNumber: sequenceNumber(of: index),
            hasTransportSequenceNumber: record.fields.hasTransportSequenceNumber, isRetransmission: false)
    }

    /// Copies the packet as it is kept.
    private func copy(_ index: Int64, to memory: UnsafeMutableRawBufferPointer) -> Int? {
        history.withPacket(index) { packet in
            guard memory.count >= packet.count else { return nil }
            UnsafeMutableRawBufferPointer(rebasing: memory[..<packet.count]).copyMemory(from: packet)
            return packet.count
        }
    }

    /// Sends the packet as a retransmission; or, where there is no RTX, the very bytes that were sent before: SRTP seals
    /// them under the same nonce, which must never be used for anything else (RFC 3711, section 9.1; RFC 7714, section
    /// 8.3). They keep their old send time and transport-wide number.
    private mutating func sendAgain(
        _ reference: RTPPacketReference, into memory: UnsafeMutableRawBufferPointer,
        transportSequenceNumber: TransportSequenceNumber, at now: Instant
    ) -> SentRTPPacket? {
        let index = reference.index
        if !reference.isPadding { history[index].isWaiting = false }
        var sent = SentRTPPacket(
            size: 0, ssrc: configuration.ssrc, sequenceNumber: sequenceNumber(of: index),
            hasTransportSequenceNumber: false, isRetransmission: true)
        // A negotiation may have come between the request and its turn.
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

    /// The payload type under which a packet is sent again with RTX; `nil` if its own has none.
    func rtxPayloadType(of index: Int64) -> RTPPayloadType? {
        let payloadType = history.withPacket(index) { $0.count > 1 ? RTPPayloadType($0[1]) : RTPPayloadType(0) }
        return configuration.rtxPayloadTypes.first { $0.media == payloadType }?.rtx
    }

    /// Writes the retransmission of a packet (RFC 4588, section 4): the original's header with another SSRC, number and
    /// payload type, the original's number in two bytes, its payload.
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
                // The numbers of extensions have changed since there was room for the names.
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

    /// What a sender report says at `now`, or `nil` before the first packet has left.
    public func senderInfo(at now: Instant, clock: NTPClock) -> SenderInfo? {
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

/// Ticks of an RTP clock and time.
enum RTPClock {
    /// How many ticks `delta` lasts, rounded down towards zero.
    static func ticks(_ delta: TimeDelta, clockRate: UInt32) -> Int64 {
        let (seconds, rest) = delta.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds &* Int64(clockRate) &+ rest * Int64(clockRate) / 1_000_000_000
    }

    /// How long `ticks` last.
    static func time(_ ticks: Int64, clockRate: UInt32) -> TimeDelta {
        let rate = Int64(max(clockRate, 1))
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: rate)
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / rate)
    }
}
