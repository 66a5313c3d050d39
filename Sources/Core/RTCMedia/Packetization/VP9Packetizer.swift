import RTCWire

/// Writes VP9 payloads of one spatial layer, in flexible mode
/// ([RFC 9628, section 4.2](https://www.rfc-editor.org/rfc/rfc9628#section-4.2)).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |I|P|L|F|B|E|V|Z|  I = F = 1; P in all but key frames; L with temporal layers; V in a key frame's first packet
///     +-+-+-+-+-+-+-+-+
///     |M| PICTURE ID  |  M = 1: 15 bits
///     |               |
///     +-+-+-+-+-+-+-+-+
///     | TID |U| SID |D|  where L is set; U = 1, SID = D = 0
///     +-+-+-+-+-+-+-+-+
///     | P_DIFF      |N|  where P is set: the pictures that this one refers to, at most two
///     +-+-+-+-+-+-+-+-+
///     | N_S |Y|G|-|-|-|  where V is set: one spatial layer, and its size
///     |     WIDTH     |
///     |     HEIGHT    |
///     +-+-+-+-+-+-+-+-+
///
/// Flexible mode describes a stream without layers in the fewest bytes; non-flexible mode requires a layer index in
/// every packet. It also lets a sender leave out frames of higher layers: the references remain right. U is always set:
/// with the patterns of ``ScalabilityMode``, no frame refers to a frame of a higher layer than its own, nor past a frame
/// of a lower layer.
struct VP9Packetizer: Sendable {
    private static let structureSize = 5

    private var nextPictureID: UInt16
    private var pictureID: UInt16 = 0
    private var isKeyFrame = false
    private var layer: TemporalLayer?
    /// The newest picture of each layer.
    private var newest: (base: UInt16, middle: UInt16) = (0, 0)
    /// The distances to the pictures that the frame refers to, zero for none.
    private var references: (first: UInt8, second: UInt8) = (0, 0)
    /// Zero when the size is unknown and therefore not written.
    private var width: UInt16 = 0
    private var height: UInt16 = 0
    private var split = EvenSplit()
    private var offset = 0

    init(pictureID: UInt16) {
        nextPictureID = pictureID
    }

    private var hasStructure: Bool { isKeyFrame && width > 0 && height > 0 }

    /// The bytes before the structure, which are the same in all packets of a frame.
    private var headSize: Int {
        3 + (layer == nil ? 0 : 1) + (references.first > 0 ? 1 : 0) + (references.second > 0 ? 1 : 0)
    }

    mutating func begin(_ frame: EncodedVideoFrame, maximumPayloadSize: Int) -> Int {
        guard !frame.data.isEmpty else { return 0 }
        pictureID = nextPictureID
        nextPictureID = (nextPictureID &+ 1) & 0x7FFF
        isKeyFrame = frame.isKeyFrame
        layer = frame.temporalLayer
        noteReferences()
        width = UInt16(exactly: frame.width) ?? 0
        height = UInt16(exactly: frame.height) ?? 0
        offset = 0
        // Only the first packet has the structure: its bytes are divided together with the frame's.
        split = EvenSplit(
            frame.data.count + (hasStructure ? Self.structureSize : 0), limit: maximumPayloadSize - headSize)
        return split.remainingParts
    }

    /// Without layers, the reference to the previous picture implies all older ones.
    private mutating func noteReferences() {
        references = (0, 0)
        if !isKeyFrame {
            references.first = layer == nil ? 1 : distance(to: newest.base)
            if let layer, layer.index > 1, !layer.isSync {
                references = (distance(to: newest.middle), references.first)
            }
        }
        switch layer?.index ?? 0 {
        case 0: newest = (pictureID, pictureID)
        case 1: newest.middle = pictureID
        default: break
        }
    }

    /// At least 1, and at most what fits into 7 bits: encoders make no pattern that long.
    private func distance(to picture: UInt16) -> UInt8 {
        UInt8(min(max((pictureID &- picture) & 0x7FFF, 1), 127))
    }

    /// - Returns: Whether this was the frame's last payload.
    mutating func next(_ data: UnsafeRawBufferPointer, into writer: inout ByteWriter) -> Bool {
        let isFirst = offset == 0
        let writesStructure = isFirst && hasStructure
        let count = split.next() - (writesStructure ? Self.structureSize : 0)
        let isLast = split.remainingParts == 0
        var flags: UInt8 = 0x90
        if !isKeyFrame { flags |= 0x40 }
        if layer != nil { flags |= 0x20 }
        if isFirst { flags |= 0x08 }
        if isLast { flags |= 0x04 }
        if writesStructure { flags |= 0x02 }
        writer.write(flags)
        writer.write(0x8000 | pictureID)
        if let layer { writer.write(layer.index << 5 | 0x10) }
        if references.first > 0 { writer.write(references.first << 1 | (references.second > 0 ? 1 : 0)) }
        if references.second > 0 { writer.write(references.second << 1) }
        if writesStructure {
            writer.write(UInt8(0x10))
            writer.write(width)
            writer.write(height)
        }
        writer.write(UnsafeRawBufferPointer(rebasing: data[offset..<offset + count]))
        offset += count
        return isLast
    }
}
