internal import RTCTransport
public import RTCWire

// MARK: Perfect negotiation

extension Peer {
    /// Processes a signal of the other peer, in any order, and reports an answer, if one is due, with
    /// ``PeerEvent/signal(_:)``.
    ///
    /// - Throws: ``NegotiationError``; the peer is then unchanged. Always in manual negotiation, in which the caller
    ///   sets descriptions.
    package mutating func receive(_ signal: Signal, at now: Instant) throws(NegotiationError) {
        guard phase != .closed else { return }
        guard case .perfect(let isPolite) = negotiation else {
            throw NegotiationError(
                .invalidState, "with manual negotiation, set remote descriptions and add candidates instead")
        }
        switch signal {
        case .description(let description):
            try receive(description, isPolite: isPolite, at: now)
        case .candidate(let candidate):
            take(try negotiator.receive(candidate), at: now)
        }
        process(at: now)
    }

    /// Applies a description, and the answer to it if one is due; neither if either fails.
    private mutating func receive(
        _ description: SessionDescription, isPolite: Bool, at now: Instant
    ) throws(NegotiationError) {
        var next = negotiator
        guard case .applied(let changes, let isAnswerDue) = try next.receive(description, isPolite: isPolite) else {
            return negotiator = next
        }
        guard isAnswerDue else {
            negotiator = next
            return apply(changes, at: now)
        }
        // Creates the answer on a copy. If our offer was rolled back, the credentials that it announced are not in use.
        let isWithdrawn = changes.contains { if case .rolledBack = $0 { true } else { false } }
        let (input, fresh) = transportInput(for: next, afterWithdrawal: isWithdrawn)
        let answer = try next.setLocal(input)
        negotiator = next
        apply(changes, at: now)
        if let fresh { restartCredentials = fresh }
        apply(answer, at: now)
        sendLocalDescription()
    }

    /// Makes an offer if one is needed, in perfect negotiation; in manual negotiation, notifies the owner.
    mutating func negotiateIfNeeded(at now: Instant) {
        // A connection that the remote peer has closed needs no negotiation.
        guard !isNegotiationHeld, !isNegotiationSuspended || negotiator.needsICERestart, connectionState != .closed,
            !configuration.waitsForOffer || negotiator.remoteDescription != nil,
            !hasFailedInternally, negotiator.pollNegotiationNeeded()
        else { return }
        switch negotiation {
        case .manual:
            events.append(.negotiationNeeded)
        case .perfect:
            // Cannot fail: the negotiator asked for the offer, and the input is our own.
            do throws(NegotiationError) {
                try describe(at: now)
            } catch {
                failInternally("the offer cannot be made: \(error.message)", at: now)
            }
        }
    }

    /// Makes the offer that was held, if one is needed.
    @usableFromInline package mutating func releaseNegotiation(at now: Instant) {
        guard isNegotiationHeld else { return }
        isNegotiationHeld = false
        process(at: now)
    }

    /// Collects changes: no offer is made before ``resumeNegotiation(at:)``. Offers of the other side are still
    /// answered, and the changes that the answer can contain take effect with it.
    ///
    /// An ICE restart is not held, since a connection without a path cannot wait. Its offer contains all changes so
    /// far.
    @usableFromInline package mutating func suspendNegotiation() {
        isNegotiationSuspended = true
    }

    /// Makes one offer of all that was changed since ``suspendNegotiation()``, if anything was.
    @usableFromInline package mutating func resumeNegotiation(at now: Instant) {
        guard isNegotiationSuspended else { return }
        isNegotiationSuspended = false
        process(at: now)
    }

    /// Sets whether this side gives way when offers collide. The other side has to be informed separately: exactly one
    /// of the two must be polite. No effect in manual negotiation.
    @usableFromInline package mutating func setPolite(_ isPolite: Bool) {
        guard case .perfect = negotiation else { return }
        negotiation = .perfect(isPolite: isPolite)
    }

    /// Creates, applies and sends the description that the signalling state requires.
    private mutating func describe(at now: Instant) throws(NegotiationError) {
        apply(try negotiator.setLocal(localInput()), at: now)
        sendLocalDescription()
    }

    private mutating func sendLocalDescription() {
        guard let description = negotiator.localDescription else { return }
        // Candidates must follow the description of their generation.
        events.append(.signal(.description(description)))
    }

