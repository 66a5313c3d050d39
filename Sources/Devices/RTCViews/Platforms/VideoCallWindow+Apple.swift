#if canImport(AVFoundation)
    /// A call window for command-line programs. Available on Linux only; an app shows ``VideoPicture`` in its own
    /// window.
    @MainActor
    public final class VideoCallWindow {
        public nonisolated let remoteView: VideoView
        public nonisolated let localView: VideoView
        public nonisolated let events: AsyncStream<VideoCallWindowEvent>
        public var title: String
        public var status = ""
        public var placeholder = ""
        public var code = ""
        public var isMicrophoneOn = true
        public var isCameraOn = true
        public var hasMicrophone = true
        public var hasCamera = true
        public var isMirrored = true
        public var canMirror = true
        public var isPreview = false
        public var showsSwitchButton = false
        public var choices: [VideoCallWindowEvent.Device: DeviceChoices] = [:]

        /// Always throws.
        ///
        /// - Throws: ``ViewError`` `unavailable`.
        public init(title: String, size: (width: Int, height: Int) = (960, 580)) throws(ViewError) {
            self.title = title
            remoteView = try VideoView()
            localView = try VideoView()
            events = AsyncStream { $0.finish() }
            throw ViewError(
                .unavailable, "a program of the command line opens windows on Linux only; an app shows VideoPicture")
        }

        public func close() {}
    }
#endif
