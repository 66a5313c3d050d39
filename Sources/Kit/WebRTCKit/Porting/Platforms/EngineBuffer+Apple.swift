#if canImport(CoreVideo)
    internal import RTCFrames

    extension EngineBuffer {
        static func platformBuffer(_ buffer: any VideoFrameBuffer) -> (any RTCVideoFrameBuffer)? {
            (buffer as? CoreVideoBuffer).map { RTCCVPixelBuffer(pixelBuffer: $0.pixelBuffer) }
        }
    }
#endif