    /// Starts over with new addresses and credentials (RFC 8445, section 9). Takes effect with the next offer. Nothing
    /// when either side has closed the connection.
    public mutating func restartICE(at now: Instant) {
        guard connectionState != .closed else { return }
        negotiator.requestICERestart()
        process(at: now)
    }
}

// MARK: Manual negotiation

extension Peer {
    /// `closed` once this side has closed (W3C WebRTC, section 4.3.1).
    @usableFromInline package var signalingState: SignalingState {
        phase == .closed ? .closed : negotiator.signalingState
    }
    @usableFromInline package var localDescription: SessionDescription? { negotiator.localDescription }
    @usableFromInline package var currentLocalDescription: SessionDescription? { negotiator.currentLocalDescription }
    @usableFromInline package var pendingLocalDescription: SessionDescription? { negotiator.pendingLocalDescription }
    @usableFromInline package var remoteDescription: SessionDescription? { negotiator.remoteDescription }
    @usableFromInline package var currentRemoteDescription: SessionDescription? { negotiator.currentRemoteDescription }
    @usableFromInline package var pendingRemoteDescription: SessionDescription? { negotiator.pendingRemoteDescription }

    /// An offer of everything that is wanted (RFC 9429, section 5.2). Applies nothing.
    package mutating func createOffer(at now: Instant) throws(NegotiationError) -> SessionDescription {
        try requireManual()
        return try negotiator.createOffer(localInput())
    }

    /// An answer to the offer that was set (RFC 9429, section 5.3). Applies nothing.
    package mutating func createAnswer(at now: Instant) throws(NegotiationError) -> SessionDescription {
        try requireManual()
        return try negotiator.createAnswer(localInput())
    }

    /// Applies a description of our own; `nil` makes the one that fits.
    package mutating func setLocalDescription(
        _ description: SessionDescription?, at now: Instant
    ) throws(NegotiationError) {
        try requireManual()
        if let description {
            apply(try negotiator.setLocal(description), at: now)
        } else {
            apply(try negotiator.setLocal(localInput()), at: now)
        }
        process(at: now)
    }

    /// Applies the other peer's description.
    package mutating func setRemoteDescription(
        _ description: SessionDescription, at now: Instant
    ) throws(NegotiationError) {
        try requireManual()
        apply(try negotiator.setRemote(description), at: now)
        process(at: now)
    }

    /// Adds a candidate of the other peer; an empty one ends them.
    package mutating func addICECandidate(_ candidate: ICECandidateInit, at now: Instant) throws(NegotiationError) {
        try requireManual()
        _ = try negotiator.classify(candidate)
        take(try negotiator.receive(candidate), at: now)
        process(at: now)
    }

    private func requireManual() throws(NegotiationError) {
        guard phase != .closed else {
            throw NegotiationError(.invalidState, "the connection is closed: make a new one")
        }
        guard negotiation == .manual else {
            throw NegotiationError(
                .invalidState,
                "with perfect negotiation the peer makes and sets descriptions itself: pass on its signals")
        }
    }
}

// MARK: Effects of descriptions

extension Peer {
    /// The transport parameters of our next description.
    private mutating func localInput() -> LocalTransportInput {
        let (input, fresh) = transportInput(for: negotiator, afterWithdrawal: false)
        if let fresh { restartCredentials = fresh }
        return input
    }

    /// The transport parameters of a negotiator's next description, and the credentials of the generation that it
    /// starts, if any.
    ///
    /// - Parameter isWithdrawn: Whether our offer is rolled back before: then a restart that it announced has not
    ///   happened.
    private mutating func transportInput(
        for negotiator: Negotiator, afterWithdrawal isWithdrawn: Bool
    ) -> (LocalTransportInput, fresh: ICECredentials?) {
        let replaced = isWithdrawn ? replaced : nil
        var credentials = replaced?.local ?? ice.localCredentials
        var candidates = replaced?.localCandidates ?? localCandidates
        var isComplete = replaced == nil && ice.gatheringState == .complete
        var fresh: ICECredentials?
        if negotiator.needsFreshICECredentials {
            let unused = isWithdrawn ? nil : restartCredentials
            credentials = unused ?? .random(from: random)
            fresh = credentials
            candidates = []
            isComplete = false
        }
        let input = LocalTransportInput(
            iceUsernameFragment: credentials.usernameFragment, icePassword: credentials.password,
            fingerprints: dtls.localFingerprints, candidates: candidates, endOfCandidates: isComplete)
        return (input, fresh)
    }

