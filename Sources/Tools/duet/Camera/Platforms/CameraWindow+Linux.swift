#if os(Linux)
    import RTCDevices
    import RTCFrames
    import RTCViews

    /// The window of a preview, with GTK.
    struct CameraWindow: Sendable {
        let sink: any VideoSink
        let close: @Sendable () async -> Void

        /// - Parameters:
        ///   - isMirrored: As in a mirror at first; the person has a button for it.
        ///   - onEnd: Called when the person closes it.
        @MainActor
        static func open(
            title: String, isMirrored: Bool, onEnd: @escaping @Sendable () -> Void
        ) throws(DeviceError) -> CameraWindow {
            let window: VideoCallWindow
            do {
                window = try VideoCallWindow(title: title)
            } catch {
                throw DeviceError(.unavailable, error.message)
            }
            (window.hasMicrophone, window.hasCamera) = (false, false)
            (window.isPreview, window.isMirrored) = (true, isMirrored)
            let events = window.events
            Task {
                for await event in events where event == .hangUp { onEnd() }
            }
            return CameraWindow(sink: window.remoteView) { await MainActor.run { window.close() } }
        }
    }
#endif
