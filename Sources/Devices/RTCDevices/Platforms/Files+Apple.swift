#if canImport(Darwin)
    public import RTCFrames
    public import RTCWire

    extension DeviceError {
        fileprivate static func linuxOnly(_ what: String) -> DeviceError {
            DeviceError(.unavailable, "\(what) on Linux only; on Apple's platforms, an app has AVFoundation for it")
        }
    }

    /// A file as camera and microphone: on Linux only so far.
    public final class MediaFileSource: Sendable {
        public let video: (any VideoSource)? = nil
        public let audio: (any AudioSource)? = nil
        public let size: (width: Int, height: Int)? = nil
        public let framesPerSecond: Double? = nil
        public let duration: TimeDelta? = nil

        /// - Throws: ``DeviceError`` `unavailable`, always.
        public init(
            path: String, loops: Bool = false, onEnd: (@Sendable (DeviceError?) -> Void)? = nil
        ) throws(DeviceError) {
            throw .linuxOnly("films are played")
        }
    }

    /// Plays sound: on Linux only so far.
    public final class SpeakerOutput: AudioSink {
        /// - Throws: ``DeviceError`` `unavailable`, always.
        public init(device: String? = nil) throws(DeviceError) { throw .linuxOnly("sound is played") }

        public var name: String { "" }
        public var isAudible: Bool { false }
        public var dropped: Int { 0 }
        public func deliver(_ frame: AudioFrame) {}
        public func stop() {}
    }
#endif
