/// One picture of an ``RTCVideoCapturer``.
public final class RTCVideoFrame: Sendable {
    public let buffer: any RTCVideoFrameBuffer
    /// How it is to be turned before it is shown.
    public let rotation: RTCVideoRotation
    /// When it was captured, in nanoseconds on any clock that goes evenly.
    ///
    /// With the clock of the machine (`CACurrentMediaTime` on Apple's platforms, `CLOCK_MONOTONIC` on Linux) picture
    /// and sound are together at the other end as they were here. With another clock, the picture counts as captured
    /// when it came, its pace smoothed by this.
    public let timeStampNs: Int64

    public init(buffer: any RTCVideoFrameBuffer, rotation: RTCVideoRotation, timeStampNs: Int64) {
        self.buffer = buffer
        self.rotation = rotation
        self.timeStampNs = timeStampNs
    }

    /// In pixels, before turning.
    public var width: Int32 { buffer.width }
    /// In pixels, before turning.
    public var height: Int32 { buffer.height }

    /// The same picture with its pixels in memory, as I420.
    ///
    /// - Returns: `nil` when they have a form that cannot be converted.
    public func newI420() -> RTCVideoFrame? {
        buffer.toI420().map { RTCVideoFrame(buffer: $0, rotation: rotation, timeStampNs: timeStampNs) }
    }
}

/// By how many degrees a picture is to be turned clockwise before it is shown.
public enum RTCVideoRotation: Int, Sendable, Hashable, CaseIterable {
    case _0 = 0
    case _90 = 90
    case _180 = 180
    case _270 = 270
}
