import RTC
import RTCFrames
import Synchronization

/// Scales the frames of another source down to fit a size.
final class ScalingSource: VideoSource {
    private let source: any VideoSource
    private let limit: PictureSize

    init(_ source: any VideoSource, limit: PictureSize) {
        self.source = source
        self.limit = limit
    }

    func start(delivering sink: any VideoSink) { source.start(delivering: Scaler(to: sink, limit: limit)) }

    func stop() { source.stop() }

    private final class Scaler: VideoSink {
        private struct Memory: @unchecked Sendable { let pool = I420BufferPool(capacity: 12) }

        private let sink: any VideoSink
        private let limit: PictureSize
        private let memory = Mutex(Memory())

        init(to sink: any VideoSink, limit: PictureSize) {
            self.sink = sink
            self.limit = limit
        }

        func deliver(_ frame: VideoFrame) {
            let size = limit.fitting(PictureSize(width: frame.width, height: frame.height))
            guard size.width < frame.width else { return sink.deliver(frame) }
            let small = memory.withLock { memory in
                frame.buffer.i420(from: memory.pool)?.scaled(width: size.width, height: size.height, pool: memory.pool)
            }
            guard let small else { return }
            sink.deliver(VideoFrame(buffer: small, rotation: frame.rotation, timestamp: frame.timestamp))
        }
    }
}

/// `--size`: width and height in pixels.
package struct PictureSize: Sendable, Hashable, Codable {
    package var width: Int
    package var height: Int

    /// Parses `640x360`; `nil` for text that is no size from 64x48 to 4096x2304.
    init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (64...4_096).contains(width),
            (48...2_304).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    package static func parse(_ text: String) throws(Refusal) -> PictureSize {
        guard let size = PictureSize(text) else {
            throw Refusal("“\(text)” is no size: write WIDTHxHEIGHT, from 64x48 to 4096x2304")
        }
        return size
    }

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The largest size with the aspect ratio of `picture` that fits into this one, not larger than `picture`, with even numbers.
    func fitting(_ picture: PictureSize) -> PictureSize {
        guard picture.width > width || picture.height > height else { return picture }
        let isWide = picture.width * height > picture.height * width
        let fitted =
            isWide
            ? PictureSize(width: width, height: picture.height * width / picture.width)
            : PictureSize(width: picture.width * height / picture.height, height: height)
        return PictureSize(width: max(16, fitted.width & ~1), height: max(16, fitted.height & ~1))
    }
}
