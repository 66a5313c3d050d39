#if canImport(AVFoundation)
    internal import RTCDevices

    extension DefaultDevices {
        /// Microphone and loudspeaker by an audio engine, and the cameras. The system remembers which a person chose.
        static let ofMachine = DefaultDevices(
            audioDevice: { EngineAudioDevice() },
            media: { () throws(DeviceError) in try MediaDevices() })
    }
#endif
