internal import RTCFrames

/// The pixels of one picture. They must not change any more once a frame has them: several threads read them.
///
/// ``RTCI420Buffer`` holds them in memory, and on Apple's platforms `RTCCVPixelBuffer` wraps a `CVPixelBuffer`. An app
/// may bring its own kind.
public protocol RTCVideoFrameBuffer: AnyObject, Sendable {
    /// In pixels, 1 to 16,384.
    var width: Int32 { get }
    /// In pixels, 1 to 16,384.
    var height: Int32 { get }

    /// The same picture as I420, on any thread.
    ///
    /// - Returns: `nil` when the pixels have a form that cannot be converted.
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
