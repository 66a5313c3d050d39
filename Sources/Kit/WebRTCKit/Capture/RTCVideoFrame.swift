/// A frame of an ``RTCVideoCapturer``.
public final class RTCVideoFrame: Sendable {
    public let buffer: any RTCVideoFrameBuffer
    /// The clockwise rotation to apply before the frame is shown.
    public let rotation: RTCVideoRotation
    /// The capture time in nanoseconds, on any monotonic clock.
    ///
    /// With the machine's clock (`CACurrentMediaTime` on Apple's platforms, `CLOCK_MONOTONIC` on Linux), audio and
    /// video are synchronised at the peer. With another clock, a frame counts as captured when it is delivered, and
    /// this timestamp only smooths the intervals.
    public let timeStampNs: Int64

    public init(buffer: any RTCVideoFrameBuffer, rotation: RTCVideoRotation, timeStampNs: Int64) {
        self.buffer = buffer
        self.rotation = rotation
        self.timeStampNs = timeStampNs
    }

    /// The width in pixels, before rotation.
    public var width: Int32 { buffer.width }
    /// The height in pixels, before rotation.
    public var height: Int32 { buffer.height }

    /// Returns the frame with its pixels converted to I420.
    ///
    /// - Returns: `nil` if the pixel format cannot be converted.
    public func newI420() -> RTCVideoFrame? {
        buffer.toI420().map { RTCVideoFrame(buffer: $0, rotation: rotation, timeStampNs: timeStampNs) }
    }
}

/// The clockwise rotation of a frame, in degrees, to apply before it is shown.
public enum RTCVideoRotation: Int, Sendable, Hashable, CaseIterable {
    case _0 = 0
    case _90 = 90
    case _180 = 180
    case _270 = 270
}
