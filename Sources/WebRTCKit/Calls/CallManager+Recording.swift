internal import RTC
internal import RTCDevices

/// Where video comes from.
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

    /// What became of a capturer's frames.
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

// What is recorded. It goes on from call to call, until it is stopped.
extension CallManager {
    // MARK: Sound

    /// - Parameter source: `nil` for the microphone; then nothing changes if something is recorded already.
    func startAudio(_ source: (any AudioSource)?) async throws(CallManagerError) {
        if source == nil, localAudio != nil { return }
        guard let source = source ?? options.sources.microphone ?? audioDevice?.source else {
            throw .deviceUnavailable("there is no microphone: pass an audioDevice, or set Options.sources.microphone")
        }
        if let audioSource, audioSource === source, localAudio != nil { return }
        if let audioDevice, audioDevice === source {
            let change = audioChange
            try await defaultAudioDevice?.requestAccess()
            try await audioDevice.prepareRecording()
            // Whatever was asked for meanwhile was asked for later.
            guard audioChange == change else { return }
        }
        if let devices = options.devices, devices.microphone === source {
            let change = audioChange
            try await devices.request(.microphone)
            guard audioChange == change else { return }
        }
        audioChange += 1
        let (old, oldSource) = (localAudio, audioSource)
        let new = WRKRTCAudioTrack(AudioTrack(source: source), isLocal: true)
        if let old { new.isEnabled = old.isEnabled }
        localAudio = new
        audioSource = source
        courier.tell { $0.didAddLocalAudioTrack(new) }
        do throws(CallManagerError) {
            try await send(new.track, .audio)
        } catch {
            new.track.stop()
            if localAudio == new, let old, !old.track.isEnded {
                // What was recorded before goes on.
                old.isEnabled = new.isEnabled
                (localAudio, audioSource) = (old, oldSource)
                courier.tell { $0.didAddLocalAudioTrack(old) }
            } else {
                if localAudio == new { (localAudio, audioSource) = (nil, nil) }
                old?.track.stop()
            }
            throw error
        }
        old?.track.stop()
    }

    func stopAudio() async throws(CallManagerError) {
        audioChange += 1
        guard let old = localAudio else { return }
        localAudio = nil
        audioSource = nil
        old.track.stop()
        try await send(nil, .audio)
    }

    // MARK: Pictures

    /// - Parameter input: `nil` for the camera; then nothing changes if something is recorded already.
    func startVideo(_ input: VideoInput?) async throws(CallManagerError) {
        if input == nil, localVideo != nil { return }
        guard let input = input ?? (options.sources.camera ?? defaultCamera).map({ .source($0) }) else {
            throw .deviceUnavailable(
                "there is no camera: pass a videoCapturer or a source, or set Options.sources.camera")
        }
        if let defaultCamera, case .source(let source) = input, source === defaultCamera {
            try await defaultCamera.requestAccess()
        }
        if let devices = options.devices, case .source(let source) = input, source === devices.sentCamera {
            try await devices.request(.camera)
        }
        if let videoInput, videoInput.isSame(as: input), localVideo != nil { return }
        let (old, oldInput) = (localVideo, videoInput)
        let new = WRKRTCVideoTrack(input.makeTrack(), isLocal: true)
        if let old { new.isEnabled = old.isEnabled }
        localVideo = new
        videoInput = input
        courier.tell { $0.didAddLocalVideoTrack(new) }
        do throws(CallManagerError) {
            try await send(new.track, .video)
        } catch {
            end(new)
            if localVideo == new, let old, !old.track.isEnded {
                // What was recorded before goes on.
                old.isEnabled = new.isEnabled
                (localVideo, videoInput) = (old, oldInput)
                courier.tell { $0.didAddLocalVideoTrack(old) }
            } else {
                if localVideo == new { (localVideo, videoInput) = (nil, nil) }
                if let old { end(old) }
            }
            throw error
        }
        if let old { end(old) }
    }

    func stopVideo() async throws(CallManagerError) {
        guard let old = localVideo else { return }
        localVideo = nil
        videoInput = nil
        end(old)
        try await send(nil, .video)
    }

    private func end(_ track: WRKRTCVideoTrack) {
        track.track.stop()
        courier.tell { $0.localVideoTrackWasRemoved(track) }
    }

    /// Sends a track in the call that there is, if there is one.
    private func send(_ track: (any MediaTrack)?, _ kind: MediaKind) async throws(CallManagerError) {
        guard let call = connection else { return }
        do throws(RTCError) {
            try await call.send(track, kind)
        } catch {
            // The call may have ended meanwhile; recording goes on without it.
            if connection === call { throw .webRTCFailed(error.message) }
        }
    }
}
