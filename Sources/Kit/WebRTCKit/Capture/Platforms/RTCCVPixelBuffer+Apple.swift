#if canImport(CoreVideo)
    public import CoreVideo
    internal import RTCFrames

    /// A `CVPixelBuffer` as a picture. It is not copied, so it must not be written to any more; pools from which
    /// cameras take their buffers see to that as long as it is held.
    ///
    /// Formats: NV12 in either range, planar 4:2:0, and BGRA. What has another one is left out.
    // CoreVideo's buffers are reference counted by atomic operations, and nobody writes to this one: see above.
    public final class RTCCVPixelBuffer: RTCVideoFrameBuffer, EngineFrameBuffer, @unchecked Sendable {
        public let pixelBuffer: CVPixelBuffer

        public init(pixelBuffer: CVPixelBuffer) {
            self.pixelBuffer = pixelBuffer
        }

        /// The width in pixels.
        public var width: Int32 { Int32(clamping: CVPixelBufferGetWidth(pixelBuffer)) }
        /// The height in pixels.
        public var height: Int32 { Int32(clamping: CVPixelBufferGetHeight(pixelBuffer)) }

        public func toI420() -> RTCI420Buffer? {
            engineBuffer?.i420(from: I420BufferPool(capacity: 1)).map { RTCI420Buffer($0) }
        }

        var engineBuffer: (any VideoFrameBuffer)? { CoreVideoBuffer(pixelBuffer) }
    }
#endif
