#if canImport(Darwin)
    public import RTCFrames

    /// Plays audio. Available on Linux only.
    public final class SpeakerOutput: AudioSink {
        /// Always throws.
        ///
        /// - Throws: ``DeviceError`` `unavailable`.
        public init(device: String? = nil) throws(DeviceError) {
            throw DeviceError(
                .unavailable, "sound is played on Linux only; on Apple's platforms, an app has AVFoundation for it")
        }

        package var name: String { "" }
        public var isAudible: Bool { false }
        package var dropped: Int { 0 }
        public func deliver(_ frame: AudioFrame) {}
        public func stop() {}
    }
#endif
