import RTCWire

/// Writes VP8 payloads ([RFC 7741, section 4.2](https://www.rfc-editor.org/rfc/rfc7741#section-4.2)).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |X|R|N|S|R| PID |  X = 1; N if no frame refers to this one; S in the frame's first packet; PID = 0
///     +-+-+-+-+-+-+-+-+
///     |I|L|T|K| RSV   |  I = 1; L = T = K = 1 with temporal layers
///     +-+-+-+-+-+-+-+-+
///     |M| PictureID   |  M = 1: 15 bits
///     |   PictureID   |
///     +-+-+-+-+-+-+-+-+
///     |   TL0PICIDX   |  with temporal layers: counts the frames of the base layer
///     +-+-+-+-+-+-+-+-+
///     |TID|Y| KEYIDX  |  Y if the frame refers to the base layer only; KEYIDX counts key frames
///     +-+-+-+-+-+-+-+-+
struct VP8Packetizer: Sendable {
    private var nextPictureID: UInt16
    private var pictureID: UInt16 = 0
    private var layer: TemporalLayer?
    private var baseLayerIndex: UInt8 = 0
    private var keyFrameIndex: UInt8 = 0
    private var split = EvenSplit()
    private var offset = 0

    init(pictureID: UInt16) {
        nextPictureID = pictureID
    }

    mutating func begin(_ frame: EncodedVideoFrame, maximumPayloadSize: Int) -> Int {
        guard !frame.data.isEmpty else { return 0 }
        pictureID = nextPictureID
        nextPictureID = (nextPictureID &+ 1) & 0x7FFF
        layer = frame.temporalLayer
        if layer?.index == 0 { baseLayerIndex &+= 1 }
        if frame.isKeyFrame { keyFrameIndex = (keyFrameIndex &+ 1) & 0x1F }
        offset = 0
        split = EvenSplit(frame.data.count, limit: maximumPayloadSize - (layer == nil ? 4 : 6))
        return split.remainingParts
    }

    /// - Returns: Whether this was the frame's last payload.
    mutating func next(_ data: UnsafeRawBufferPointer, into writer: inout ByteWriter) -> Bool {
        let count = split.next()
        writer.write(0x80 | (layer?.isDiscardable ?? false ? 0x20 : 0) | UInt8(offset == 0 ? 0x10 : 0))
        writer.write(UInt8(layer == nil ? 0x80 : 0xF0))
        writer.write(0x8000 | pictureID)
        if let layer {
            writer.write(baseLayerIndex)
            writer.write(layer.index << 6 | (layer.isSync ? 0x20 : 0) | keyFrameIndex)
        }
        writer.write(UnsafeRawBufferPointer(rebasing: data[offset..<offset + count]))
        offset += count
        return split.remainingParts == 0
    }
}
