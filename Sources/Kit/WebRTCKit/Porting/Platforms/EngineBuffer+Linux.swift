#if !canImport(CoreVideo)
    internal import RTCFrames

    extension EngineBuffer {
        static func platformBuffer(_ buffer: any VideoFrameBuffer) -> (any RTCVideoFrameBuffer)? { nil }
    }
#endif
