#if canImport(AVFoundation)
    internal import RTCDevices

    extension DefaultDevices {
        /// Microphone and loudspeaker by the process's audio engine, and the cameras. The system remembers which a person chose.
        static let ofMachine = DefaultDevices(
            audioDevice: { EngineAudioDevice(.ofProcess, permission: .system) },
            setMayUseSound: { DuplexEngine.ofProcess.setMayRun($0) },
            media: { () throws(DeviceError) in try MediaDevices() })
    }
#endif
