import RTCWire

/// Reads H.264 payloads of packetization modes 0 and 1: single NAL units, STAP-A and FU-A
/// ([RFC 6184, section 5](https://www.rfc-editor.org/rfc/rfc6184#section-5)).
///
///      0 1 2 3 4 5 6 7        STAP-A: header, then for each unit
///     +-+-+-+-+-+-+-+-+       its size in 16 bits, and the unit
///     |F|NRI|  Type   |
///     +-+-+-+-+-+-+-+-+       FU-A: header, then
///                             |S|E|R|  Type   | and a piece of a unit without its header
///
/// The payload types of mode 2 (STAP-B, MTAP, FU-B) are never negotiated, so they are invalid here.
enum H264Depacketizer {
    static func descriptor(of payload: RawSpan) -> VideoPayloadDescriptor? {
        guard let head = payload.byte(at: 0) else { return nil }
        switch head & 0x1F {
        case 1...23:
            var descriptor = VideoPayloadDescriptor(bytes: 0..<payload.byteCount)
            descriptor.packaging = .unit
            descriptor.mayBeginFrame = true
            descriptor.isDiscardable = true
            note(header: head, isFirst: true, in: &descriptor)
            return descriptor
        case H264UnitType.stapA:
            return aggregate(payload)
        case H264UnitType.fuA:
            return fragment(payload, head)
        default:
            return nil
        }
    }

    /// Calls `body` with the range of each unit. The sizes were checked when the descriptor was read; an invalid one
    /// ends the iteration.
    static func forEachUnit(inAggregate bytes: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        var offset = 0
        while offset + 2 < bytes.count {
            let size = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            offset += 2
            guard size > 0, size <= bytes.count - offset else { return }
            body(offset..<offset + size)
            offset += size
        }
    }

    private static func aggregate(_ payload: RawSpan) -> VideoPayloadDescriptor? {
        var descriptor = VideoPayloadDescriptor(bytes: 1..<payload.byteCount)
        descriptor.packaging = .aggregate
        descriptor.mayBeginFrame = true
        descriptor.isDiscardable = true
        var reader = ByteReader(payload)
        guard reader.skip(1), !reader.isAtEnd else { return nil }
        var isFirst = true
        while !reader.isAtEnd {
            // An aggregate may hold single units only (section 5.7).
            guard let size = reader.readUInt16(), size > 0, let header = payload.byte(at: reader.position),
                (1...23).contains(header & 0x1F), reader.skip(Int(size))
            else { return nil }
            note(header: header, isFirst: isFirst, in: &descriptor)
            isFirst = false
        }
        return descriptor
    }

    private static func fragment(_ payload: RawSpan, _ indicator: UInt8) -> VideoPayloadDescriptor? {
        guard let head = payload.byte(at: 1), payload.byteCount > 2, (1...23).contains(head & 0x1F) else { return nil }
        let header = indicator & 0xE0 | head & 0x1F
        let isFirst = head & 0x80 != 0
        var descriptor = VideoPayloadDescriptor(bytes: 2..<payload.byteCount)
        descriptor.packaging = isFirst ? .firstFragment(header: header) : .fragment
        descriptor.mayBeginFrame = isFirst
        descriptor.isDiscardable = true
        note(header: header, isFirst: isFirst, in: &descriptor)
        return descriptor
    }

    /// Combines the information of a unit's header with that of the packet.
    private static func note(header: UInt8, isFirst: Bool, in descriptor: inout VideoPayloadDescriptor) {
        if header & 0x60 != 0 { descriptor.isDiscardable = false }
        switch header & 0x1F {
        case H264UnitType.idrSlice:
            descriptor.isKeyFrame = true
            descriptor.hasSlice = true
        case H264UnitType.slice..<H264UnitType.idrSlice: descriptor.hasSlice = true
        case H264UnitType.sequenceParameterSet:
            descriptor.hasParameterSets = true
            if isFirst { descriptor.beginsFrame = true }
        case H264UnitType.pictureParameterSet: descriptor.hasParameterSets = true
        case H264UnitType.accessUnitDelimiter: if isFirst { descriptor.beginsFrame = true }
        default: break
        }
    }
}
