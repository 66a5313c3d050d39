internal import RTCPeer
internal import RTCSignaling

extension DuetSignalingCalls {
    /// The consequences of a message of the server.
    struct Reaction: Sendable {
        /// Signals for the kit.
        var deliveries: [Delivery] = []
        /// Messages for the server.
        var replies: [Outgoing] = []
        /// A message for the log.
        var remark: String?
    }

    enum Delivery: Sendable, Hashable {
        case signal(CallSignal, from: PeerID, isPolite: Bool, SignalDetails)
        case candidate(Candidate, from: PeerID)
        /// A `verify` signal that cannot be parsed.
        case badVerification(CallIdentifier, from: PeerID, isPolite: Bool)
        case presence(CallIdentifier, Call.Presence, hasNewSession: Bool)
        /// The server has dropped a message to the peer, which is slow to read.
        case undeliverable(CallIdentifier)
    }

    mutating func receive(_ message: ServerMessage) -> Reaction {
        switch message {
        case .invite(let invite): return receive(invite)
        case .ringing(let reference): return deliver(.ringing, reference.call, reference.from)
        case .answer(let answer): return receive(answer)
        case .answeredElsewhere(let reference):
            return finish(.cancel(.answeredElsewhere), reference.call, reference.from)
        case .reject(let end):
            return finish(.reject(CallEndReason(end.reason, default: .declined)), end.call, end.from)
        case .busy(let reference): return finish(.busy, reference.call, reference.from)
        case .cancel(let end):
            return finish(.cancel(CallEndReason(end.reason, default: .cancelled)), end.call, end.from)
        case .noAnswer(let reference): return finish(.noAnswer, reference.call, nil)
        case .unavailable(let reference): return finish(.unavailable, reference.call, nil)
        // The winner's invitation arrived before this message.
        case .glare(let glare): return finish(.cancel(.glare), glare.call, nil)
        case .candidates(let candidates): return receive(candidates)
        case .negotiate(let negotiate): return receive(negotiate)
        case .signal(let signal): return receive(signal)
        case .hangup(let end):
            return finish(.hangUp(CallEndReason(end.reason, default: .normal)), end.call, end.from)
        case .peer(let peer): return receive(peer)
        case .attached(let reference):
            return Reaction(deliveries: presence(.present, of: reference.call, hasNewSession: true))
        case .error(let error): return receive(error)
        case .welcome, .ack, .ping, .pong, .goingAway, .iceServers, .presence, .unknown, .malformed:
            return Reaction()
        }
    }

    // MARK: Starting calls

    private mutating func receive(_ invite: IncomingInvite) -> Reaction {
        // The caller may repeat its invitation to a restarted server.
        let peer = self[invite.call]?.peer ?? name(of: invite.from)
        guard case .sdp(.offer, let sdp)? = invite.description, !sdp.isEmpty else {
            return Reaction(
                replies: [.message(.reject(Reject(call: invite.call, reason: .mediaFailed)))],
                remark: "an invitation of \(peer) has no offer that can be used")
        }
        if self[invite.call] == nil { begin(invite.call, with: peer, isCaller: false) }
        let media = (invite.media ?? []).compactMap { CallMedia(rawValue: $0.rawValue) }
        return deliver(.invite(sdp: sdp, media: media), invite.call, invite.from, polite: invite.polite)
    }

    private mutating func receive(_ answer: Delivered<Answer>) -> Reaction {
        guard case .sdp(.answer, let sdp)? = answer.description, !sdp.isEmpty else {
            var reaction = finish(.hangUp(.mediaFailed), answer.call, answer.from)
            reaction.replies = [.message(.hangup(HangUp(call: answer.call, reason: .mediaFailed)))]
            reaction.remark = "an answer has no description that can be used"
            return reaction
        }
        answered(answer.call)
        return deliver(.answer(sdp: sdp), answer.call, answer.from, polite: answer.polite)
    }

    // MARK: Connected calls

    private func receive(_ candidates: Delivered<Candidates>) -> Reaction {
        guard let call = CallIdentifier(rawValue: candidates.call.rawValue) else { return Reaction() }
        let peer = name(of: candidates.from, in: candidates.call)
        let known = candidates.candidates.compactMap { candidate -> ICECandidateInit? in
            guard case .candidate(let value) = candidate else { return nil }
            return ICECandidateInit(
                candidate: value.candidate, sdpMid: value.sdpMid, sdpMLineIndex: value.sdpMLineIndex.map(Int.init),
                usernameFragment: value.usernameFragment)
        }
        return Reaction(deliveries: known.map { .candidate(Candidate(call: call, $0), from: peer) })
    }

