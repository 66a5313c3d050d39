import Logging
import RTC
import RTCSignaling
import WebRTCKit

extension CallSession {
    // MARK: Calling

    func place(to address: SignalingAddress) async {
        call = newCall(id: nil, isCaller: true, name: address.description)
        await sinks.callBegan(title: address.description, status: "Calling \(address)…")
        do {
            try await controller.sendCallRequest(to: address.description)
        } catch {
            await ended(error as? CallManagerError ?? .webRTCFailed("\(error)"), nil)
        }
    }

    private func newCall(
        id: CallID?, isCaller: Bool, name: String, start: ContinuousClock.Instant = .now
    ) -> CurrentCall {
        callCount += 1
        return CurrentCall(number: callCount, id: id, isCaller: isCaller, name: name, start: start)
    }

    // MARK: What the kit tells

    func handle(_ event: CallEvent) async {
        switch event {
        case .incoming(let peer): await called(by: peer)
        case .localVideo(let track): if let screen = sinks.screen { track.add(screen.local) }
        case .remoteVideo(let track): show(track)
        case .remoteAudio(let track): play(track)
        case .channel(let channel): if channel.label == ChatChannel.label { await openChat(channel, isOpen: true) }
        case .connection(let state, let reason): await changed(to: state, reason: reason)
        case .started: await started()
        case .verification(let status): await verified(status)
        case .quality(let quality):
            call?.quality = quality
            reporter.show(.quality(quality))
        case .device(let event, let media): await handle(event, of: media)
        case .ended(let error, let statistics): await ended(error, statistics)
        }
    }

    private func called(by peer: PeerID) async {
        guard case .answer(let answering) = settings.role, !isEnding else {
            try? await controller.answerCallRequest(accept: false)
            return
        }
        let invitation = invitations.last { $0.invite.from.isCalled(peer) }
        let name = invitation?.invite.from.nameForPeople ?? peer
        call = newCall(id: invitation?.invite.call, isCaller: false, name: name, start: invitation?.time ?? .now)
        if let invite = invitation?.invite { reporter.show(.incoming(invite.call, from: invite.from)) }
        if answering.rejects {
            await answer(accept: false)
        } else if answering.ringing == .zero {
            // The kit takes it by itself.
            call?.isAnswered = true
            call?.pathlessSince = .now
            await sinks.callBegan(title: name, status: "Connecting to \(name)…")
        } else {
            call?.deadlines.accept = .now + answering.ringing
            await sinks.callBegan(title: name, status: "\(name) calls.")
        }
    }

    private func changed(to state: ConnectionState, reason: String?) async {
        guard let call, call.state != state else { return }
        self.call?.state = state
        guard state != .closed else { return }
        reporter.show(.connection(state, milliseconds: call.milliseconds(), reason: reason))
        switch state {
        case .connected:
            self.call?.pathlessSince = nil
            if self.call?.connectedAt == nil {
                self.call?.connectedAt = .now
                self.call?.summary.connected = call.milliseconds()
            }
            await sinks.status("Connected")
        case .disconnected, .failed:
            if call.pathlessSince == nil { self.call?.pathlessSince = .now }
            await sinks.status("The path is interrupted; looking for another one…")
        default: break
        }
    }

    private func started() async {
        guard let call else { return }
        self.call?.deadlines.figures = .now + .seconds(1)
        if !call.isVerified { self.call?.deadlines.verification = .now + CallSettings.verificationPatience }
        self.call?.deadlines.hangUp = settings.duration.map { .now + $0 }
        // What the first bitrates are counted from.
        if let report = try? await controller.statistics() { self.call?.lastReport = (report, .now) }
        guard call.isCaller else { return }
        do {
            await openChat(try await controller.createDataChannel(label: ChatChannel.label), isOpen: false)
        } catch {
            // Mostly it has just ended.
            log.info("The channel for messages cannot be opened: \(error)")
        }
    }

    /// - Parameter status: `waiting` when there should long have been a code.
    func verified(_ status: VerificationStatus) async {
        if status != .waiting { call?.isVerified = true }
        call?.deadlines.verification = nil
        reporter.show(.verification(status))
        await sinks.verification(status)
    }
}

extension SignalingPeer {
    /// Whether the kit means this one.
    fileprivate func isCalled(_ peer: PeerID) -> Bool { peer == user.rawValue || peer == address.description }
}
