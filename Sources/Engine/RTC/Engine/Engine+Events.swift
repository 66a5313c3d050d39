internal import RTCPeer
internal import RTCTransport

extension Engine {
    /// Carries out the peer's requests, and passes events to the application.
    func handle(_ event: PeerEvent) {
        switch event {
        case .needsSockets: gather()
        case .needsResolution(let name): resolveMulticastName(name)
        case .needsServerConnection(let id, let request): connect(id, to: request)
        case .needsConnection(let id, let local, let remote): connect(id, from: local, to: remote)
        case .dropsConnection(let id): drop(id)
        case .relayFailed(let server, _, let failure): report(failure, of: server)
        case .signal(let signal): signals.send(signal)
        case .negotiationNeeded: events.send(.negotiationNeeded)
        case .connectionState(let state):
            events.send(.connectionStateChange(state))
            if state == .failed { mailboxes.releaseAllSenders() }
            updateAllSending()
        case .iceConnectionState(let state): events.send(.iceConnectionStateChange(state))
        case .iceGatheringState(let state): events.send(.iceGatheringStateChange(state))
        case .signalingState(let state):
            refreshTransceivers()
            events.send(.signalingStateChange(state))
        case .selectedPath: trace?.pathChanged(at: now)
        case .incomingChannel(let id, let parameters): acceptChannel(id, parameters)
        case .channelOpened(let id): moveChannel(id, to: .open)
        case .channelClosing(let id): moveChannel(id, to: .closing)
        case .channelClosed(let id): moveChannel(id, to: .closed)
        case .message(let id, let message): deliver(message, on: id)
        case .bufferedAmountLow(let id): mailboxes[id]?.shared.lowEvents.send(())
        case .transceiverAdded(let transceiver): acceptTransceiver(transceiver)
        case .transceiverEnded(let id): endTransceiver(id)
        case .mediaParameters(let parameters): apply(parameters)
        case .remoteTrack(let track): beginRemoteTrack(track)
        case .remoteTrackRemoved(let id): endRemoteTrack(id)
        case .remoteSourceEnded(let id): endRemoteSource(id)
        case .videoFrame(let id, let picture): receive(picture, of: id)
        case .keyFrameRequested(let id): requestKeyFrame(of: id)
        case .targetBitrate(let id, let bitrate): setTarget(bitrate, of: id)
        }
    }
}
