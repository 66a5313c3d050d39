internal import RTCPeer
internal import RTCWire

extension CallCore {
    /// Sends a signal of `call`.
    ///
    /// An invitation and an answer are sent at once, even if the signalling is closed: if that fails, the call ends. Other
    /// messages wait while the signalling is closed.
    mutating func post(_ content: CallSignal.Content, of call: CallRecord) { post(content, of: call.id, to: call.peer) }

    mutating func post(_ content: CallSignal.Content, of call: CallIdentifier, to peer: PeerID) {
        let outgoing = Outgoing.signal(CallSignal(call: call, content))
        let entry = Outbox.Entry(outgoing: outgoing, peer: peer, call: call, endsCall: content.endsCall)
        switch content {
        case .invite, .answer: sendNow(entry)
        case _ where content.endsCall && isSignalingOpen: sendNow(entry)
        default: send(entry)
        }
    }

    mutating func post(_ candidate: ICECandidateInit, of call: CallRecord) {
        let outgoing = Outgoing.candidate(CallCandidate(call: call.id, candidate))
        send(Outbox.Entry(outgoing: outgoing, peer: call.peer, call: call.id))
    }

    /// Sends an `endCall` after the last signal.
    mutating func postEndCall(of call: CallRecord) {
        send(Outbox.Entry(outgoing: .endCall, peer: call.peer, call: call.id, endsCall: true))
    }

    /// Answers `busy` to the call that gave way to `call`, unless `call` was answered: it may still wait for an answer.
    mutating func refuseDisplaced(by call: CallRecord) {
        guard !call.isAnswered, let displaced = call.displaced else { return }
        post(.busy, of: displaced.call, to: displaced.peer)
    }

    /// Sends a description again.
    mutating func repeatSignal(_ description: SessionDescription, of call: CallRecord) {
        let outgoing = Outgoing.signal(CallSignal(call: call.id, .negotiate(description)))
        guard !outbox.contains(outgoing) else { return }
        send(Outbox.Entry(outgoing: outgoing, peer: call.peer, call: call.id))
    }

    private mutating func send(_ entry: Outbox.Entry) {
        // Waiting messages are sent first.
        guard isSignalingOpen, outbox.isEmpty else {
            counters.unsent += outbox.append(entry)
            return
        }
        effects.append(.send(entry.outgoing, to: entry.peer))
    }

    /// Sends a message after those that wait.
    private mutating func sendNow(_ entry: Outbox.Entry) {
        flushOutbox()
        effects.append(.send(entry.outgoing, to: entry.peer))
    }

    mutating func flushOutbox() {
        timers[.resend] = nil
        for entry in outbox.takeAll() { effects.append(.send(entry.outgoing, to: entry.peer)) }
    }

    // MARK: Results of sending

    mutating func signalingOpened(at now: Instant) {
        isSignalingOpen = true
        outbox.forgetAttempts()
        let offerWaits =
            call.map { call in
                call.exchange.openOffer.map {
                    outbox.contains(.signal(CallSignal(call: call.id, .negotiate($0))))
                } ?? false
            } ?? false
        let verificationWaits = verificationWaits
        flushOutbox()
        guard let call, call.isAnswered else { return }
        if !verificationWaits { repeatVerification() }
        if call.exchange.openOffer != nil {
            // The server may have lost the offer, or its answer.
            self.call?.exchange.repetitions = 0
            timers[.repeatOffer] = now + (offerWaits ? CallTimes.restartInterval : CallTimes.repeatOfferDelay)
        }
        resumeRecovery(at: now)
    }

    mutating func signalingClosed() {
        isSignalingOpen = false
        timers[.resend] = nil
        timers[.repeatOffer] = nil
        timers[.restart] = nil
    }

    /// Handles a message that could not be sent.
    mutating func sendingFailed(_ outgoing: Outgoing, to peer: PeerID, message: String, at now: Instant) {
        switch outgoing {
        case .endCall:
            // Without its signal it could end a later call.
            guard let signal = outbox.endingSignal(to: peer), signal.outgoing != .endCall else { return }
            keep(Outbox.Entry(outgoing: .endCall, peer: peer, call: signal.call, endsCall: true), at: now)
        case .candidate(let candidate):
            guard candidate.call == call?.id else { return }
            keep(Outbox.Entry(outgoing: outgoing, peer: peer, call: candidate.call), at: now)
        case .signal(let signal):
            if signal.content.endsCall {
                keep(Outbox.Entry(outgoing: outgoing, peer: peer, call: signal.call, endsCall: true), at: now)
            } else if signal.call == call?.id {
                signalFailed(signal, outgoing, to: peer, message: message, at: now)
            }
        }
    }

    private mutating func signalFailed(
        _ signal: CallSignal, _ outgoing: Outgoing, to peer: PeerID, message: String, at now: Instant
    ) {
        switch signal.content {
        case .invite:
            // If it was answered, the invitation did arrive.
            guard state == .sendingCallRequest, let call else { return }
            end(.failed(.signalingFailed(message)), telling: nil, at: now)
            refuseDisplaced(by: call)
        case .answer:
            guard state == .connecting, call?.hasRun == false else { return }
            // The caller has no answer: it is told as if there had been none.
            call?.hasSentDescription = false
            end(.failed(.signalingFailed(message)), telling: .connectionLost, at: now)
        case .verify:
            // Repeated when the signalling is connected again.
            counters.unsent += 1
        default:
            keep(Outbox.Entry(outgoing: outgoing, peer: peer, call: signal.call), at: now)
        }
    }

    private mutating func keep(_ entry: Outbox.Entry, at now: Instant) {
        counters.unsent += outbox.keep(entry)
        // A connected server may refuse a message for a moment, and does not report when it would accept it.
        if isSignalingOpen, !outbox.isEmpty, timers[.resend] == nil { timers[.resend] = now + outbox.delay }
    }
}

extension CallSignal.Content {
    /// Whether the signal ends the call, or says that there is none.
    var endsCall: Bool {
        switch self {
        case .reject, .cancel, .hangUp, .busy: true
        default: false
        }
    }
}
