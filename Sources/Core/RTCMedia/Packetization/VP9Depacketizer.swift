import RTCWire

/// Reads VP9 payloads, in flexible and in non-flexible mode
/// ([RFC 9628, section 4.2](https://www.rfc-editor.org/rfc/rfc9628#section-4.2)).
///
///         0 1 2 3 4 5 6 7
///        +-+-+-+-+-+-+-+-+
///        |I|P|L|F|B|E|V|Z|
///        +-+-+-+-+-+-+-+-+
///     I: |M| PICTURE ID  |
///        +-+-+-+-+-+-+-+-+
///        | EXTENDED PID  |  where M is set
///        +-+-+-+-+-+-+-+-+
///     L: | TID |U| SID |D|
///        +-+-+-+-+-+-+-+-+
///        |   TL0PICIDX   |  where F is not set
///        +-+-+-+-+-+-+-+-+
///     P and F: | P_DIFF |N|  up to three times, while N is set
///        +-+-+-+-+-+-+-+-+
///     V: | scalability structure
enum VP9Depacketizer {
    static func descriptor(of payload: RawSpan) -> VideoPayloadDescriptor? {
        var reader = ByteReader(payload)
        guard let flags = reader.readUInt8() else { return nil }
        let isInterPredicted = flags & 0x40 != 0
        let isFlexible = flags & 0x10 != 0
        var descriptor = VideoPayloadDescriptor(bytes: 0..<0)
        if flags & 0x80 != 0 {
            guard let first = reader.readUInt8() else { return nil }
            if first & 0x80 != 0 {
                guard let second = reader.readUInt8() else { return nil }
                descriptor.pictureID = UInt16(first & 0x7F) << 8 | UInt16(second)
            } else {
                descriptor.pictureID = UInt16(first)
                descriptor.pictureIDBits = 7
            }
        }
        if flags & 0x20 != 0 {
            guard let layers = reader.readUInt8() else { return nil }
            descriptor.temporalLayer = layers >> 5
            descriptor.isLayerSwitch = layers & 0x10 != 0
            descriptor.spatialLayer = layers >> 1 & 0x07
            if !isFlexible {
                guard let index = reader.readUInt8() else { return nil }
                descriptor.baseLayerIndex = index
            }
        }
        if isFlexible {
            guard let references = readReferences(&reader, isInterPredicted: isInterPredicted) else { return nil }
            descriptor.references = references
        }
        if flags & 0x02 != 0 {
            guard readStructure(&reader, into: &descriptor) else { return nil }
        }
        guard !reader.isAtEnd else { return nil }
        descriptor.bytes = reader.position..<payload.byteCount

        let beginsLayer = flags & 0x08 != 0
        let isLowestLayer = descriptor.spatialLayer ?? 0 == 0
        descriptor.beginsFrame = beginsLayer && isLowestLayer
        descriptor.mayBeginFrame = beginsLayer
        descriptor.isKeyFrame = descriptor.beginsFrame && !isInterPredicted
        if descriptor.isKeyFrame, descriptor.width == 0 { readFrameHeader(payload, into: &descriptor) }
        return descriptor
    }

    private static func readReferences(
        _ reader: inout ByteReader, isInterPredicted: Bool
    ) -> VideoPayloadDescriptor.References? {
        var references = VideoPayloadDescriptor.References()
        guard isInterPredicted else { return references }
        while true {
            guard let byte = reader.readUInt8() else { return nil }
            switch references.count {
            case 0: references.first = byte >> 1
            case 1: references.second = byte >> 1
            case 2: references.third = byte >> 1
            default: return nil
            }
            references.count += 1
            if byte & 0x01 == 0 { return references }
        }
    }

    /// Parses the scalability structure: the sizes of the layers, and the references within a picture group (section
    /// 4.2.1).
    ///
    ///      0 1 2 3 4 5 6 7
    ///     +-+-+-+-+-+-+-+-+
    ///     | N_S |Y|G|-|-|-|
    ///     +-+-+-+-+-+-+-+-+
    ///     Y: WIDTH, HEIGHT     16 bits each, N_S + 1 times
    ///     G: | N_G           |
    ///        | TID |U| R |-|-|  N_G times, each with R times P_DIFF
    private static func readStructure(
        _ reader: inout ByteReader, into descriptor: inout VideoPayloadDescriptor
    ) -> Bool {
        guard let head = reader.readUInt8() else { return false }
        if head & 0x10 != 0 {
            for _ in 0...(head >> 5) {
                guard let width = reader.readUInt16(), let height = reader.readUInt16() else { return false }
                // Layers come in ascending order: the last is the displayed one.
                descriptor.width = width
                descriptor.height = height
            }
        }
        if head & 0x08 != 0 {
            guard let count = reader.readUInt8() else { return false }
            var group = VP9PictureGroup()
            var isKept = count > 0
            for _ in 0..<count {
                guard let picture = reader.readUInt8() else { return false }
                isKept = isKept && group.append(temporalLayer: picture >> 5)
                for _ in 0..<(picture >> 2 & 0x03) {
                    guard let distance = reader.readUInt8() else { return false }
                    isKept = isKept && group.appendReference(distance)
                }
            }
            if isKept { descriptor.pictureGroup = group }
        }
        return true
    }

    /// Reads the size of a key frame from the VP9 frame header (VP9 bitstream specification, section 6.2), for senders
    /// that omit the structure.
    private static func readFrameHeader(_ payload: RawSpan, into descriptor: inout VideoPayloadDescriptor) {
        let start = descriptor.bytes.lowerBound
        guard let first = payload.byte(at: start), first >> 6 == 2 else { return }
        // Only profiles 0 and 2 (4:2:0, with 8 bits or more), whose low profile bit is clear. After the profile come
        // show_existing_frame, frame_type, show_frame, and error_resilient_mode.
        guard first & 0x20 == 0, first & 0x0C == 0, payload.byte(at: start + 1) == 0x49,
            payload.byte(at: start + 2) == 0x83, payload.byte(at: start + 3) == 0x42
        else { return }
        // The following bits: bit depth (profile 2 only), three for the colour space, one for the range, 16 for width,
        // 16 for height.
        let hasDepth = first & 0x10 != 0
        guard let upper = payload.uint32(at: start + 4), let lower = payload.byte(at: start + 8) else { return }
        let bits = UInt64(upper) << 8 | UInt64(lower)
        let shift = hasDepth ? 3 : 4
        guard bits >> (hasDepth ? 36 : 37) & 0x07 != 7 else { return }
        let width = bits >> (16 + shift) & 0xFFFF
        let height = bits >> shift & 0xFFFF
        guard width < 0xFFFF, height < 0xFFFF else { return }
        descriptor.width = UInt16(width) + 1
        descriptor.height = UInt16(height) + 1
    }
}
