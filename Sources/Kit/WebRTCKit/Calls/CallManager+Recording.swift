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
            let change = audioRecording.changes
            let microphone = try await machineDevices(.microphone).microphone
            guard audioRecording.changes == change else { return }
            return try await startAudio(microphone)
        }
        if let recorded = audioRecording.input, recorded === source { return }
        if let audioDevice, audioDevice === source {
            let change = audioRecording.changes
            try await defaultAudioDevice?.requestAccess()
            try await audioDevice.prepareRecording()
            // A later request has priority.
            guard audioRecording.changes == change else { return }
        }
        if let devices, devices.microphone === source {
            let change = audioRecording.changes
            try await devices.request(.microphone)
            guard audioRecording.changes == change else { return }
            if speaker == nil, audioDevice == nil, let own = devices.speaker { listen(to: own) }
        }
        try await replace(audioRecording, by: WRKRTCAudioTrack(AudioTrack(source: source), isLocal: true), from: source)
    }

    /// Passes the state of the audio session, which its owner reports, to all devices that use it.
    nonisolated func setMayUseAudio(_ mayUse: Bool) {
        defaultAudioDevice?.setMayRun(mayUse)
        defaultDevices.setMayUseAudio(mayUse)
    }

    func stopAudio() async throws(CallManagerError) { try await stop(audioRecording) }

    // MARK: Video

    /// - Parameter input: `nil` for the camera: the one that the app passed, or the machine's.
    func startVideo(_ input: VideoInput?) async throws(CallManagerError) {
        guard let input = input ?? options.sources.camera.map({ .source($0) }) else {
            let change = videoRecording.changes
            let camera = try await machineDevices(.camera).sentCamera
            guard videoRecording.changes == change else { return }
            return try await startVideo(.source(camera))
        }
        if let recorded = videoRecording.input, recorded.isSame(as: input) { return }
        if let devices, case .source(let source) = input, source === devices.sentCamera {
            let change = videoRecording.changes
            try await devices.request(.camera)
            // A later request has priority, and so has a stop.
            guard videoRecording.changes == change else { return }
        }
        let new = WRKRTCVideoTrack(input.makeTrack(), isLocal: true, camera: camera(of: input))
        try await replace(videoRecording, by: new, from: input)
    }

    private func camera(of input: VideoInput) -> CameraFeed? {
        guard let devices, case .source(let source) = input, source === devices.sentCamera else { return nil }
        return devices.camera
    }

    func stopVideo() async throws(CallManagerError) { try await stop(videoRecording) }

    // MARK: Both

    /// Records `new` in place of what was recorded so far, which continues if the call does not take it.
    private func replace<Track, Input>(
        _ recording: LocalRecording<Track, Input>, by new: Track, from input: Input
    ) async throws(CallManagerError) {
        recording.changes += 1
        let (old, oldInput) = (recording.track, recording.input)
        if let old { new.isEnabled = old.isEnabled }
        (recording.track, recording.input) = (new, input)
        dispatcher.send(new.event(isPresent: true))
        do throws(CallManagerError) {
            try await send(new.track, new.track.kind)
        } catch {
            end(new)
            if recording.track == new, let old, !old.track.isEnded {
                // The new track is muted if the previous one was.
                old.isEnabled = new.isEnabled
                (recording.track, recording.input) = (old, oldInput)
                dispatcher.send(old.event(isPresent: true))
            } else {
                if recording.track == new { (recording.track, recording.input) = (nil, nil) }
                if let old { end(old) }
            }
            throw error
        }
        if let old { end(old) }
    }

    private func stop<Track, Input>(_ recording: LocalRecording<Track, Input>) async throws(CallManagerError) {
        recording.changes += 1
        guard let old = recording.track else { return }
        (recording.track, recording.input) = (nil, nil)
        end(old)
        try await send(nil, old.track.kind)
    }

    private func end(_ track: some LocalTrack) {
        track.track.stop()
        dispatcher.send(track.event(isPresent: false))
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
