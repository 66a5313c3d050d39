public import RTCWire

/// A video frame on its way from a source to a sink.
public struct VideoFrame: Sendable {
    public var buffer: any VideoFrameBuffer
    /// The clockwise rotation to apply before the frame is shown. Width and height of the buffer are those before
    /// rotation.
    public var rotation: VideoRotation
    /// For a frame of a local camera: the clockwise rotation of the screen from the orientation in which its interface
    /// is upright. ``rotation(isMirrored:)`` takes it into account.
    package var screenRotation = VideoRotation.none
    /// The capture time, on the clock of the engine; for a received frame, the time at which to show it.
    public var timestamp: Instant

    public init(buffer: any VideoFrameBuffer, rotation: VideoRotation = .none, timestamp: Instant) {
        self.buffer = buffer
        self.rotation = rotation
        self.timestamp = timestamp
    }

    /// Returns the rotation on the local screen, to apply before mirroring.
    ///
    /// - Parameter isMirrored: Whether the frame is shown mirrored, which reverses the rotation of the screen.
    public func rotation(isMirrored: Bool) -> VideoRotation {
        let turn = isMirrored ? screenRotation.rawValue : 4 - screenRotation.rawValue
        return VideoRotation(rawValue: (rotation.rawValue + turn) % 4) ?? .none
    }

    /// The width in pixels, before rotation.
    public var width: Int { buffer.width }
    /// The height in pixels, before rotation.
    public var height: Int { buffer.height }
}

/// The pixels of a video frame. They must not change once a frame has them, because several threads read them.
///
/// ``I420Buffer`` and ``NV12Buffer`` keep them in memory; on Apple's platforms ``CoreVideoBuffer`` wraps a
/// `CVPixelBuffer`. An app may define its own type.
public protocol VideoFrameBuffer: AnyObject, Sendable {
    /// The width in pixels, 1 to ``I420Buffer/dimensionLimit``.
    var width: Int { get }
    /// The height in pixels, 1 to ``I420Buffer/dimensionLimit``.
    var height: Int { get }

    /// Returns the frame in I420: the buffer itself if it is one, or a copy in a buffer of `pool`.
    ///
    /// - Returns: `nil` if the pixel format cannot be converted.
    func i420(from pool: I420BufferPool) -> I420Buffer?
}
