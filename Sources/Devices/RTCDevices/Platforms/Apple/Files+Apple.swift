#if canImport(Darwin)
    public import RTCFrames
    public import RTCWire

    extension DeviceError {
        fileprivate static func linuxOnly(_ what: String) -> DeviceError {
            DeviceError(.unavailable, "\(what) on Linux only; on Apple's platforms, an app has AVFoundation for it")
        }
    }

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
            throw .linuxOnly("films are played")
        }
    }

    /// Plays audio. Available on Linux only.
    public final class SpeakerOutput: AudioSink {
        /// Always throws.
        ///
        /// - Throws: ``DeviceError`` `unavailable`.
        public init(device: String? = nil) throws(DeviceError) { throw .linuxOnly("sound is played") }

        public var name: String { "" }
        public var isAudible: Bool { false }
        public var dropped: Int { 0 }
        public func deliver(_ frame: AudioFrame) {}
        public func stop() {}
    }
#endif
