internal import RTCPeer
internal import RTCWire

extension CallCore {
    /// Performs a request of the app, if the state allows it.
    ///
    /// - Parameter id: The call that is meant, or the identifier of a new one; `nil` for any.
    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)``; then nothing has changed.
    mutating func perform(_ action: Action, on id: CallIdentifier? = nil, at now: Instant) throws(CallManagerError) {
        advance(to: now)
        switch action {
        case .call(let peer, let media):
            try require(.idle, of: nil, for: .sendingCallRequest)
            if let id, endedCalls.contains(id) { throw .invalidArgument("the call \(id.rawValue) has ended") }
            invite(peer, media: media, as: id, at: now)
        case .answer(accept: true):
            // The call was answered automatically meanwhile.
            if let call, id != nil, call.isNamed(id), call.role == .callee, call.call.isAnswered { return }
            try require(.receivingCallRequest, of: id, for: .answeringCallRequest)
            answer(at: now)
        case .answer(accept: false):
            try require(.receivingCallRequest, of: id, for: .endingCall)
            end(.declined(by: .local), telling: .declined, at: now)
        case .end:
            guard let call, call.isNamed(id) else {
                throw .invalidStateChange(fromState: state(of: id), toState: .endingCall)
            }
            end(call.outcomeOfEnd, telling: call.reasonToEnd, at: now)
        }
    }

    /// The state of the call with that identifier; of any call if it is `nil`.
    private func state(of id: CallIdentifier?) -> CallManagerState { call?.isNamed(id) ?? true ? state : .idle }

    private func require(
        _ required: CallManagerState, of id: CallIdentifier?, for next: CallManagerState
    ) throws(CallManagerError) {
        let state = state(of: id)
        guard state == required else { throw .invalidStateChange(fromState: state, toState: next) }
    }

    // MARK: Calling and answering

    /// Calls `peer`: the invitation is sent when the connection has created its offer.
    mutating func invite(_ peer: PeerID, media: [CallMedia], as id: CallIdentifier? = nil, at now: Instant) {
        let number = nextConnectionNumber()
        let new = Call(
            id: id ?? .random(from: random), peer: Call.Peer(id: peer), direction: .outgoing, state: .calling,
            media: media)
        var call = CallRecord(new, isPolite: false, random: random)
        call.connection = number
        begin(call)
        report(.began)
        timers[.ring] = now + TimeDelta(settings.ringTimeout)
        effects.append(.open(number, isPolite: false, waitsForOffer: false))
    }

    /// Answers the ringing call, or the one that won glare: the answer is sent when the connection has created it.
    mutating func answer(at now: Instant) {
        let number = nextConnectionNumber()
        guard let ringing = call, let offer = call?.invitation else { return assertionFailure("nothing to answer") }
        call?.connection = number
        call?.invitation = nil
        call?.remoteCandidates = []
        move(to: .answeringCallRequest)
        report(.answered)
        timers[.ring] = nil
        timers[.answer] = now + TimeDelta(settings.connectionTimeout)
        effects.append(.open(number, isPolite: ringing.isPolite, waitsForOffer: true))
        effects.append(.receive(number, .description(SessionDescription(type: .offer, sdp: offer))))
        for candidate in ringing.remoteCandidates { effects.append(.receive(number, .candidate(candidate))) }
    }

    private mutating func nextConnectionNumber() -> ConnectionNumber {
        connectionCount += 1
        return connectionCount
    }

    // MARK: The state

    /// Begins a call, when there is none.
    mutating func begin(_ new: CallRecord) {
        check(new.stage)
        call = new
    }

    /// Changes the state of the call by a rule of the core.
    mutating func move(to next: CallManagerState) {
        if check(next) { call?.enter(next) }
    }

    /// Counts a change that the table does not have.
    ///
    /// - Returns: Whether it has the change.
    @discardableResult
    private mutating func check(_ next: CallManagerState) -> Bool {
        do throws(CallManagerError) {
            try CallStateMachine.check(from: state, to: next)
            return true
        } catch {
            assertionFailure("\(error)")
            counters.illegalChanges += 1
            return false
        }
    }
}

extension CallRecord {
    /// The outcome if a person ends the call now.
    fileprivate var outcomeOfEnd: Call.Outcome {
        if call.isAnswered { return .hungUp(by: .local) }
        return role == .caller ? .cancelled(by: .local) : .declined(by: .local)
    }

    /// The reason for the peer if a person ends the call now.
    fileprivate var reasonToEnd: CallEndReason {
        if isAnswered { return .normal }
        return role == .caller ? .cancelled : .declined
    }
}
