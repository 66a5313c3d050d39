internal import RTC
internal import RTCDevices
internal import RTCPeer
internal import RTCWire

// The connection of a call: opening, events, and closing.
extension CallManager {
    /// The connection with that number, unless it is closed.
    func connection(_ number: CallCore.ConnectionNumber) -> CallConnection? {
        connection?.number == number ? connection : nil
    }

    func open(_ number: CallCore.ConnectionNumber, isPolite: Bool, waitsForOffer: Bool) {
        do throws(RTCError) {
            let call = try CallConnection(
                number: number, configuration: configuration(isPolite: isPolite, waitsForOffer: waitsForOffer),
                config: config
            ) { [weak self] number, output in await self?.take(output, of: number) }
            connection = call
            // After glare there was a connection before, whose statistics are not reported.
            lastStatistics = nil
            let tracks: [(any MediaTrack)?] = [localAudio?.track, localVideo?.track]
            call.open(tracks.compactMap { $0 }, isCaller: !waitsForOffer)
            call.startAdjusting()
        } catch {
            drive { core, now in core.receive(.failed(error.message), of: number, at: now) }
        }
    }

    /// The servers of the configuration, and those that the signalling server currently offers.
    var iceServers: [PeerConnection.ICEServer] { config.servers(offered: signaling.iceServers, logger: log) }

    private func configuration(isPolite: Bool, waitsForOffer: Bool) -> PeerConnection.Configuration {
        var configuration = config.connectionConfiguration(
            offered: signaling.iceServers, options: options, logger: log)
        let startBitrate =
            options.startBitrate.map { Bitrate(bitsPerSecond: Int64(max(1, $0))) } ?? configuration.media.startBitrate
        configuration.media = options.media
        configuration.media.startBitrate = startBitrate
        configuration.network = options.network
        configuration.dumpPath = options.dumpPath
        configuration.tracePath = options.tracePath
        configuration.negotiation = .perfect(isPolite: isPolite)
        configuration.waitsForOffer = waitsForOffer
        return configuration
    }

    func close(_ number: CallCore.ConnectionNumber) {
        guard let call = connection(number) else { return }
        connection = nil
        for track in remoteAudio { stopPlaying(track) }
        remoteAudio = []
        remoteVideo = []
        audioDevice?.stopPlaying()
        devices?.speaker?.stop()
        connectionWillClose()
        let (before, now) = (closing, call.close())
        let statistics = Task {
            await before?.value
            return await now.value
        }
        lastStatistics = statistics
        closing = Task { [weak self] in
            _ = await statistics.value
            await self?.connectionDidClose()
        }
    }

    // MARK: Requests

    private func take(_ output: CallConnection.Output, of number: CallCore.ConnectionNumber) {
        switch output {
        case .core(let event): drive { core, now in core.receive(event, of: number, at: now) }
        case .state(let state, let reason) where connection?.number == number:
            dispatcher.send(.connectionState(state, reason: reason))
        case .track(let transceiver) where connection?.number == number: begin(transceiver.receiver.track)
        case .trackRemoved(let transceiver) where connection?.number == number: end(transceiver.receiver.track)
        case .channel(let channel) where connection?.number == number:
            let channel = WRKDataChannel(RTCDataChannel(channel, isOurs: false))
            dispatcher.send(.dataChannel(channel))
        case .quality(let quality):
            drive { core, _ in core.note(.quality, of: number) { $0.quality = quality } }
        case .state, .track, .trackRemoved, .channel: break
        }
    }

    /// Reports a remote track, once, however often its streams change.
    private func begin(_ track: any MediaTrack) {
        if let track = track as? VideoTrack {
            let new = WRKRTCVideoTrack(track, isLocal: false)
            guard !remoteVideo.contains(new) else { return }
            remoteVideo.append(new)
            dispatcher.send(.remoteVideo(new, isPresent: true))
        } else if let track = track as? AudioTrack {
            let new = WRKRTCAudioTrack(track, isLocal: false)
            guard !remoteAudio.contains(new) else { return }
            remoteAudio.append(new)
            play(new)
            dispatcher.send(.remoteAudio(new, isPresent: true))
        }
    }

    private func end(_ track: any MediaTrack) {
        if let index = remoteVideo.firstIndex(where: { $0.track === track }) {
            let old = remoteVideo.remove(at: index)
            dispatcher.send(.remoteVideo(old, isPresent: false))
        } else if let index = remoteAudio.firstIndex(where: { $0.track === track }) {
            let old = remoteAudio.remove(at: index)
            stopPlaying(old)
            dispatcher.send(.remoteAudio(old, isPresent: false))
        }
    }

    // MARK: Events

    private func play(_ track: WRKRTCAudioTrack) {
        if let speaker {
            if let own = devices?.speaker, own === speaker { own.start() }
            track.add(speaker)
        }
        // The machine's own loudspeaker plays it if the app has set no sink.
        if speaker == nil || defaultAudioDevice == nil { audioDevice?.play(track.track) }
    }

    /// Plays the received audio on the machine's own loudspeaker, which is opened with its microphone.
    func listen(to own: SpeakerFeed) {
        speaker = own
        for track in remoteAudio { play(track) }
    }

    private func stopPlaying(_ track: WRKRTCAudioTrack) {
        if let speaker { track.remove(speaker) }
        audioDevice?.stopPlaying(track.track)
    }
}
