internal import RTCPeer
internal import RTCWire

extension CallCore {
    /// Handles an event of the signalling.
    mutating func receive(_ event: SignalingEvent, at now: Instant) {
        advance(to: now)
        switch event {
        case .signal(let bytes, let peer, let isPolite, let details):
            do throws(CallSignalError) {
                take(try CallSignal(decoding: bytes), from: peer, isPolite: isPolite, details, at: now)
            } catch {
                if error == .unknownKind { counters.unknownKinds += 1 } else { counters.malformedSignals += 1 }
                if case .badVerification(let call) = error { failVerification(of: call, from: peer) }
            }
        case .candidate(let bytes, let peer):
            do throws(CallSignalError) {
                take(try CallCandidate(decoding: bytes), from: peer, at: now)
            } catch {
                counters.malformedCandidates += 1
            }
        case .typedSignal(let signal, let peer, let isPolite, let details):
            take(signal, from: peer, isPolite: isPolite, details, at: now)
        case .typedCandidate(let candidate, let peer): take(candidate, from: peer, at: now)
        case .badVerification(let call, let peer):
            counters.malformedSignals += 1
            failVerification(of: call, from: peer)
        case .presence(let call, let presence, let hasNewSession):
            take(presence, hasNewSession: hasNewSession, of: call)
        case .undeliverable(let call): if call == self.call?.id { repeatVerificationLater(at: now) }
        case .endCall(let peer): takeEndCall(from: peer, at: now)
        case .shouldConnect(let peer, let media):
            guard state == .idle, takesCalls else { return counters.unexpected += 1 }
            invite(peer, media: media, at: now)
        case .opened: signalingOpened(at: now)
        case .closed: signalingClosed()
        case .lost(let outcome): if let call, !call.isAnswered { end(outcome, telling: nil, at: now) }
        case .sendingFailed(let outgoing, let peer, let message):
            sendingFailed(outgoing, to: peer, message: message, at: now)
        }
    }

    // MARK: Signals

    private mutating func take(
        _ signal: CallSignal, from peer: PeerID, isPolite: Bool, _ details: SignalDetails, at now: Instant
    ) {
        if signal.content.precedesEndCall, !endedCalls.takeAwaitedSignal(of: signal.call) {
            expectedEndCalls.expect(from: peer, at: now)
        }
        guard !endedCalls.contains(signal.call) else { return counters.late += 1 }
        if case .invite(let sdp, let media) = signal.content {
            let invitation = Invitation(
                call: signal.call, sdp: sdp, media: media, peer: peer, isPolite: isPolite, details: details)
            return takeInvitation(invitation, at: now)
        }
        guard let call, call.id == signal.call, call.hasPart(peer) else {
            counters.unknownCalls += 1
            // The signal may have overtaken its invitation.
            if signal.content.endsCall, signal.call != call?.id {
                endedCalls.insert(signal.call)
                earlyCandidates.forget(signal.call)
            }
            return
        }
        setPolite(isPolite)
        switch signal.content {
        case .invite: break
        case .ringing:
            guard state == .sendingCallRequest else { return counters.unexpected += 1 }
            self.call?.call.state = .ringing
            report(.ringing)
        case .answer(let sdp): takeAnswer(sdp, from: peer, details, at: now)
        case .negotiate(let description): take(description, at: now)
        case .verify(let message): take(message)
        case .reject(let reason):
            let outcome = reason.outcome(.declined(by: .remote), hasRun: call.hasRun)
            // Any other reason without an error means that the peer declines.
            let isDeclined = outcome.error == nil && outcome != .replaced
            end(isDeclined ? .declined(by: .remote) : outcome, telling: nil, at: now)
        case .cancel(let reason):
            end(reason.outcome(.cancelled(by: .remote), hasRun: call.hasRun), telling: nil, at: now)
        case .hangUp(let reason):
            end(reason.outcome(.hungUp(by: .remote), hasRun: call.hasRun), telling: nil, at: now)
        case .busy: endUnlessAnswered(.busy, at: now)
        case .noAnswer: endUnlessAnswered(.unanswered, at: now)
        case .unavailable: endUnlessAnswered(details.refusal.map { .refused($0) } ?? .unreachable, at: now)
        }
    }

