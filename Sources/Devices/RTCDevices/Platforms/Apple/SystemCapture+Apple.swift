#if canImport(AVFoundation)
    import RTCFrames

    /// Opens cameras in capture sessions, and microphones in the process's audio engine.
    struct SystemCapture: CaptureBackend {
        /// If two sessions use a camera, the system interrupts one.
        var canOpenWhileClosing: Bool { false }

        func openCamera(
            _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) async throws(DeviceError) -> any CameraCapture {
            #if os(visionOS)
                throw DeviceError(.unavailable, "visionOS has no camera for apps: give the call a capturer of your own")
            #else
                try Self.requirePermission(for: .video)
                let camera = SessionCamera(device: device, onEvent: onEvent)
                let result = await camera.open(format)
                try result.get()
                return camera
            #endif
        }

        func openMicrophone(
            _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) async throws(DeviceError) -> any MicrophoneCapture {
            try Self.requirePermission(for: .audio)
            let microphone = EngineMicrophone(
                device: device, named: EngineSession.inputName(of: device), processing: processing,
                engine: .ofProcess, onEvent: onEvent)
            let result = await microphone.open()
            try result.get()
            return microphone
        }

        /// Without permission, frames would be black and audio silent.
        static func requirePermission(for subject: MediaAuthorization.Subject) throws(DeviceError) {
            let backend = FrameworkAuthorization(framework: SystemPermissions())
            switch backend.status(for: subject) {
            case .authorized: return
            case .notDetermined:
                throw DeviceError(
                    .denied, "nobody has been asked whether the app may use \(subject.name): request it first")
            case .denied: throw backend.refusal(.denied, of: subject)
            case .restricted: throw backend.refusal(.restricted, of: subject)
            }
        }
    }
#endif
