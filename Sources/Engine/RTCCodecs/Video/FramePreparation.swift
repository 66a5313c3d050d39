import RTCFrames
import RTCMedia
import RTCWire

/// Prepares a frame for any video encoder: converts it to I420 and scales it.
struct FramePreparation {
    /// The limit on macroblocks, of 16 by 16 pixels, per frame; larger frames are scaled down.
    var maxMacroblocks = Int.max
    private let pool = I420BufferPool(capacity: 4)

    /// - Returns: The frame, and the size to encode: if it is smaller than the frame by one column or row, the codec
    ///   must ignore those.
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

/// The timestamps for a codec's rate control: evenly spaced at the actual frame rate, so that jitter in capture times
/// does not make the bitrate fluctuate.
struct EncodingClock {
    /// The time since the beginning in 90 kHz ticks, strictly increasing.
    private(set) var time: Int64 = 0
    /// The frame interval in 90 kHz ticks.
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
