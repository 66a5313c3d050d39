import Logging
import RTC
import RTCPeer
import RTCSignaling

extension CallSession {
    // MARK: The connection

    /// The label of the channel that carries messages for people; the caller opens it.
    static let chatLabel = "chat"
    /// What the other peer sees our tracks in.
    private static let streamName = "duet"

    /// Makes the connection of a call, with all that is sent over it.
    func open(_ call: inout CurrentCall) async throws(RTCError) {
        let connection = try PeerConnection(configuration: configuration(isCaller: call.isCaller))
        call.connection = connection
        let number = call.number
        // Both before anything happens, so that nothing is missed.
        let (signals, events) = (connection.signals, connection.events)
        call.tasks = [
            Task { [feed] in for await signal in signals { feed.yield(.link(number, .signal(signal))) } },
            Task { [feed] in
                for await event in events { feed.yield(.link(number, .event(event))) }
                feed.yield(.link(number, .ended))
            },
        ]
        let (tracks, isCaller) = (local.tracks, call.isCaller)
        let result = await connection.inOneTurn { connection -> Result<DataChannel?, RTCError> in
            do throws(RTCError) {
                for track in tracks { try connection.addTrack(track, streams: [Self.streamName]) }
                guard isCaller else { return .success(nil) }
                var receiving = RTPTransceiverOptions()
                receiving.direction = .recvonly
                for kind in [MediaKind.audio, .video] where !tracks.contains(where: { $0.kind == kind }) {
                    try connection.addTransceiver(kind, options: receiving)
                }
                return .success(try connection.createDataChannel(Self.chatLabel))
            } catch {
                return .failure(error)
            }
        }
        if let channel = try result.get() { call.tasks.append(read(channel, of: number, isOpen: false)) }
    }

    private func configuration(isCaller: Bool) -> PeerConnection.Configuration {
        var configuration = PeerConnection.Configuration()
        configuration.negotiation = .perfect(isPolite: !isCaller)
        configuration.waitsForOffer = !isCaller
        configuration.media = settings.media
        for server in iceServers {
            for url in server.urls {
                // Relays are not there yet, and STUN over TCP is not needed.
                guard url.lowercased().hasPrefix("stun:"), !url.contains("?") else {
                    log.info("the ICE server \(url) is passed over")
                    continue
                }
                configuration.iceServers.append(
                    PeerConnection.ICEServer(url: url, username: server.username, credential: server.credential))
            }
        }
        return configuration
    }

    func handle(_ input: CallLinkInput) async {
        switch input {
        case .signal(let signal): await forward(signal)
        case .event(let event): await handle(event)
        case .ended: await theyClosed()
        default: await handleMedia(input)
        }
    }

    /// They closed the connection: their hang-up comes too, unless the server is away.
    private func theyClosed() async {
        guard let call, call.phase == .running || call.phase == .answering else { return }
        say { () throws(SignalingClientError) in try client.hangUp(call.id) }
        await end(.hungUp(byUs: false, reason: CallReason.normal.rawValue))
    }

    // MARK: What we say

    private func forward(_ signal: Signal) async {
        guard let call else { return }
        switch signal {
        case .description(let description): await send(description, of: call)
        case .candidate(let candidate):
            let candidate = CallCandidate(candidate)
            if call.hasSpoken {
                say { () throws(SignalingClientError) in try client.sendCandidate(candidate, for: call.id) }
            } else {
                self.call?.heldCandidates.append(candidate)
            }
        }
    }

    private func send(_ description: SessionDescription, of call: CurrentCall) async {
        guard let words = CallDescription(description) else { return }
        do throws(SignalingClientError) {
            switch call.phase {
            case .preparing:
                guard case .call(let address, let calling) = settings.role else { return }
                _ = try client.invite(
                    address, call: call.id, lifetime: calling.lifetime, media: invitedMedia, description: words)
                self.call?.phase = .inviting
            case .answering:
                try client.answer(call.id, description: words)
                self.call?.phase = .running
                self.call?.pathlessSince = .now
            case .running: try client.negotiate(call.id, description: words)
            case .inviting, .ringing: return
            }
        } catch {
            return await end(.refused(error.message))
        }
        guard !call.hasSpoken else { return }
        self.call?.hasSpoken = true
        for candidate in call.heldCandidates {
            say { () throws(SignalingClientError) in try client.sendCandidate(candidate, for: call.id) }
        }
        self.call?.heldCandidates = []
    }

    private var invitedMedia: [InvitedMedia] {
        [local.audio == nil ? nil : .audio, local.video == nil ? nil : .video].compactMap { $0 }
    }

