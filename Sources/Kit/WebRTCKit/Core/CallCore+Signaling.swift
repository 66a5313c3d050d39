internal import RTCPeer
internal import RTCWire

extension CallCore {
    /// Takes what the signalling brought.
    mutating func receive(_ event: SignalingEvent, at now: Instant) {
        advance(to: now)
        switch event {
        case .signal(let bytes, let peer, let isPolite):
            do throws(CallSignalError) {
                take(try CallSignal(decoding: bytes), from: peer, isPolite: isPolite, at: now)
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
        case .endCall(let peer): takeEndCall(from: peer, at: now)
        case .shouldConnect(let peer, let media):
            guard state == .idle, takesCalls else { return counters.unexpected += 1 }
            invite(peer, media: media, at: now)
        case .opened: signalingOpened(at: now)
        case .closed: signalingClosed()
        case .sendingFailed(let outgoing, let peer, let message):
            sendingFailed(outgoing, to: peer, message: message, at: now)
        }
    }

    // MARK: Signals

    private mutating func take(_ signal: CallSignal, from peer: PeerID, isPolite: Bool, at now: Instant) {
        if signal.content.precedesEndCall, !endedCalls.takeAwaitedSignal(of: signal.call) {
            farewells.expect(from: peer, at: now)
        }
        guard !endedCalls.contains(signal.call) else { return counters.late += 1 }
        if case .invite(let sdp, let media) = signal.content {
            let invitation = Invitation(call: signal.call, sdp: sdp, media: media, peer: peer, isPolite: isPolite)
            return takeInvitation(invitation, at: now)
        }
        guard let call, call.id == signal.call, call.hasPart(peer) else {
            counters.unknownCalls += 1
            // Its invitation may have been overtaken.
            if signal.content.isFarewell, signal.call != call?.id {
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
            effects.append(.report(.ringing))
        case .answer(let sdp): takeAnswer(sdp, from: peer, at: now)
        case .negotiate(let description): take(description, at: now)
        case .verify(let message): take(message)
        case .reject(let reason): end(reason.error(hasRun: call.hasRun) ?? .rejected, telling: nil, at: now)
        case .cancel(let reason), .hangUp(let reason):
            end(reason.error(hasRun: call.hasRun), as: reason.ending, telling: nil, at: now)
        case .busy: endUnlessAnswered(.busy, at: now)
        case .noAnswer: endUnlessAnswered(.noAnswer, at: now)
        case .unavailable: endUnlessAnswered(.peerUnavailable, at: now)
        }
    }

    private mutating func takeAnswer(_ sdp: String, from peer: PeerID, at now: Instant) {
        guard state == .sendingCallRequest, let call, call.hasSentDescription, let connection = call.connection else {
            return counters.unexpected += 1
        }
        let answer = SessionDescription(type: .answer, sdp: sdp)
        self.call?.peer = peer
        self.call?.isAnswered = true
        self.call?.exchange.remoteAnswer = answer
        effects.append(.receive(connection, .description(answer)))
        connect(at: now)
    }

    /// A later description. It is wanted most when the path is gone: nothing of the connection's state is asked here.
    private mutating func take(_ description: SessionDescription, at now: Instant) {
        guard let call, call.isAnswered, let connection = call.connection else { return counters.unexpected += 1 }
        if description.type == .offer {
            if description == call.exchange.remoteOffer {
                // Said again, because our answer was lost: it gets the same answer.
                if let answer = call.exchange.answer {
                    counters.unexpected += 1
                    return repeatSignal(answer, of: call)
                }
                // Delivered together with the first: that one is being answered. Two answers would be one too many, since the
                // second would be taken for that to the other side's next offer.
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

    private mutating func endUnlessAnswered(_ error: CallManagerError, at now: Instant) {
        guard let call, !call.isAnswered else { return counters.unexpected += 1 }
        end(error, telling: nil, at: now)
    }

    /// Exactly one side of a connection is to be polite, and the signalling says which.
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
        } else if call.remoteCandidates.count < Call.maximumCandidates {
            self.call?.remoteCandidates.append(candidate.candidate)
        } else {
            counters.surplusCandidates += 1
        }
    }

    // MARK: The end without a signal

    private mutating func takeEndCall(from peer: PeerID, at now: Instant) {
        guard !farewells.take(from: peer, at: now), let call, call.peer == peer else {
            return counters.endCallsPassedOver += 1
        }
        let isUnanswered = call.role == .caller && !call.isAnswered
        end(isUnanswered ? .peerUnavailable : nil, telling: nil, awaitsSignal: true, at: now)
    }
}

extension CallSignal.Content {
    /// Whether the other side lets an `endCall` follow.
    fileprivate var precedesEndCall: Bool {
        switch self {
        case .reject(let reason), .cancel(let reason), .hangUp(let reason): reason.isFollowedByEndCall
        default: false
        }
    }
}
