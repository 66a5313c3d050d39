public import RTCWire

/// What the header extension of one packet says ([RFC 8285](https://www.rfc-editor.org/rfc/rfc8285#section-4)).
///
/// Reading and writing allocate nothing. The one-byte form, profile 0xBEDE:
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |       0xBE    |    0xDE       |           length=3            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ID   | L=0   |     data      |  ID   |  L=1  |   data...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///       ...data   |    0 (pad)    |    0 (pad)    |  ID   | L=3   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                          data                                 |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// In the two-byte form, profile 0x1000 to 0x100F, each element has a byte for its ID and a byte for its length.
@usableFromInline package struct RTPHeaderExtensions: Sendable, Hashable {
    /// The `mid` of the media section.
    @usableFromInline package var mid: RTPStreamName?
    /// The `rid` of the encoding.
    @usableFromInline package var rid: RTPStreamName?
    /// The `rid` of the encoding that this retransmission repairs.
    @usableFromInline package var repairedRID: RTPStreamName?
    @usableFromInline package var absoluteSendTime: AbsoluteSendTime?
    @usableFromInline package var transportSequenceNumber: TransportSequenceNumber?
    @usableFromInline package var audioLevel: PacketAudioLevel?
    @usableFromInline package var rotation: VideoRotation?
    @usableFromInline package var playoutDelay: PlayoutDelay?
    @usableFromInline package var absoluteCaptureTime: AbsoluteCaptureTime?
    /// From the time of the RTP timestamp to the sending of the packet, in ticks of the stream's clock.
    @usableFromInline package var transmissionOffset: Int32?

    @usableFromInline package init() {}

    /// Parses the extension of `packet` that `header`, parsed from the same packet, announces.
    ///
    /// Elements that are malformed, unknown or not in `map` are ignored; a malformed element ends the parsing.
    @usableFromInline package init(_ packet: RawSpan, header: borrowing RTPHeader, map: RTPHeaderExtensionMap) {
        self.init()
        read(packet, header: header, map: map)
    }

    /// Like ``init(_:header:map:)``, but fills an existing empty value in place instead of copying.
    @usableFromInline package mutating func read(
        _ packet: RawSpan, header: borrowing RTPHeader, map: RTPHeaderExtensionMap
    ) {
        guard let profile = header.extensionProfile, header.extensionRange.lowerBound >= 0,
            header.extensionRange.upperBound <= packet.byteCount
        else { return }
        var reader = ByteReader(packet.extracting(unchecked: header.extensionRange))
        if profile == Self.oneByteProfile {
            while let head = reader.readUInt8() {
                if head == 0 { continue }
                let id = head >> 4
                // ID 15 ends the parsing, as does padding with a length (section 4.2).
                guard id != 0, id != 15, let value = reader.readBytes(Int(head & 0x0F) + 1) else { return }
                if let kind = map[id] { read(kind, value) }
            }
        } else if profile & 0xFFF0 == Self.twoByteProfile {
            while let id = reader.readUInt8() {
                if id == 0 { continue }
                guard let length = reader.readUInt8(), let value = reader.readBytes(Int(length)) else { return }
                if let kind = map[id] { read(kind, value) }
            }
        }
    }

    static let oneByteProfile: UInt16 = 0xBEDE
    static let twoByteProfile: UInt16 = 0x1000

    private mutating func read(_ kind: RTPHeaderExtension, _ value: RawSpan) {
        switch kind {
        case .mediaIdentification: mid = RTPStreamName(value)
        case .streamIdentifier: rid = RTPStreamName(value)
        case .repairedStreamIdentifier: repairedRID = RTPStreamName(value)
        case .absoluteSendTime:
            if value.byteCount == 3, let bits = value.uint24(at: 0) { absoluteSendTime = .init(rawValue: bits) }
        case .transportSequenceNumber:
            // A second version appends a feedback request, which is not supported.
            transportSequenceNumber = value.uint16(at: 0).map(TransportSequenceNumber.init)
        case .audioLevel:
            audioLevel = value.byte(at: 0).map { PacketAudioLevel(hasVoice: $0 & 0x80 != 0, level: $0 & 0x7F) }
        case .videoOrientation:
            // The other bits give the camera's side and mirroring.
            rotation = value.byte(at: 0).flatMap { VideoRotation(rawValue: $0 & 3) }
        case .playoutDelay:
            if value.byteCount == 3 { playoutDelay = value.uint24(at: 0).map(PlayoutDelay.init(rawValue:)) }
        case .absoluteCaptureTime:
            guard value.byteCount == 8 || value.byteCount == 16, let high = value.uint32(at: 0),
                let low = value.uint32(at: 4)
            else { return }
            var time = AbsoluteCaptureTime(timestamp: NTPTimestamp(rawValue: UInt64(high) << 32 | UInt64(low)))
            if let high = value.uint32(at: 8), let low = value.uint32(at: 12) {
                time.clockOffset = Int64(bitPattern: UInt64(high) << 32 | UInt64(low))
            }
            absoluteCaptureTime = time
        case .transmissionOffset:
            guard value.byteCount == 3, let bits = value.uint24(at: 0) else { return }
            // Sign-extends the 24 bits.
            transmissionOffset = Int32(truncatingIfNeeded: bits << 8) >> 8
        }
    }
}

extension RawSpan {
    /// The 24 bits at `offset` in network byte order, or `nil` past the end.
    func uint24(at offset: Int) -> UInt32? {
        guard let high = byte(at: offset), let low = uint16(at: offset + 1) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }
}