    // MARK: What they say

    /// Takes a description in a call that was answered.
    func take(_ description: CallDescription) async {
        guard let call, let connection = call.connection, case .sdp(let type, let sdp) = description else { return }
        guard let kind = SessionDescription.Kind(rawValue: type.rawValue) else { return }
        do throws(RTCError) {
            try await connection.receive(.description(SessionDescription(type: kind, sdp: sdp)))
            await takeEarlyCandidates()
        } catch {
            reporter.show(.trouble("a description of \(call.peerName) cannot be used: \(error.message)"))
            if !call.wasConnected, kind == .answer { await hangUp(reason: .mediaFailed) }
        }
    }

    func take(_ candidates: [CallCandidate]) async {
        guard let call else { return }
        guard let connection = call.connection, call.phase != .ringing else {
            // They may be many while it rings; more than these are of no use.
            if call.earlyCandidates.count < 256 { self.call?.earlyCandidates += candidates }
            return
        }
        for case .candidate(let candidate) in candidates {
            do throws(RTCError) {
                try await connection.receive(.candidate(ICECandidateInit(candidate)))
            } catch {
                log.info("a candidate cannot be used: \(error.message)")
            }
        }
    }

    func takeEarlyCandidates() async {
        guard let candidates = call?.earlyCandidates, !candidates.isEmpty else { return }
        call?.earlyCandidates = []
        await take(candidates)
    }

    // MARK: When the server knows the call again

    /// Says again what may have been lost with the old server: an offer that waits for its answer.
    func attached() async {
        guard let call, call.phase == .running, let connection = call.connection else { return }
        if await connection.signalingState == .haveLocalOffer, let offer = await connection.localDescription,
            let words = CallDescription(offer)
        {
            say { () throws(SignalingClientError) in try client.negotiate(call.id, description: words) }
        } else if call.state == .disconnected || call.state == .failed {
            await connection.restartICE()
        }
    }

    // MARK: How the path does

    private func handle(_ event: PeerConnection.Event) async {
        switch event {
        case .connectionStateChange(let state): await changed(to: state)
        case .track(let transceiver, _): receive(transceiver)
        case .dataChannel(let channel) where channel.label == Self.chatLabel:
            guard let number = call?.number else { return }
            call?.tasks.append(read(channel, of: number, isOpen: true))
        default: break
        }
    }

    private func changed(to state: ConnectionState) async {
        guard let call, call.state != state else { return }
        self.call?.state = state
        let reason = state == .failed ? await call.connection?.failureReason : nil
        if state == .closed { return await theyClosed() }
        reporter.show(.connection(state, milliseconds: call.milliseconds(), reason: reason))
        switch state {
        case .connected:
            self.call?.pathlessSince = nil
            self.call?.deadlines.restart = nil
            await sinks.status("Connected")
            guard !call.wasConnected else { return }
            self.call?.wasConnected = true
            self.call?.connectedAt = .now
            self.call?.summary.connected = call.milliseconds()
            self.call?.deadlines.figures = .now + .seconds(1)
            self.call?.deadlines.hangUp = settings.duration.map { .now + $0 }
            // What the first bitrates are counted from.
            if let report = await call.connection?.getStats() { self.call?.lastReport = (report, .now) }
        case .disconnected, .failed:
            if call.pathlessSince == nil { self.call?.pathlessSince = .now }
            self.call?.deadlines.restart = state == .failed ? .now : .now + CallSettings.disconnectedLimit
            await sinks.status("The path is interrupted; looking for another one…")
        default: break
        }
    }
}

// MARK: - The words of the engine and of the protocol

extension CallDescription {
    /// `nil` for what the protocol has no word for.
    init?(_ description: SessionDescription) {
        guard let type = DescriptionType(rawValue: description.type.rawValue) else { return nil }
        self = .sdp(type: type, sdp: description.sdp)
    }
}

extension CallCandidate {
    init(_ candidate: ICECandidateInit) {
        self = .candidate(
            ICECandidate(
                candidate: candidate.candidate, sdpMid: candidate.sdpMid,
                sdpMLineIndex: candidate.sdpMLineIndex.flatMap { UInt16(exactly: $0) },
                usernameFragment: candidate.usernameFragment))
    }
}

extension ICECandidateInit {
    init(_ candidate: CallCandidate.ICECandidate) {
        self.init(
            candidate: candidate.candidate, sdpMid: candidate.sdpMid,
            sdpMLineIndex: candidate.sdpMLineIndex.map { Int($0) }, usernameFragment: candidate.usernameFragment)
    }
}
