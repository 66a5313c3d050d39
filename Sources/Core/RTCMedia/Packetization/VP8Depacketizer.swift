import RTCWire

/// Reads VP8 payloads ([RFC 7741, section 4.2](https://www.rfc-editor.org/rfc/rfc7741#section-4.2)).
///
///         0 1 2 3 4 5 6 7
///        +-+-+-+-+-+-+-+-+
///        |X|R|N|S|R| PID |
///        +-+-+-+-+-+-+-+-+
///     X: |I|L|T|K| RSV   |
///        +-+-+-+-+-+-+-+-+
///     I: |M| PictureID   |
///        +-+-+-+-+-+-+-+-+
///        |   PictureID   |  where M is set
///        +-+-+-+-+-+-+-+-+
///     L: |   TL0PICIDX   |
///        +-+-+-+-+-+-+-+-+
///     T/K: |TID|Y| KEYIDX |
///        +-+-+-+-+-+-+-+-+
enum VP8Depacketizer {
    static func descriptor(of payload: RawSpan) -> VideoPayloadDescriptor? {
        var reader = ByteReader(payload)
        guard let head = reader.readUInt8() else { return nil }
        var descriptor = VideoPayloadDescriptor(bytes: 0..<0)
        descriptor.isDiscardable = head & 0x20 != 0
        descriptor.beginsFrame = head & 0x10 != 0 && head & 0x07 == 0
        descriptor.mayBeginFrame = descriptor.beginsFrame
        if head & 0x80 != 0 {
            guard readExtension(&reader, into: &descriptor) else { return nil }
        }
        guard !reader.isAtEnd else { return nil }
        descriptor.bytes = reader.position..<payload.byteCount
        if descriptor.beginsFrame { readFrameHeader(payload, into: &descriptor) }
        return descriptor
    }

    private static func readExtension(
        _ reader: inout ByteReader, into descriptor: inout VideoPayloadDescriptor
    ) -> Bool {
        guard let flags = reader.readUInt8() else { return false }
        if flags & 0x80 != 0 {
            guard let first = reader.readUInt8() else { return false }
            if first & 0x80 != 0 {
                guard let second = reader.readUInt8() else { return false }
                descriptor.pictureID = UInt16(first & 0x7F) << 8 | UInt16(second)
            } else {
                descriptor.pictureID = UInt16(first)
                descriptor.pictureIDBits = 7
            }
        }
        if flags & 0x40 != 0 {
            guard let index = reader.readUInt8() else { return false }
            descriptor.baseLayerIndex = index
        }
        if flags & 0x30 != 0 {
            guard let layer = reader.readUInt8() else { return false }
            if flags & 0x20 != 0 {
                descriptor.temporalLayer = layer >> 6
                descriptor.isLayerSwitch = layer & 0x20 != 0
            }
        }
        return true
    }

    /// Parses the start of the VP8 frame (RFC 6386, section 9.1): bit 0 is clear in a key frame, whose size follows a
    /// start code.
    private static func readFrameHeader(_ payload: RawSpan, into descriptor: inout VideoPayloadDescriptor) {
        let start = descriptor.bytes.lowerBound
        guard let tag = payload.byte(at: start), tag & 0x01 == 0 else { return }
        descriptor.isKeyFrame = true
        guard payload.byte(at: start + 3) == 0x9D, payload.byte(at: start + 4) == 0x01,
            payload.byte(at: start + 5) == 0x2A, let width = payload.uint16(at: start + 6)?.byteSwapped,
            let height = payload.uint16(at: start + 8)?.byteSwapped
        else { return }
        // The upper two bits request scaling, which is not used in practice.
        descriptor.width = width & 0x3FFF
        descriptor.height = height & 0x3FFF
    }
}
