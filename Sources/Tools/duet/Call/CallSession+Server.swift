import Logging
import RTCSignaling

/// What this server says beyond what a kit has to know: names and devices, reasons, and how the signalling does.
extension CallSession {
    private static let mostInvitations = 16

    func handle(_ event: SignalingClient.Event) async {
        switch event {
        case .connected(let welcome): await connected(welcome)
        case .disconnected(let error):
            let rest = call?.isAnswered == true ? "; the call goes on" : ""
            reporter.show(.server(isThere: false, "The server is gone: \(error.message)\(rest)."))
        case .ended(let error?): await lostServer(error)
        case .ended(nil): break
        case .message(let message): await handle(message)
        }
    }

    private func connected(_ welcome: Welcome) async {
        guard !hasBeenWelcomed else {
            let words = welcome.resumed ? "The server is back." : "The server is back, as a new one."
            return reporter.show(.server(isThere: true, words))
        }
        hasBeenWelcomed = true
        reporter.show(.signedIn(SignalingAddress(user: welcome.user, device: welcome.device)))
        switch settings.role {
        case .call(let address, _): await place(to: address)
        case .answer: reporter.show(.waiting)
        }
    }

    private func lostServer(_ error: SignalingClientError) async {
        let goesOn = call?.isAnswered == true
        let rest = goesOn ? "; the call goes on without it" : ""
        let text = "The server is gone for good: \(error.message)\(rest)."
        reporter.show(.server(isThere: false, text))
        guard !goesOn else { return await sinks.status(text) }
        hasLostServer = true
        if call == nil { status = CallStatus.server } else { await hangUp(.refused(error.message)) }
    }

    private func handle(_ message: ServerMessage) async {
        switch message {
        case .invite(let invite):
            if invitations.count == Self.mostInvitations { invitations.removeFirst() }
            invitations.append(Invitation(invite: invite, time: .now))
        case .goingAway: reporter.show(.note("The server is being stopped; calls go on."))
        case .ringing(let ringing) where isOurs(ringing.call): await ringsThere(ringing.from)
        case .answer(let answer) where isOurs(answer.call): await answered(by: answer.from)
        case .peer(let peer) where isOurs(peer.call):
            call?.peerIsAway = peer.state != .present
            reporter.show(.peer(peer.state.rawValue))
        case .answeredElsewhere(let reference) where isOurs(reference.call): endsBy(.answeredElsewhere)
        case .reject(let reject) where isOurs(reject.call):
            endsBy(.rejected(byUs: false, reason: (reject.reason ?? .declined).rawValue))
        case .cancel(let cancel) where isOurs(cancel.call):
            endsBy(cancel.reason == .rejectedElsewhere ? .declinedElsewhere : .cancelled(byUs: false))
        case .hangup(let hangup) where isOurs(hangup.call):
            endsBy(.hungUp(byUs: false, reason: (hangup.reason ?? .normal).rawValue))
        case .error(let error):
            log.warning("the server: \(error.code) \(error.message)")
            guard let id = error.call, isOurs(id), call?.isAnswered == false else { return }
            endsBy(.refused(error.message.isEmpty ? error.code.rawValue : error.message))
        default: break
        }
    }

    private func isOurs(_ id: CallID) -> Bool { call?.id == id }

    private func ringsThere(_ peer: SignalingPeer?) async {
        guard let call else { return }
        reporter.show(.ringing(by: peer?.user.rawValue ?? call.peerName))
        await sinks.status("It rings at \(call.peerName)…")
    }

    private func answered(by peer: SignalingPeer?) async {
        call?.isAnswered = true
        call?.pathlessSince = .now
        if let peer {
            call?.peerName = peer.nameForPeople
            reporter.show(.answered(by: peer))
        }
        await sinks.status("Connecting to \(call?.peerName ?? "")…")
    }

    // MARK: What the kit says

    func handle(_ message: ClientMessage) async {
        switch message {
        case .invite(let invite) where call?.isCaller == true && call?.id == nil:
            guard let call else { return }
            self.call?.id = invite.call
            reporter.show(.calling(invite.call, to: call.peerName, at: CurrentCall.clock(call.start)))
        case .answer(let answer) where call?.isCaller == true: await tookTheirs(answer.call)
        case .busy(let reference):
            let caller = invitations.last { $0.invite.call == reference.call }?.invite.from.user.rawValue
            reporter.show(.note("\(caller ?? "Somebody") calls too, and is told that we are busy."))
        default: break
        }
    }

    /// Our invitation and theirs crossed, and theirs won: the kit takes it, for this is the call that was wanted.
    private func tookTheirs(_ id: CallID) async {
        call?.id = id
        call?.isCaller = false
        // What the server said of our invitation was no end.
        call?.ending = nil
        if let peer = invitations.last(where: { $0.invite.call == id })?.invite.from {
            call?.peerName = peer.nameForPeople
            reporter.show(.note("Both called at the same time; the call of \(peer.user) is taken."))
        }
        call?.isAnswered = true
        call?.pathlessSince = .now
        await sinks.callBegan(title: call?.peerName ?? "", status: "Connecting to \(call?.peerName ?? "")…")
    }
}
