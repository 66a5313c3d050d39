import Logging
import RTC
import RTCSignaling

extension CallSession {
    // MARK: Calling

    func place(to address: SignalingAddress, _ calling: CallSettings.Calling) async {
        var call = newCall(.random(), isCaller: true, phase: .preparing, peer: address, name: address.description)
        reporter.show(.calling(call.id, to: address.description, at: call.clock(call.start)))
        await sinks.callBegan(title: address.description, status: "Calling \(address)…")
        do throws(RTCError) {
            try await open(&call)
            self.call = call
        } catch {
            self.call = call
            await end(.connectionFailed(error.message))
        }
    }

    func newCall(
        _ id: CallID, isCaller: Bool, phase: CurrentCall.Phase, peer: SignalingAddress, name: String
    ) -> CurrentCall {
        callCount += 1
        return CurrentCall(id: id, number: callCount, isCaller: isCaller, phase: phase, peer: peer, name: name)
    }

    // MARK: Being called

    private func invited(_ invite: IncomingInvite) async {
        if let call {
            if call.isCaller, call.phase == .preparing || call.phase == .inviting, call.peer.user == invite.from.user {
                // Both call each other. The server says which of the two calls there is.
                self.call?.crossing = invite
            } else {
                say { () throws(SignalingClientError) in try client.busy(invite.call) }
                reporter.show(.note("\(invite.from.user) calls too, and is told that we are busy."))
            }
            return
        }
        guard case .answer(let answering) = settings.role, !isEnding else {
            return say { () throws(SignalingClientError) in try client.busy(invite.call) }
        }
        ring(invite)
        reporter.show(.incoming(invite.call, from: invite.from))
        say { () throws(SignalingClientError) in try client.ringing(invite.call) }
        if answering.rejects {
            say { () throws(SignalingClientError) in try client.reject(invite.call, reason: .declined) }
            await end(.rejected(byUs: true, reason: CallReason.declined.rawValue))
        } else if answering.ringing == .zero {
            await accept()
        } else {
            call?.deadlines.accept = .now + answering.ringing
            await sinks.callBegan(title: call?.peerName ?? "", status: "\(call?.peerName ?? "Somebody") calls.")
        }
    }

    private func ring(_ invite: IncomingInvite) {
        let name = invite.from.name?.rawValue ?? invite.from.user.rawValue
        var call = newCall(invite.call, isCaller: false, phase: .ringing, peer: invite.from.address, name: name)
        call.offer = invite.description
        self.call = call
    }

    /// Takes the call that rings here.
    func accept() async {
        guard var call, call.phase == .ringing else { return }
        if case .data? = call.offer {
            say { () throws(SignalingClientError) in try client.reject(call.id, reason: .mediaFailed) }
            return await end(.connectionFailed("the caller's description is not one of WebRTC"))
        }
        call.phase = .answering
        call.deadlines.accept = nil
        await sinks.callBegan(title: call.peerName, status: "Connecting to \(call.peerName)…")
        do throws(RTCError) {
            try await open(&call)
            self.call = call
            if case .sdp(_, let sdp)? = call.offer {
                try await call.connection?.receive(.description(SessionDescription(type: .offer, sdp: sdp)))
            } else {
                // The offer comes by itself.
                self.call?.hasSpoken = true
                self.call?.phase = .running
                say { () throws(SignalingClientError) in try client.answer(call.id) }
            }
            self.call?.offer = nil
            await takeEarlyCandidates()
        } catch {
            self.call = call
            say { () throws(SignalingClientError) in try client.reject(call.id, reason: .mediaFailed) }
            await end(.connectionFailed(error.message))
        }
    }

    // MARK: What the server says

    func handle(_ event: SignalingClient.Event) async {
        switch event {
        case .connected(let welcome): await reconnected(welcome)
        case .disconnected(let error):
            let rest = call?.phase == .running ? "; the call goes on" : ""
            reporter.show(.server(isThere: false, "The server is gone: \(error.message)\(rest)."))
        case .ended(let error):
            guard let error else { return }
            let rest = call?.phase == .running ? "; the call goes on without it" : ""
            reporter.show(.server(isThere: false, "The server is gone for good: \(error.message)\(rest)."))
            if call?.phase != .running {
                if call != nil { await end(.refused(error.message)) }
                status = CallStatus.server
            }
        case .message(let message): await handle(message)
        }
    }

