import RTCWire

/// Writes VP8 payloads ([RFC 7741, section 4.2](https://www.rfc-editor.org/rfc/rfc7741#section-4.2)).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |X|R|N|S|R| PID |  X = 1; S in the frame's first packet; PID = 0: partitions are not told apart
///     +-+-+-+-+-+-+-+-+
///     |I|L|T|K| RSV   |  I = 1
///     +-+-+-+-+-+-+-+-+
///     |M| PictureID   |  M = 1: 15 bits
///     |   PictureID   |
///     +-+-+-+-+-+-+-+-+
struct VP8Packetizer: Sendable {
    private static let descriptorSize = 4

    private var nextPictureID: UInt16
    private var pictureID: UInt16 = 0
    private var split = EvenSplit()
    private var offset = 0

    init(pictureID: UInt16) {
        nextPictureID = pictureID
    }

    mutating func begin(_ frame: EncodedVideoFrame, maximumPayloadSize: Int) -> Int {
        guard !frame.data.isEmpty else { return 0 }
        pictureID = nextPictureID
        nextPictureID = (nextPictureID &+ 1) & 0x7FFF
        offset = 0
        split = EvenSplit(frame.data.count, limit: maximumPayloadSize - Self.descriptorSize)
        return split.remainingParts
    }

    /// - Returns: Whether this was the frame's last payload.
    mutating func next(_ data: UnsafeRawBufferPointer, into writer: inout ByteWriter) -> Bool {
        let count = split.next()
        writer.write(UInt8(offset == 0 ? 0x90 : 0x80))
        writer.write(UInt8(0x80))
        writer.write(0x8000 | pictureID)
        writer.write(UnsafeRawBufferPointer(rebasing: data[offset..<offset + count]))
        offset += count
        return split.remainingParts == 0
    }
}
