public import RTCWire

/// One picture on its way from a source to a sink.
public struct VideoFrame: Sendable {
    public var buffer: any VideoFrameBuffer
    /// How it is to be turned before it is shown. The buffer's width and height are those before turning.
    public var rotation: VideoRotation
    /// Of a picture of a camera of this machine: how far the screen is turned clockwise from where its interface is upright, as that
    /// of a machine that is held otherwise than the interface lies. ``rotation(isMirrored:)`` takes it into account.
    public var screenRotation = VideoRotation.none
    /// When it was captured, on the clock of the engine that it is given to; of a received picture, when it is to be
    /// shown.
    public var timestamp: Instant

    public init(buffer: any VideoFrameBuffer, rotation: VideoRotation = .none, timestamp: Instant) {
        self.buffer = buffer
        self.rotation = rotation
        self.timestamp = timestamp
    }

    /// How it is to be turned on this machine's screen, before it is mirrored.
    ///
    /// - Parameter isMirrored: Whether it is shown as in a mirror, which turns the other way.
    public func rotation(isMirrored: Bool) -> VideoRotation {
        let turn = isMirrored ? screenRotation.rawValue : 4 - screenRotation.rawValue
        return VideoRotation(rawValue: (rotation.rawValue + turn) % 4) ?? .none
    }

    /// In pixels, before rotation.
    public var width: Int { buffer.width }
    /// In pixels, before rotation.
    public var height: Int { buffer.height }
}

/// The pixels of one picture. They do not change once a frame has them, so that any number of threads may read them.
///
/// ``I420Buffer`` and ``NV12Buffer`` hold them in memory; on Apple's platforms ``CoreVideoBuffer`` wraps a
/// `CVPixelBuffer`. An app may bring its own.
public protocol VideoFrameBuffer: AnyObject, Sendable {
    /// In pixels, 1 to ``I420Buffer/dimensionLimit``.
    var width: Int { get }
    /// In pixels, 1 to ``I420Buffer/dimensionLimit``.
    var height: Int { get }

    /// The picture as I420: the buffer itself, if it is one, or else a copy in a buffer of `pool`.
    ///
    /// - Returns: `nil` when the pixels have a form that cannot be converted.
    func i420(from pool: I420BufferPool) -> I420Buffer?
}