    private func reconnected(_ welcome: Welcome) async {
        iceServers = welcome.iceServers
        // The first welcome is `connect`'s.
        guard hasBeenWelcomed else { return hasBeenWelcomed = true }
        reporter.show(
            .server(isThere: true, welcome.resumed ? "The server is back." : "The server is back, as a new one."))
    }

    private func handle(_ message: ServerMessage) async {
        switch message {
        case .invite(let invite): await invited(invite)
        case .iceServers(let servers): iceServers = servers.iceServers
        case .goingAway: reporter.show(.note("The server is being stopped; calls go on."))
        case .error(let error): await handle(error)
        case .cancel(let cancel):
            if call?.crossing?.call == cancel.call { call?.crossing = nil }
            if isOurs(cancel.call) { await end(cancelled(cancel.reason)) }
        case .candidates(let candidates) where candidates.payload.call == call?.crossing?.call:
            call?.crossingCandidates += candidates.payload.candidates
        default:
            guard let id = message.callID, isOurs(id) else { return }
            await handleOfCall(message)
        }
    }

    private func isOurs(_ id: CallID) -> Bool { call?.id == id }

    private func cancelled(_ reason: CallReason?) -> CallOutcome {
        reason == .rejectedElsewhere ? .answeredElsewhere : .cancelled(byUs: false)
    }

    private func handleOfCall(_ message: ServerMessage) async {
        guard let call else { return }
        switch message {
        case .ringing(let ringing):
            reporter.show(.ringing(by: ringing.from?.user.rawValue ?? call.peerName))
            await sinks.status("It rings at \(call.peerName)…")
        case .answer(let answer): await answered(answer)
        case .reject(let reject):
            await end(.rejected(byUs: false, reason: (reject.reason ?? .declined).rawValue))
        case .busy: await end(.busy)
        case .noAnswer: await end(.noAnswer)
        case .unavailable: await end(.unavailable)
        case .answeredElsewhere: await end(.answeredElsewhere)
        case .glare(let glare): await lostGlare(glare)
        case .candidates(let candidates): await take(candidates.candidates)
        case .negotiate(let negotiate): await take(negotiate.description)
        case .hangup(let hangup):
            await end(.hungUp(byUs: false, reason: (hangup.reason ?? .normal).rawValue))
        case .peer(let peer):
            self.call?.peerIsAway = peer.state != .present
            reporter.show(.peer(peer.state.rawValue))
        case .attached: await attached()
        default: break
        }
    }

    private func answered(_ answer: Delivered<Answer>) async {
        guard let call, call.isCaller, call.phase == .inviting else { return }
        if let from = answer.from {
            self.call?.peer = from.address
            self.call?.peerName = from.name?.rawValue ?? from.user.rawValue
            reporter.show(.answered(by: from.address))
        }
        self.call?.phase = .running
        self.call?.pathlessSince = .now
        await sinks.status("Connecting to \(self.call?.peerName ?? "")…")
        if let description = answer.payload.description { await take(description) }
    }

    /// Our invitation and theirs crossed, and theirs won: it is taken at once, for this is the call that was wanted.
    private func lostGlare(_ glare: Glare) async {
        guard let lost = call else { return }
        for task in lost.tasks { task.cancel() }
        await lost.connection?.close()
        call = nil
        guard let invite = lost.crossing, invite.call == glare.winner else {
            call = lost
            return await end(.cancelled(byUs: false))
        }
        reporter.show(.note("Both called at the same time; the call of \(invite.from.user) is taken."))
        ring(invite)
        call?.earlyCandidates = lost.crossingCandidates
        await accept()
    }

    private func handle(_ error: SignalingErrorMessage) async {
        log.warning("the server: \(error.code) \(error.message)")
        guard let call, error.call == call.id, call.phase == .inviting else { return }
        await end(.refused(error.message.isEmpty ? error.code.rawValue : error.message))
    }
}

extension ServerMessage {
    /// Which call it is about.
    fileprivate var callID: CallID? {
        switch self {
        case .ringing(let message), .busy(let message), .answeredElsewhere(let message): message.payload.call
        case .answer(let message): message.payload.call
        case .reject(let message): message.payload.call
        case .cancel(let message): message.payload.call
        case .noAnswer(let message), .unavailable(let message), .attached(let message): message.call
        case .glare(let message): message.call
        case .candidates(let message): message.payload.call
        case .negotiate(let message): message.payload.call
        case .hangup(let message): message.payload.call
        case .peer(let message): message.call
        default: nil
        }
    }
}
