import RTCWire

/// Writes VP9 payloads of one layer, in flexible mode
/// ([RFC 9628, section 4.2](https://www.rfc-editor.org/rfc/rfc9628#section-4.2)).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |I|P|L|F|B|E|V|Z|  I = F = 1, L = Z = 0; P in all but key frames; V in a key frame's first packet
///     +-+-+-+-+-+-+-+-+
///     |M| PICTURE ID  |  M = 1: 15 bits
///     |               |
///     +-+-+-+-+-+-+-+-+
///     | P_DIFF      |N|  1, where P is set: the picture before
///     +-+-+-+-+-+-+-+-+
///     | N_S |Y|G|-|-|-|  where V is set: one layer, and its size
///     |     WIDTH     |
///     |     HEIGHT    |
///     +-+-+-+-+-+-+-+-+
///
/// Flexible mode describes a single layer in the fewest bytes; non-flexible mode requires a layer index in every
/// packet. The reference to the previous picture implies all older ones.
struct VP9Packetizer: Sendable {
    private static let structureSize = 5

    private var nextPictureID: UInt16
    private var pictureID: UInt16 = 0
    private var isKeyFrame = false
    /// Zero when the size is unknown and therefore not written.
    private var width: UInt16 = 0
    private var height: UInt16 = 0
    private var split = EvenSplit()
    private var offset = 0

    init(pictureID: UInt16) {
        nextPictureID = pictureID
    }

    private var hasStructure: Bool { isKeyFrame && width > 0 && height > 0 }

    mutating func begin(_ frame: EncodedVideoFrame, maximumPayloadSize: Int) -> Int {
        guard !frame.data.isEmpty else { return 0 }
        pictureID = nextPictureID
        nextPictureID = (nextPictureID &+ 1) & 0x7FFF
        isKeyFrame = frame.isKeyFrame
        width = UInt16(exactly: frame.width) ?? 0
        height = UInt16(exactly: frame.height) ?? 0
        offset = 0
        // Only the first packet has the structure: its bytes are divided together with the frame's.
        split = EvenSplit(
            frame.data.count + (hasStructure ? Self.structureSize : 0),
            limit: maximumPayloadSize - (isKeyFrame ? 3 : 4))
        return split.remainingParts
    }

    /// - Returns: Whether this was the frame's last payload.
    mutating func next(_ data: UnsafeRawBufferPointer, into writer: inout ByteWriter) -> Bool {
        let isFirst = offset == 0
        let writesStructure = isFirst && hasStructure
        let count = split.next() - (writesStructure ? Self.structureSize : 0)
        let isLast = split.remainingParts == 0
        var flags: UInt8 = 0x90
        if !isKeyFrame { flags |= 0x40 }
        if isFirst { flags |= 0x08 }
        if isLast { flags |= 0x04 }
        if writesStructure { flags |= 0x02 }
        writer.write(flags)
        writer.write(0x8000 | pictureID)
        if !isKeyFrame { writer.write(UInt8(1 << 1)) }
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
