internal import RTC
internal import RTCDevices

/// A source of video.
enum VideoInput: Sendable {
    case source(any VideoSource)
    case capturer(CapturerInput)

    fileprivate func isSame(as other: VideoInput) -> Bool {
        switch (self, other) {
        case (.source(let first), .source(let second)): first === second
        case (.capturer(let first), .capturer(let second)): first.isOfSameCapturer(as: second)
        default: false
        }
    }

    /// The counts of a capturer's frames.
    var frameCounts: CapturedVideoSource.Counts? {
        switch self {
        case .source: nil
        case .capturer(let input): input.source.counts
        }
    }

    fileprivate func makeTrack() -> VideoTrack {
        switch self {
        case .source(let source): VideoTrack(source: source)
        case .capturer(let input): VideoTrack(source: input.source)
        }
    }
}

// Recording. It continues from call to call until it is stopped.
extension CallManager {
    // MARK: Audio

    /// - Parameter source: `nil` for the microphone: the one that the app passed, or the machine's.
    func startAudio(_ source: (any AudioSource)?) async throws(CallManagerError) {
        guard let source = source ?? options.sources.microphone ?? audioDevice?.source else {
            let change = audioChange
            let microphone = try await machineDevices(.microphone).microphone
            guard audioChange == change else { return }
            return try await startAudio(microphone)
        }
        if let audioSource, audioSource === source, localAudio != nil { return }
        if let audioDevice, audioDevice === source {
            let change = audioChange
            try await defaultAudioDevice?.requestAccess()
            try await audioDevice.prepareRecording()
            // A later request has priority.
            guard audioChange == change else { return }
        }
        if let devices, devices.microphone === source {
            let change = audioChange
            try await devices.request(.microphone)
            guard audioChange == change else { return }
            if speaker == nil, audioDevice == nil, let own = devices.speaker { listen(to: own) }
        }
        audioChange += 1
        let (old, oldSource) = (localAudio, audioSource)
        let new = WRKRTCAudioTrack(AudioTrack(source: source), isLocal: true)
        if let old { new.isEnabled = old.isEnabled }
        localAudio = new
        audioSource = source
        dispatcher.send(.localAudio(new, isPresent: true))
        do throws(CallManagerError) {
            try await send(new.track, .audio)
        } catch {
            end(new)
            if localAudio == new, let old, !old.track.isEnded {
                // The new track is muted if the previous one was.
                old.isEnabled = new.isEnabled
                (localAudio, audioSource) = (old, oldSource)
                dispatcher.send(.localAudio(old, isPresent: true))
            } else {
                if localAudio == new { (localAudio, audioSource) = (nil, nil) }
                if let old { end(old) }
            }
            throw error
        }
        if let old { end(old) }
    }

    /// Passes the state of the audio session, which its owner reports, to all devices that use it.
    nonisolated func setMayUseAudio(_ mayUse: Bool) {
        defaultAudioDevice?.setMayRun(mayUse)
        defaultDevices.setMayUseAudio(mayUse)
    }

    func stopAudio() async throws(CallManagerError) {
        audioChange += 1
        guard let old = localAudio else { return }
        localAudio = nil
        audioSource = nil
        end(old)
        try await send(nil, .audio)
    }

    private func end(_ track: WRKRTCAudioTrack) {
        track.track.stop()
        dispatcher.send(.localAudio(track, isPresent: false))
    }

    // MARK: Video

    /// - Parameter input: `nil` for the camera: the one that the app passed, or the machine's.
    func startVideo(_ input: VideoInput?) async throws(CallManagerError) {
        guard let input = input ?? options.sources.camera.map({ .source($0) }) else {
            let change = videoChange
            let camera = try await machineDevices(.camera).sentCamera
            guard videoChange == change else { return }
            return try await startVideo(.source(camera))
        }
        if let videoInput, videoInput.isSame(as: input), localVideo != nil { return }
        if let devices, case .source(let source) = input, source === devices.sentCamera {
            let change = videoChange
            try await devices.request(.camera)
            // A later request has priority, and so has a stop.
            guard videoChange == change else { return }
        }
        videoChange += 1
        let (old, oldInput) = (localVideo, videoInput)
        let new = WRKRTCVideoTrack(input.makeTrack(), isLocal: true, camera: camera(of: input))
        if let old { new.isEnabled = old.isEnabled }
        localVideo = new
        videoInput = input
        dispatcher.send(.localVideo(new, isPresent: true))
        do throws(CallManagerError) {
            try await send(new.track, .video)
        } catch {
            end(new)
            if localVideo == new, let old, !old.track.isEnded {
                // The new track is muted if the previous one was.
                old.isEnabled = new.isEnabled
                (localVideo, videoInput) = (old, oldInput)
                dispatcher.send(.localVideo(old, isPresent: true))
            } else {
                if localVideo == new { (localVideo, videoInput) = (nil, nil) }
                if let old { end(old) }
            }
            throw error
        }
        if let old { end(old) }
    }

    private func camera(of input: VideoInput) -> CameraFeed? {
        guard let devices, case .source(let source) = input, source === devices.sentCamera else { return nil }
        return devices.camera
    }

    func stopVideo() async throws(CallManagerError) {
        videoChange += 1
        guard let old = localVideo else { return }
        localVideo = nil
        videoInput = nil
        end(old)
        try await send(nil, .video)
    }

    private func end(_ track: WRKRTCVideoTrack) {
        track.track.stop()
        dispatcher.send(.localVideo(track, isPresent: false))
    }

    /// The machine's devices, if the app passes none. They are created when first needed, which may take a moment; a call
    /// continues meanwhile.
    private func machineDevices(_ media: MediaDevice.Media) async throws(CallManagerError) -> MediaDevices {
        if let devices { return devices }
        let making = makingDevices ?? Task { [defaultDevices] in await defaultDevices.make() }
        makingDevices = making
        let result = await making.value
        makingDevices = nil
        if let devices { return devices }
        let made: MediaDevices?
        do throws(DeviceError) { made = try result.get() } catch {
            throw .deviceUnavailable(
                DeviceError(error.code, "\(error.message). Without the machine's devices, \(Self.remedy(media))"))
        }
        guard let made else {
            let remedy = "set Options.devices (the machine's), or \(Self.remedy(media))"
            throw .deviceUnavailable(DeviceError(.notFound, "no \(media.rawValue) was passed: \(remedy)"))
        }
        devices = made
        watchingDevices = made.follow(dispatcher)
        return made
    }

    private static func remedy(_ media: MediaDevice.Media) -> String {
        media == .camera
            ? "set Options.sources.camera, or pass a videoCapturer or a source"
            : "set Options.sources.microphone, or pass an audioDevice"
    }

    /// Sends a track in the current call, if there is one.
    private func send(_ track: (any MediaTrack)?, _ kind: MediaKind) async throws(CallManagerError) {
        guard let call = connection else { return }
        do throws(RTCError) {
            try await call.send(track, kind)
        } catch {
            // The call may have ended meanwhile; recording continues without it.
            if connection === call { throw .webRTCFailed(error.message) }
        }
    }
}
