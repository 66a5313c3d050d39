internal import RTCWire

/// The types of RTCP packets (RFC 3550, section 12.1; RFC 4585, section 6.1).
@usableFromInline package struct RTCPPacketType: RawRepresentable, Hashable, Sendable {
    @usableFromInline package var rawValue: UInt8

    @usableFromInline package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @usableFromInline package static let senderReport = RTCPPacketType(rawValue: 200)
    @usableFromInline package static let receiverReport = RTCPPacketType(rawValue: 201)
    @usableFromInline package static let sourceDescription = RTCPPacketType(rawValue: 202)
    @usableFromInline package static let goodbye = RTCPPacketType(rawValue: 203)
    /// Feedback about the transport; which one, says the format.
    @usableFromInline package static let transportLayerFeedback = RTCPPacketType(rawValue: 205)
    /// Feedback about the payload; which one, says the format.
    @usableFromInline package static let payloadSpecificFeedback = RTCPPacketType(rawValue: 206)
}

/// The format of a feedback packet: the five bits that are a count in other packets (RFC 4585, section 6).
enum FeedbackFormat {
    static let genericNACK: UInt8 = 1
    static let transportFeedback: UInt8 = 15
    static let pictureLossIndication: UInt8 = 1
    static let fullIntraRequest: UInt8 = 4
    static let applicationLayerFeedback: UInt8 = 15
}

/// One packet of a compound packet, with its body unparsed
/// ([RFC 3550, section 6.4.1](https://www.rfc-editor.org/rfc/rfc3550#section-6.4.1)).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  count  |  packet type  |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                             body                              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
@usableFromInline package struct RTCPPacket: ~Escapable {
    @usableFromInline package let type: RTCPPacketType
    /// The number of blocks, or the format of feedback: 0 to 31.
    @usableFromInline package let count: UInt8
    /// The bytes after the first four, without padding.
    @usableFromInline package let body: RawSpan

    @_lifetime(copy body)
    init(type: RTCPPacketType, count: UInt8, body: RawSpan) {
        self.type = type
        self.count = count
        self.body = body
    }

    /// The RTCP contents that the engine reads. Each has a type of the same name, created from an ``RTCPPacket``.
    @usableFromInline package enum Kind: Sendable, Hashable {
        case senderReport, receiverReport, sourceDescription, goodbye
        case genericNACK, transportFeedback
        case pictureLossIndication, fullIntraRequest, receiverEstimatedMaximumBitrate
        /// Application-defined packets, extended reports, TMMBR and unknown types, which are ignored.
        case other
    }

    @usableFromInline package var kind: Kind {
        switch (type, count) {
        case (.senderReport, _): .senderReport
        case (.receiverReport, _): .receiverReport
        case (.sourceDescription, _): .sourceDescription
        case (.goodbye, _): .goodbye
        case (.transportLayerFeedback, FeedbackFormat.genericNACK): .genericNACK
        case (.transportLayerFeedback, FeedbackFormat.transportFeedback): .transportFeedback
        case (.payloadSpecificFeedback, FeedbackFormat.pictureLossIndication): .pictureLossIndication
        case (.payloadSpecificFeedback, FeedbackFormat.fullIntraRequest): .fullIntraRequest
        case (.payloadSpecificFeedback, FeedbackFormat.applicationLayerFeedback)
        where body.uint32(at: 8) == ReceiverEstimatedMaximumBitrate.identifier:
            .receiverEstimatedMaximumBitrate
        default: .other
        }
    }
}

/// Walks through the packets of a compound packet, or of a reduced-size one (RFC 5506), which may begin with anything.
///
/// Every step takes at least four bytes away, so that a datagram of `n` bytes has at most `n / 4` packets.
@usableFromInline package struct RTCPReader: ~Escapable {
    private var reader: ByteReader

    /// - Parameter datagram: What SRTCP left: the whole compound packet.
    @_lifetime(copy datagram)
    @usableFromInline package init(_ datagram: RawSpan) {
        reader = ByteReader(datagram)
    }

    /// The next packet, or `nil` at the end or if it is malformed: another version, a length past the end, or padding
    /// longer than the packet.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    @usableFromInline package mutating func next() -> RTCPPacket? {
        guard let first = reader.readUInt8(), first >> 6 == 2, let type = reader.readUInt8(),
            let words = reader.readUInt16(), let whole = reader.readBytes(Int(words) * 4)
        else { return nil }
        var length = whole.byteCount
        if first & 0x20 != 0 {
            guard let padding = whole.byte(at: length - 1), padding > 0, Int(padding) <= length else { return nil }
            length -= Int(padding)
        }
        return RTCPPacket(
            type: RTCPPacketType(rawValue: type), count: first & 0x1F, body: whole.extracting(unchecked: 0..<length))
    }
}

extension ByteWriter {
    /// Begins an RTCP packet, whose length ``endRTCP(_:)`` fills in.
    mutating func beginRTCP(_ type: RTCPPacketType, count: UInt8) -> Int {
        let start = self.count
        write(0x80 | (count & 0x1F))
        write(type.rawValue)
        write(UInt16(0))
        return start
    }

    /// Ends the RTCP packet that began at `start`: pads it with zeros to 32 bits and sets its length.
    mutating func endRTCP(_ start: Int) {
        writeZeros((4 - (count - start) & 3) & 3)
        overwrite(UInt16(truncatingIfNeeded: (count - start) / 4 - 1), at: start + 2)
    }
}