    private mutating func takeAnswer(
        _ sdp: String, from peer: PeerID, _ details: SignalDetails, at now: Instant
    ) {
        guard state == .sendingCallRequest, let call, call.hasSentDescription, let connection = call.connection else {
            return counters.unexpected += 1
        }
        let answer = SessionDescription(type: .answer, sdp: sdp)
        self.call?.call.peer.id = peer
        self.call?.call.peer.take(details)
        move(to: .connecting)
        report(.answered)
        self.call?.exchange.remoteAnswer = answer
        effects.append(.receive(connection, .description(answer)))
        connect(at: now)
    }

    /// Handles a later description, in any connection state: it is needed most when the path is lost.
    private mutating func take(_ description: SessionDescription, at now: Instant) {
        guard let call, call.isAnswered, let connection = call.connection else { return counters.unexpected += 1 }
        if description.type == .offer {
            if description == call.exchange.remoteOffer {
                // A repeated offer, because the answer was lost: the same answer is sent again.
                if let answer = call.exchange.answer {
                    counters.unexpected += 1
                    return repeatSignal(answer, of: call)
                }
                // A duplicate of an offer that is being answered. A second answer would be taken for that to the peer's next
                // offer.
                if let first = call.exchange.remoteOfferTime, now < first + CallTimes.repetitionGrace {
                    return counters.unexpected += 1
                }
            }
            self.call?.exchange.remoteOffer = description
            self.call?.exchange.remoteOfferTime = now
            self.call?.exchange.answer = nil
        } else {
            guard call.exchange.openOffer != nil, description != call.exchange.remoteAnswer else {
                return counters.unexpected += 1
            }
            closeOffer()
            self.call?.exchange.remoteAnswer = description
        }
        effects.append(.receive(connection, .description(description)))
    }

    private mutating func endUnlessAnswered(_ outcome: Call.Outcome, at now: Instant) {
        guard let call, !call.isAnswered else { return counters.unexpected += 1 }
        end(outcome, telling: nil, at: now)
    }

    private mutating func take(_ presence: Call.Presence, hasNewSession: Bool, of id: CallIdentifier) {
        guard let call, call.id == id else { return }
        let former = call.call.peer.presence
        self.call?.call.peer.presence = presence
        if former != presence { report(.presence) }
        if hasNewSession || former == .gone { repeatVerification() }
    }

    /// Exactly one peer is polite, as the signalling says.
    private mutating func setPolite(_ isPolite: Bool) {
        guard let call, call.isPolite != isPolite else { return }
        self.call?.isPolite = isPolite
        if let connection = call.connection { effects.append(.setPolite(connection, isPolite)) }
    }

    // MARK: Candidates

    private mutating func take(_ candidate: CallCandidate, from peer: PeerID, at now: Instant) {
        guard !endedCalls.contains(candidate.call) else { return counters.late += 1 }
        guard let call, call.id == candidate.call else {
            counters.surplusCandidates += earlyCandidates.keep(candidate, from: peer, at: now)
            return
        }
        guard call.hasPart(peer) else { return counters.unknownCalls += 1 }
        if let connection = call.connection {
            effects.append(.receive(connection, .candidate(candidate.candidate)))
        } else if call.remoteCandidates.count < CallRecord.maximumCandidates {
            self.call?.remoteCandidates.append(candidate.candidate)
        } else {
            counters.surplusCandidates += 1
        }
    }

    // MARK: Ends without a signal

    private mutating func takeEndCall(from peer: PeerID, at now: Instant) {
        guard !expectedEndCalls.take(from: peer, at: now), let call, call.peer == peer else {
            return counters.endCallsPassedOver += 1
        }
        let outcome: Call.Outcome =
            switch (call.role, isAnswered: call.isAnswered) {
            case (.caller, isAnswered: false): .unreachable
            case (.callee, isAnswered: false): .cancelled(by: .remote)
            case (_, isAnswered: true): .hungUp(by: .remote)
            }
        end(outcome, telling: nil, awaitsSignal: true, at: now)
    }
}

extension CallSignal.Content {
    /// Whether the peer sends an `endCall` after it.
    fileprivate var precedesEndCall: Bool {
        switch self {
        case .reject(let reason), .cancel(let reason), .hangUp(let reason): reason.isFollowedByEndCall
        default: false
        }
    }
}
