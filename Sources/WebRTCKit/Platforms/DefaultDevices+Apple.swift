#if canImport(AVFoundation)
    internal import RTCDevices

    extension DefaultDevices {
        /// Microphone and loudspeaker by an audio engine, and the cameras.
        static let ofMachine = DefaultDevices(
            audioDevice: { EngineAudioDevice() },
            camera: {
                // The system remembers what a person chose.
                DeviceCamera(system: .ofMachine, authorization: .system, store: nil)
            })
    }
#endif
