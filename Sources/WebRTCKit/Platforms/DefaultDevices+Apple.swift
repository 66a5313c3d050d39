#if canImport(AVFoundation)
    extension DefaultDevices {
        /// Microphone and loudspeaker by an audio engine, and the camera.
        static let ofMachine = DefaultDevices(audioDevice: { EngineAudioDevice() }, camera: { CameraSource() })
    }
#endif
