internal import RTCFrames

/// The pixels of a video frame. They must not change once a frame has them, because several threads read them.
///
/// ``RTCI420Buffer`` keeps them in memory; on Apple's platforms `RTCCVPixelBuffer` wraps a `CVPixelBuffer`. An app may
/// define its own type.
public protocol RTCVideoFrameBuffer: AnyObject, Sendable {
    /// The width and height in pixels, 1 to 16,384.
    var width: Int32 { get }
    /// In pixels, 1 to 16,384.
    var height: Int32 { get }

    /// Returns the pixels converted to I420. Called on any thread.
    ///
    /// - Returns: `nil` if the pixel format cannot be converted.
    func toI420() -> RTCI420Buffer?
}

/// A buffer whose pixels the engine can use as they are.
protocol EngineFrameBuffer {
    /// `nil` when they are of a size that no picture may have.
    var engineBuffer: (any VideoFrameBuffer)? { get }
}

extension RTCVideoFrameBuffer {
    /// As the engine takes it, without a copy: a buffer of an app's own kind is converted when somebody needs its
    /// pixels.
    ///
    /// - Returns: `nil` when it has a size that no picture may have.
    func engineFrameBuffer() -> (any VideoFrameBuffer)? {
        if let known = self as? any EngineFrameBuffer { return known.engineBuffer }
        return ConvertedFrameBuffer(self)
    }
}

/// A buffer of an app's own kind, which is converted once, when its pixels are needed.
final class ConvertedFrameBuffer: VideoFrameBuffer, @unchecked Sendable {
    let width: Int
    let height: Int
    private let source: any RTCVideoFrameBuffer
    // `result` is touched with the lock alone; the rest does not change. The lock is not held while the app's code
    // runs.
    private let lock = Lock()
    private var result: I420Buffer??

    /// - Returns: `nil` when it has a size that no picture may have.
    init?(_ source: any RTCVideoFrameBuffer) {
        width = Int(source.width)
        height = Int(source.height)
        guard I420Buffer.isValid(width: width, height: height) else { return nil }
        self.source = source
    }

    func i420(from pool: I420BufferPool) -> I420Buffer? {
        if let known = lock.withLock({ result }) { return known }
        let picture = source.toI420()?.picture
        // What says one thing and gives another is not to be relied on.
        let converted = picture.flatMap { $0.width == width && $0.height == height ? $0 : nil }
        return lock.withLock {
            if let known = result { return known }
            result = .some(converted)
            return converted
        }
    }
}
