#if canImport(AVFoundation)
    internal import RTCDevices

    extension DefaultDevices {
        /// Microphone and loudspeaker of the process's audio engine, and the cameras. The system remembers the user's choice.
        static let ofMachine = DefaultDevices(
            audioDevice: { EngineAudioDevice(.ofProcess, permission: .system) },
            setMayUseAudio: { DuplexEngine.ofProcess.setMayRun($0) },
            media: { () throws(DeviceError) in try MediaDevices() })
    }
#endif