    private mutating func apply(_ changes: [NegotiationChange], at now: Instant) {
        defer { applyMediaChanges(at: now) }
        for change in changes {
            switch change {
            case .signalingState(let state):
                events.append(.signalingState(state))
            case .localTransport(let transport):
                startGeneration(transport, at: now)
            case .remoteTransport(let transport):
                connect(to: transport, at: now)
            case .data(let section):
                agree(on: section.remote, at: now)
            case .dataRejected, .dataRemoved:
                retireChannels(at: now)
            case .rolledBack(let rollback):
                if rollback.isLocal { withdrawRestart(at: now) }
            }
        }
    }

    /// Starts gathering when a local description takes effect.
    private mutating func startGeneration(_ transport: NegotiationChange.LocalTransport, at now: Instant) {
        if transport.isRestart, let credentials = restartCredentials {
            replaced = ReplacedGeneration(
                local: ice.localCredentials, remote: ice.remoteCredentials, localCandidates: localCandidates)
            localCandidates = []
            ice.restart(credentials: credentials, at: now)
            // Checks that the relays about to be announced still exist.
            relays.probe(at: now)
            // The sockets of the previous generation are reused.
            ice.endOfSockets(at: now)
        }
        guard phase == .new else { return }
        phase = .gathering
        // The offerer is controlling (RFC 8445, section 6.1.1); set early to avoid a role conflict with an early check.
        if negotiator.signalingState == .haveLocalOffer { ice.setControlling(true) }
        ice.startGathering(at: now)
        events.append(.needsSockets)
    }

    /// Applies the agreed transports to ICE and DTLS.
    private mutating func connect(to transport: NegotiationChange.RemoteTransport, at now: Instant) {
        let remote = transport.description
        ice.setControlling(transport.isICEControlling)
        ice.setRemote(
            ICECredentials(usernameFragment: remote.iceUsernameFragment, password: remote.icePassword),
            isLite: remote.isICELite, at: now)
        restartCredentials = nil
        replaced = nil
        for candidate in remote.candidates { addRemoteCandidate(candidate, at: now) }
        if remote.endOfCandidates { ice.endOfRemoteCandidates(at: now) }
        // The negotiator rejects another certificate or role for a connection in use.
        dtls.setRemote(fingerprints: remote.fingerprints, role: transport.dtlsRole, tlsID: remote.tlsID, at: now)
    }

    /// Returns to the previous generation, because our restart offer was rolled back.
    private mutating func withdrawRestart(at now: Instant) {
        restartCredentials = nil
        guard let replaced else { return }
        self.replaced = nil
        localCandidates = replaced.localCandidates
        ice.cancelRestart(local: replaced.local, remote: replaced.remote, at: now)
    }

    private mutating func take(_ outcome: RemoteCandidateOutcome, at now: Instant) {
        switch outcome {
        case .apply(let candidate): addRemoteCandidate(candidate, at: now)
        case .endOfCandidates: ice.endOfRemoteCandidates(at: now)
        case .held, .ignored: break
        }
    }

    private mutating func addRemoteCandidate(_ text: String, at now: Instant) {
        // The negotiator has checked the syntax; the contents may still be unusable.
        guard let candidate = try? ICECandidate(parsing: text) else { return }
        ice.addRemoteCandidate(candidate, at: now)
    }

    /// Signals a new local candidate.
    mutating func signal(_ candidate: ICECandidate) {
        let text = candidate.description
        localCandidates.append(text)
        let fragment = ice.localCredentials.usernameFragment
        if let found = negotiator.addLocalCandidate(text, usernameFragment: fragment) {
            events.append(.signal(.candidate(found)))
        }
    }

    mutating func signalEndOfCandidates() {
        if let end = negotiator.endLocalCandidates(usernameFragment: ice.localCredentials.usernameFragment) {
            events.append(.signal(.candidate(end)))
        }
    }
}
