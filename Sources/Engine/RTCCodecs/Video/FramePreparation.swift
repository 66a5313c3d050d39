import RTCFrames
import RTCMedia
import RTCWire

/// What every video encoder does with a picture before the codec sees it: converts it to I420 and scales it.
struct FramePreparation {
    /// The most macroblocks, of 16 by 16 pixels, that a picture may have; what is larger is made smaller.
    var maxMacroblocks = Int.max
    private let pool = I420BufferPool(capacity: 4)

    /// - Returns: The picture, and the size to encode: where it is smaller than the picture, by one column or row, the
    ///   codec is to be shown the picture without them.
    func prepare(
        _ frame: VideoFrame, settings: VideoEncoderSettings
    ) throws(CodecError) -> (picture: I420Buffer, width: Int, height: Int) {
        guard let source = frame.buffer.i420(from: pool) else {
            throw CodecError(
                .invalidInput, "the picture's pixels have a form that cannot be converted: use I420, NV12 or 32BGRA")
        }
        let size = encodedSize(width: source.width, height: source.height, settings: settings)
        if source.width - size.width <= 1, source.height - size.height <= 1, source.width >= 2, source.height >= 2 {
            return (source, size.width, size.height)
        }
        return (source.scaled(width: size.width, height: size.height, pool: pool), size.width, size.height)
    }

    func encodedSize(width: Int, height: Int, settings: VideoEncoderSettings) -> (width: Int, height: Int) {
        var size = settings.encodedSize(width: width, height: height)
        while macroblocks(size) > maxMacroblocks, size.width > 16 || size.height > 16 {
            let ratio = (Double(maxMacroblocks) / Double(macroblocks(size))).squareRoot()
            let smaller = (width: Int(Double(size.width) * ratio) & ~1, height: Int(Double(size.height) * ratio) & ~1)
            size = (max(2, min(smaller.width, size.width - 2)), max(2, min(smaller.height, size.height - 2)))
        }
        return size
    }

    private func macroblocks(_ size: (width: Int, height: Int)) -> Int {
        ((size.width + 15) / 16) * ((size.height + 15) / 16)
    }
}

/// The time that a codec's rate control sees: evenly paced, at the rate at which pictures really come, so that a capture
/// time which trembles does not make the bitrate tremble.
struct EncodingClock {
    /// Since the beginning, in ticks of 90 kHz; every picture's is later than the one's before.
    private(set) var time: Int64 = 0
    /// From one picture to the next, in ticks of 90 kHz.
    private(set) var interval: Double
    private var last: RTPTimestamp?

    init(maxFramerate: Double) {
        interval = 90_000 / maxFramerate
    }

    mutating func advance(to timestamp: RTPTimestamp, maxFramerate: Double) {
        if let last {
            let shortest = 90_000 / maxFramerate
            let measured = min(max(Double(last.distance(to: timestamp)), shortest), 90_000)
            interval += (measured - interval) / 8
            time += max(1, Int64(interval))
        }
        last = timestamp
    }

    var framesPerSecond: Double { 90_000 / interval }
}