    private func receive(_ negotiate: Delivered<Negotiate>) -> Reaction {
        guard case .sdp(let type, let sdp) = negotiate.description else { return Reaction() }
        guard !sdp.isEmpty || type == .rollback else { return Reaction(remark: "an empty description is passed over") }
        let description: SessionDescription
        switch type {
        case .offer: description = SessionDescription(type: .offer, sdp: sdp)
        case .answer: description = SessionDescription(type: .answer, sdp: sdp)
        case .pranswer, .rollback: return Reaction(remark: "a \(type.rawValue) is passed over")
        }
        return deliver(.negotiate(description), negotiate.call, negotiate.from, polite: negotiate.polite)
    }

    /// Signals of other kinds are ignored. A `verify` signal that cannot be parsed is passed to the kit.
    private func receive(_ signal: IncomingSignal) -> Reaction {
        guard let call = signal.call, signal.kind?.rawValue == Self.verification,
            let id = CallIdentifier(rawValue: call.rawValue)
        else { return Reaction() }
        let peer = name(of: signal.from, in: call)
        guard let message = VerificationData.message(signal.data) else {
            return Reaction(deliveries: [.badVerification(id, from: peer, isPolite: signal.polite)])
        }
        let verification = CallSignal(call: id, .verify(message))
        return Reaction(deliveries: [
            .signal(verification, from: peer, isPolite: signal.polite, SignalDetails(signal.from))
        ])
    }

    private func presence(_ presence: Call.Presence, of call: CallID, hasNewSession: Bool = false) -> [Delivery] {
        guard let id = CallIdentifier(rawValue: call.rawValue) else { return [] }
        return [.presence(id, presence, hasNewSession: hasNewSession)]
    }

    private func receive(_ peer: PeerState) -> Reaction {
        var reaction = Reaction(deliveries: presence(Call.Presence(peer.state), of: peer.call))
        if peer.state == .gone {
            reaction.remark = "the other side's signalling is gone; the call goes on without it"
        }
        return reaction
    }

    // MARK: Ended calls

    private mutating func receive(_ error: SignalingErrorMessage) -> Reaction {
        var reaction = Reaction(remark: "the server refuses something (\(error.code.rawValue)): \(error.message)")
        guard let call = error.call, let entry = self[call] else { return reaction }
        guard !entry.isAnswered else {
            if error.code == .undeliverable, let id = CallIdentifier(rawValue: call.rawValue) {
                reaction.deliveries = [.undeliverable(id)]
            }
            return reaction
        }
        switch (error.code, isCaller: entry.isCaller) {
        case (.malformed, true), (.tooLarge, true), (.callExists, true), (.tooManyCalls, true), (.rateLimited, true),
            (.forbidden, true), (.undeliverable, true), (.unknownCall, true):
            let refusal = error.message.isEmpty ? error.code.rawValue : error.message
            reaction.deliveries = finish(.unavailable, call, nil, refusal: refusal).deliveries
            // If the error was about another message of this call, the call ends nevertheless.
            if error.code != .unknownCall, error.code != .callExists {
                reaction.replies = [.message(.cancel(Cancel(call: call)))]
            }
        case (.unknownCall, false): reaction.deliveries = finish(.cancel(.connectionLost), call, nil).deliveries
        default: break
        }
        return reaction
    }

    private func deliver(
        _ content: CallSignal.Content, _ call: CallID, _ peer: SignalingPeer?, polite: Bool? = nil,
        refusal: String? = nil
    ) -> Reaction {
        guard let id = CallIdentifier(rawValue: call.rawValue) else { return Reaction() }
        let signal = CallSignal(call: id, content)
        var details = SignalDetails(peer)
        details.refusal = refusal
        // If the server does not set it, the callee is polite.
        let isPolite = polite ?? !(self[call]?.isCaller ?? false)
        return Reaction(deliveries: [.signal(signal, from: name(of: peer, in: call), isPolite: isPolite, details)])
    }

    private mutating func finish(
        _ content: CallSignal.Content, _ call: CallID, _ peer: SignalingPeer?, refusal: String? = nil
    ) -> Reaction {
        let reaction = deliver(content, call, peer, refusal: refusal)
        ended(call)
        return reaction
    }
}

extension CallEndReason {
    fileprivate init(_ reason: CallReason?, default other: CallEndReason) {
        guard let reason else {
            self = other
            return
        }
        self = CallEndReason(rawValue: reason.rawValue) ?? .normal
    }
}

extension SignalDetails {
    init(_ peer: SignalingPeer?) {
        self.init(
            device: peer?.address.description, name: peer?.name?.rawValue, nameIsProven: peer?.nameIsProven ?? false)
    }
}

extension Call.Presence {
    init(_ state: PeerState.State) {
        self =
            switch state {
            case .present: .present
            case .away: .away
            case .gone: .gone
            }
    }
}
