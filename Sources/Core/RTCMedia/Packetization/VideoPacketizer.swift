import RTCWire

/// Splits encoded frames of one stream into RTP payloads.
///
/// A frame is begun once and then drained payload by payload, each written straight to where the packet is built:
///
///     packetizer.begin(frame, maximumPayloadSize: 1_150)
///     while let part = packetizer.next(into: memory) { /* RTP marker = part.isLast */ }
///
/// The payloads of a frame are of nearly the same size, since a small last packet costs a header and gains nothing. No
/// payload allocates; a frame's bytes are held, not copied, until its last payload is written.
@usableFromInline package struct VideoPacketizer: Sendable {
    /// Below this a descriptor leaves no sensible room for the codec's bytes.
    @usableFromInline package static let minimumPayloadSize = 32

    @usableFromInline package let format: PayloadFormat

    private var data: [UInt8] = []
    private var vp8: VP8Packetizer
    private var vp9: VP9Packetizer
    private var h264: H264Packetizer

    /// - Parameters:
    ///   - parameters: The negotiated `a=fmtp` parameters: H.264's `packetization-mode`.
    ///   - firstPictureID: The first picture ID of VP8 and VP9, of which 15 bits are used; random, as RFC 7741, section
    ///     4.2, requires.
    /// - Returns: `nil` for an audio format.
    @usableFromInline package init?(
        format: PayloadFormat, parameters: FormatParameters = FormatParameters(), firstPictureID: UInt16 = 0
    ) {
        guard format.kind == .video else { return nil }
        self.format = format
        vp8 = VP8Packetizer(pictureID: firstPictureID & 0x7FFF)
        vp9 = VP9Packetizer(pictureID: firstPictureID & 0x7FFF)
        h264 = H264Packetizer(allowsFragments: parameters.packetizationMode == 1)
    }

    /// Begins the next frame, and discards the rest of the one before.
    ///
    /// - Parameter maximumPayloadSize: Bytes that a payload may have, descriptor included; at least
    ///   ``minimumPayloadSize``.
    /// - Returns: How many payloads follow. None when the frame is empty or of another format, when the size is too
    ///   small, or when H.264 is in packetization mode 0 and a NAL unit does not fit: that mode cannot cut them
    ///   (RFC 6184, section 6.2), so its encoder has to be told the size.
    @discardableResult
    @usableFromInline package mutating func begin(_ frame: EncodedVideoFrame, maximumPayloadSize: Int) -> Int {
        data = []
        guard frame.format == format, maximumPayloadSize >= Self.minimumPayloadSize else { return 0 }
        let count =
            switch format {
            case .vp8: vp8.begin(frame, maximumPayloadSize: maximumPayloadSize)
            case .vp9: vp9.begin(frame, maximumPayloadSize: maximumPayloadSize)
            case .h264: h264.begin(frame, maximumPayloadSize: maximumPayloadSize)
            case .opus, .pcmu, .pcma: 0
            }
        if count > 0 { data = frame.data }
        return count
    }

    /// Writes the frame's next payload to the beginning of `memory`.
    ///
    /// - Parameter memory: Has room for the maximum payload size that the frame was begun with; when it has less than
    ///   the payload takes, the rest of the frame is dropped.
    /// - Returns: The bytes written and whether they are the frame's last, whose packet carries the marker; `nil` when
    ///   there is nothing left.
    @usableFromInline package mutating func next(into memory: UnsafeMutableRawBufferPointer) -> (
        count: Int, isLast: Bool
    )? {
        guard !data.isEmpty else { return nil }
        var writer = ByteWriter(memory)
        let isLast = data.withUnsafeBytes { bytes in
            switch format {
            case .vp8: vp8.next(bytes, into: &writer)
            case .vp9: vp9.next(bytes, into: &writer)
            case .h264: h264.next(bytes, into: &writer)
            case .opus, .pcmu, .pcma: true
            }
        }
        if isLast || writer.overflowed { data = [] }
        return writer.overflowed ? nil : (writer.count, isLast)
    }
}

/// Divides a number of bytes into as few parts as the limit allows, with sizes that differ by at most one byte.
struct EvenSplit: Sendable {
    private(set) var remainingParts = 0
    private var remainingBytes = 0

    init() {}

    /// - Parameters:
    ///   - count: Bytes to divide, more than 0.
    ///   - limit: The most bytes in a part, more than 0.
    init(_ count: Int, limit: Int) {
        remainingBytes = count
        remainingParts = (count + limit - 1) / limit
    }

    /// The size of the next part.
    mutating func next() -> Int {
        guard remainingParts > 0 else { return 0 }
        let size = remainingBytes / remainingParts
        remainingBytes -= size
        remainingParts -= 1
        return size
    }
}
