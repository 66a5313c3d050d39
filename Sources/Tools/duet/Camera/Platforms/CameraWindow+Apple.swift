#if canImport(Darwin)
    import RTCDevices
    import RTCFrames

    /// The window of a preview: only on Linux.
    struct CameraWindow: Sendable {
        let sink: any VideoSink
        let close: @Sendable () async -> Void

        static func open(
            title: String, isMirrored: Bool, onEnd: @escaping @Sendable () -> Void
        ) async throws(DeviceError) -> CameraWindow {
            throw DeviceError(.unavailable, "a preview has a window on Linux only; an app shows it in a VideoView")
        }
    }
#endif
