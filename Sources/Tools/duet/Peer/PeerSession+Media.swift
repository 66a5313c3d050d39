import DuetShell
import RTC
import RTCPeer
import RTCTransport

/// A track that this peer sends.
struct LocalTrack {
    let track: any MediaTrack
    let sender: RTPSender
}

/// A track that this peer receives.
struct RemoteTrack {
    enum Probe {
        case video(VideoProbe)
        case audio(AudioProbe)
    }

    let transceiver: RTPTransceiver
    let probe: Probe
    /// Prints the events of the track.
    let watching: Task<Void, Never>
}

extension PeerSession {
    // MARK: Sending

    /// Creates the tracks of the options, audio first. A file that has disappeared since the check does not end the process.
    func makeFirstTracks() -> [any MediaTrack] {
        var tracks: [any MediaTrack] = []
        for kind in [MediaKind.audio, .video] {
            do { if let track = try makeTrack(kind) { tracks.append(track) } } catch { complain("\(error)") }
        }
        return tracks
    }

    /// The kinds to receive without sending, for the offering side.
    var kindsToReceive: [MediaKind] {
        var kinds: [MediaKind] = []
        if settings.media.audioRecording != nil, settings.media.audio == .none { kinds.append(.audio) }
        if settings.media.videoRecording != nil, settings.media.video == .none { kinds.append(.video) }
        return kinds
    }

    private func makeTrack(
        _ kind: MediaKind, video: VideoOption? = nil, audio: AudioOption? = nil
    ) throws -> (any MediaTrack)? {
        let fail: @Sendable (String) -> Void = { [weak self] message in
            Task { await self?.complain(message) }
        }
        switch kind {
        case .video:
            let track = try (video ?? settings.media.video).makeSource(onFailure: fail).map { VideoTrack(source: $0) }
            track?.contentHint = settings.media.contentHint
            return track
        case .audio:
            return try (audio ?? settings.media.audio).makeSource(onFailure: fail).map { AudioTrack(source: $0) }
        }
    }

    /// Sends a track of this kind: of the options, or else the test picture or the tone.
    func addTrack(_ kind: MediaKind) async {
        guard localTracks[kind] == nil else { return complain("\(kind.rawValue) is sent already: remove it first") }
        do {
            let video = settings.media.video == .none ? VideoOption.test : settings.media.video
            let audio = settings.media.audio == .none ? AudioOption.tone : settings.media.audio
            guard let track = try makeTrack(kind, video: video, audio: audio) else { return }
            if start == nil, settings.role == .offer { start = .now }
            let sender = try await connection.addTrack(track, streams: [Self.streamName])
            localTracks[kind] = LocalTrack(track: track, sender: sender)
            await setLayers(sender)
        } catch let error as RTCError {
            complain(error.message)
        } catch {
            complain("\(error)")
        }
    }

    /// Sets the layers of the options for a sender of video.
    func setLayers(_ sender: RTPSender) async {
        guard let mode = settings.media.scalabilityMode, sender.track?.kind == .video else { return }
        var parameters = sender.parameters
        parameters.scalabilityMode = mode
        do throws(RTCError) { try await sender.setParameters(parameters) } catch { complain(error.message) }
    }

    func removeTrack(_ kind: MediaKind) async {
        guard let local = localTracks.removeValue(forKey: kind) else { return complainOfNone(kind) }
        do throws(RTCError) {
            try await connection.removeTrack(local.sender)
        } catch {
            complain(error.message)
        }
        local.track.stop()
    }

    func setMuted(_ isMuted: Bool, _ kind: MediaKind) {
        guard let local = localTracks[kind] else { return complainOfNone(kind) }
        local.track.isEnabled = !isMuted
    }

    private func complainOfNone(_ kind: MediaKind) {
        complain("no \(kind.rawValue) is sent")
    }

    // MARK: Receiving

    func accept(_ transceiver: RTPTransceiver, streams: [String]) {
        output.write(
            .event("track", ["kind": transceiver.kind.rawValue, "mid": transceiver.mid, "streams": streams]))
        let track = transceiver.receiver.track
        // A track that was removed and added again is the same one.
        guard remoteTracks[track.id] == nil else { return }
        let probe = attachProbe(to: track, of: transceiver)
        let recording = transceiver.kind == .video ? settings.media.videoRecording : settings.media.audioRecording
        if let recording, !remoteTracks.values.contains(where: { $0.transceiver.kind == transceiver.kind }) {
            recording.add(to: track)
        }
        let events = track.events
        let watching = Task { [weak self] in
            for await event in events { await self?.print(event, of: transceiver) }
        }
        remoteTracks[track.id] = RemoteTrack(transceiver: transceiver, probe: probe, watching: watching)
    }

    private func attachProbe(to track: any MediaTrack, of transceiver: RTPTransceiver) -> RemoteTrack.Probe {
        let looks = settings.media.printsContent
        if let track = track as? VideoTrack {
            let probe = VideoProbe(reads: looks) { [weak self] frame in
                let now = ContinuousClock.now
                let size: JSONValue.Members = ["width": frame.width, "height": frame.height]
                Task { await self?.printFirst("firstFrame", of: transceiver, at: now, size) }
            }
            track.add(probe)
            return .video(probe)
        }
        let probe = AudioProbe(listens: looks) { [weak self] in
            let now = ContinuousClock.now
            Task { await self?.printFirst("firstAudio", of: transceiver, at: now) }
        }
        (track as? AudioTrack)?.add(probe)
        return .audio(probe)
    }

    private func printFirst(
        _ name: String, of transceiver: RTPTransceiver, at time: ContinuousClock.Instant,
        _ more: JSONValue.Members = [:]
    ) {
        let milliseconds = start.map { $0.duration(to: time) / .milliseconds(1) } ?? 0
        output.write(.event(name, ["mid": transceiver.mid, "ms": milliseconds.json(places: 1)] + more))
    }

    private func print(_ event: MediaTrackEvent, of transceiver: RTPTransceiver) {
        let state: String
        switch event {
        case .mute: state = "muted"
        case .unmute: state = "live"
        case .ended: state = "ended"
        }
        output.write(
            .event("trackState", ["kind": transceiver.kind.rawValue, "mid": transceiver.mid, "state": state]))
    }

    /// Prints measurements of received media once a second, until the task is cancelled.
    func printContent() async {
        let clock = ContinuousClock()
        var next = clock.now
        while true {
            next += .seconds(1)
            guard (try? await clock.sleep(until: next)) != nil else { return }
            await output.waitForRoom()
            for remote in remoteTracks.values.sorted(by: { $0.transceiver.mid ?? "" < $1.transceiver.mid ?? "" })
            where !remote.transceiver.receiver.track.isEnded {
                switch remote.probe {
                case .video(let probe): output.write(probe.report(mid: remote.transceiver.mid))
                case .audio(let probe): output.write(probe.report(mid: remote.transceiver.mid))
                }
            }
        }
    }

    /// Completes the files, and reports errors.
    func finishRecordings() {
        for recording in [settings.media.videoRecording, settings.media.audioRecording] {
            if let failure = recording?.finish() { complain(failure) }
        }
    }

    /// The stream of the local tracks.
    static let streamName = "duet"
}

extension PeerConnection {
    /// Performs several changes in one turn, so that one offer contains all of them.
    func inOneTurn<Result: Sendable>(
        _ body: @Sendable (isolated PeerConnection) -> Result
    ) -> Result {
        body(self)
    }
}
