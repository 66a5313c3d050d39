internal import RTCPeer
internal import RTCWire

extension CallCore {
    /// Handles an event of a connection.
    mutating func receive(_ event: ConnectionEvent, of connection: ConnectionNumber, at now: Instant) {
        advance(to: now)
        guard let call, call.connection == connection else { return counters.staleConnectionEvents += 1 }
        switch event {
        case .signal(.description(let description)): signal(description, of: call, at: now)
        case .signal(.candidate(let candidate)): signal(candidate, of: call)
        case .state(let state): connectionChanged(to: state, at: now)
        case .failed(let message): end(.failed(.webRTCFailed(message)), telling: .mediaFailed, at: now)
        case .fingerprints(let local, let remote): beginVerification(local: local, remote: remote)
        }
    }

    // MARK: Descriptions and candidates

    private mutating func signal(_ description: SessionDescription, of call: CallRecord, at now: Instant) {
        switch (call.role, description.type) {
        case (.caller, .offer) where !call.hasSentDescription:
            self.call?.hasSentDescription = true
            post(.invite(sdp: description.sdp, media: call.media), of: call)
            postLocalCandidates(of: call)
        case (.callee, .answer) where !call.hasSentDescription:
            post(.answer(sdp: description.sdp), of: call)
            postLocalCandidates(of: call)
            move(to: .connecting)
            connect(at: now)
        case (_, .offer) where call.isAnswered, (_, .answer) where call.isAnswered:
            let content = CallSignal.Content.negotiate(description)
            if description.type == .offer {
                self.call?.exchange.openOffer = description
                self.call?.exchange.repetitions = 0
                awaitAnswer(at: now)
            } else {
                self.call?.exchange.answer = description
                // An answer implies that the local offer, if there was one, was withdrawn.
                closeOffer()
            }
            post(content, of: call)
        default:
            // A connection makes no offer before the call is answered, and no answer without an offer.
            counters.unexpected += 1
        }
    }

    private mutating func signal(_ candidate: ICECandidateInit, of call: CallRecord) {
        if call.hasSentDescription {
            post(candidate, of: call)
        } else if call.localCandidates.count < CallRecord.maximumCandidates {
            self.call?.localCandidates.append(candidate)
        } else {
            counters.surplusCandidates += 1
        }
    }

    private mutating func postLocalCandidates(of call: CallRecord) {
        for candidate in call.localCandidates { post(candidate, of: call) }
        self.call?.localCandidates = []
    }
}
