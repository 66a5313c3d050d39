public import RTCTransport
internal import RTCWire

extension Peer {
    /// Returns the next event for the owner, or `nil`.
    package mutating func pollEvent() -> PeerEvent? {
        if let event = events.popFirst() { return event }
        if let event = media.events.popFirst() { return event }
        while let event = channels.pollEvent() {
            if let event = makeEvent(event) { return event }
        }
        return nil
    }

    func makeEvent(_ event: DataChannelEvent) -> PeerEvent? {
        switch event {
        // When the association ends, each channel gets a closed event of its own; the connection is not affected.
        case .associated, .ended, .failed: nil
        case .opened(let id): .channelOpened(name(id))
        case .incoming(let id, let parameters): .incomingChannel(name(id), parameters)
        case .message(let id, let message): .message(name(id), message)
        case .bufferedAmountLow(let id): .bufferedAmountLow(name(id))
        case .closing(let id): .channelClosing(name(id))
        case .closed(let id): .channelClosed(name(id))
        }
    }

    /// Propagates events between the parts of the peer: a path starts DTLS, DTLS starts SCTP.
    mutating func process(at now: Instant) {
        guard phase != .closed else { return }
        followRelays(at: now)
        while let event = ice.pollEvent() { follow(event, at: now) }
        followRelays(at: now)
        replayEarlyDatagrams(at: now)
        while let event = dtls.pollEvent() { follow(event, at: now) }
        negotiateIfNeeded(at: now)
        applyMediaChanges(at: now)
        announce()
    }

    private mutating func follow(_ event: ICEEvent, at now: Instant) {
        switch event {
        case .candidate(let candidate):
            signal(candidate)
        case .gatheringState(let state):
            if state == .complete { signalEndOfCandidates() }
            events.append(.iceGatheringState(state))
        case .state(let state):
            events.append(.iceConnectionState(state))
            if state == .failed { failure = failure ?? .noPath }
            // A restarted server has lost our allocation, which shows only when it is queried.
            if state == .disconnected || state == .failed { relays.probe(at: now) }
            // An ICE restart leaves `failed`: the connection is `connecting` again.
            if state != .failed, state != .disconnected, failure == .noPath { failure = nil }
        case .selectedPath(let path):
            guard let path else { break }
            events.append(.selectedPath(path))
            dtls.start(at: now, roundTripTime: ice.currentRoundTripTime)
            channels.pathChanged(at: now)
            media.pathChanged(at: now)
        case .backup(let backup):
            media.copy(backup.map { $0.copiesVideo ? .everything : .audioAndReports } ?? .nothing, at: now)
        case .resolve(let name):
            events.append(.needsResolution(name: name))
        case .connect(let id, let from, let to): events.append(.needsConnection(id, from: from, to: to))
        case .disconnect(let id): events.append(.dropsConnection(id))
        case .roleChanged: break
        }
    }

    private mutating func follow(_ event: DTLSEvent, at now: Instant) {
        switch event {
        case .state(.connected):
            startChannels(at: now)
            // May fail the connection, which ends its channels.
            startMedia(at: now)
        case .state(.failed(let reason)):
            fail(.dtls(reason))
            channels.abort(at: now)
        case .state(.closed):
            channels.abort(at: now)
            ice.close(at: now)
            while let event = ice.pollEvent() { follow(event, at: now) }
            relays.close(at: now)
        case .state: break
        }
    }

    mutating func fail(_ reason: ConnectionFailure) {
        guard failure == nil, phase != .closed else { return }
        failure = reason
        announce()
    }

    /// Fails the connection for good, because of a bug of ours. A debug build stops here.
    mutating func failInternally(_ reason: String, at now: Instant) {
        let isExpected = isBugExpected
        assert(isExpected, reason)
        guard phase != .closed else { return }
        failure = .internal(reason)
        channels.abort(at: now)
        announce()
    }

    /// Whether ``failInternally(_:at:)`` has ended the connection.
    var hasFailedInternally: Bool {
        if case .internal = failure { true } else { false }
    }

    /// Announces the connection state if it has changed.
    mutating func announce() {
        let state = connectionState
        guard state != announcedState else { return }
        announcedState = state
        events.append(.connectionState(state))
    }
}

// MARK: - States

extension Peer {
    /// The state of the whole (W3C WebRTC, section 4.3.3).
    @usableFromInline package var connectionState: ConnectionState {
        if phase == .closed { return .closed }
        // The remote peer has closed the connection for good.
        if dtls.state == .closed || ice.state == .closed { return .closed }
        if failure != nil { return .failed }
        switch (ice.state, dtls.state) {
        case (.failed, _), (_, .failed): return .failed
        case (.disconnected, _): return .disconnected
        case (.new, .new): return .new
        case (.connected, .connected), (.completed, .connected): return .connected
        default: return .connecting
        }
    }

    @usableFromInline package var iceConnectionState: ICEConnectionState { phase == .closed ? .closed : ice.state }
    @usableFromInline package var iceGatheringState: ICEGatheringState { ice.gatheringState }
}
