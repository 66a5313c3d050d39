#if canImport(Darwin)
    public import RTCDevices
    public import RTCFrames
    public import RTCWire

    /// Plays a file as camera and microphone. Available on Linux only.
    public final class MediaFileSource: Sendable {
        public let video: (any VideoSource)? = nil
        public let audio: (any AudioSource)? = nil
        public let size: (width: Int, height: Int)? = nil
        public let framesPerSecond: Double? = nil
        public let duration: TimeDelta? = nil

        /// Always throws.
        ///
        /// - Throws: ``DeviceError`` `unavailable`.
        public init(
            path: String, loops: Bool = false, onEnd: (@Sendable (DeviceError?) -> Void)? = nil
        ) throws(DeviceError) {
            throw DeviceError(
                .unavailable, "films are played on Linux only; on Apple's platforms, an app has AVFoundation for it")
        }
    }
#endif
