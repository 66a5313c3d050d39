internal import RTCFrames

/// The pixels of a video frame. They must not change once a frame has them, because several threads read them.
///
/// ``RTCI420Buffer`` keeps them in memory; on Apple's platforms `RTCCVPixelBuffer` wraps a `CVPixelBuffer`. An app may
/// define its own type.
public protocol RTCVideoFrameBuffer: AnyObject, Sendable {
    /// The width in pixels, 1 to 16,384.
    var width: Int32 { get }
    /// The height in pixels, 1 to 16,384.
    var height: Int32 { get }

    /// Returns the pixels converted to I420. Called on any thread.
    ///
    /// - Returns: `nil` if the pixel format cannot be converted.
    func toI420() -> RTCI420Buffer?
}

/// A buffer whose pixels the engine can use without conversion.
protocol EngineFrameBuffer {
    /// The engine's buffer; `nil` if the size is invalid.
    var engineBuffer: (any VideoFrameBuffer)? { get }
}

extension RTCVideoFrameBuffer {
    /// The buffer for the engine, without a copy: a custom buffer is converted when its pixels are needed.
    ///
    /// - Returns: `nil` if the size is invalid.
    func engineFrameBuffer() -> (any VideoFrameBuffer)? {
        if let known = self as? any EngineFrameBuffer { return known.engineBuffer }
        return ConvertedFrameBuffer(self)
    }
}

/// A custom buffer, which is converted once, when its pixels are needed.
final class ConvertedFrameBuffer: VideoFrameBuffer, @unchecked Sendable {
    let width: Int
    let height: Int
    private let source: any RTCVideoFrameBuffer
    // `result` is accessed only under the lock; nothing else changes. The lock is not held while the app's code runs.
    private let lock = Lock()
    private var result: I420Buffer??

    /// - Returns: `nil` if the size is invalid.
    init?(_ source: any RTCVideoFrameBuffer) {
        width = Int(source.width)
        height = Int(source.height)
        guard I420Buffer.isValid(width: width, height: height) else { return nil }
        self.source = source
    }

    func i420(from pool: I420BufferPool) -> I420Buffer? {
        if let known = lock.withLock({ result }) { return known }
        let picture = source.toI420()?.picture
        // A buffer with another size than it announced is not used.
        let converted = picture.flatMap { $0.width == width && $0.height == height ? $0 : nil }
        return lock.withLock {
            if let known = result { return known }
            result = .some(converted)
            return converted
        }
    }
}
