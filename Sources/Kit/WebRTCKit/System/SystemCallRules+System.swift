internal import Foundation

// Actions and answers of the system, and pushes.
extension SystemCallRules {
    mutating func perform(_ action: SystemCalls.Action, at now: Duration) -> [Effect] {
        if case .start(let caller) = action.kind { return start(action, caller, at: now) }
        if case .end = action.kind { return end(action.call, by: action.id, at: now) }
        guard let shown, shown.id == action.call else { return [.fail(action.id)] }
        switch action.kind {
        case .mute(let isOn):
            self.shown?.isMuted = isOn
            wantsMute = isOn
            return [.mute(isOn), .fulfill(action.id)]
        case .hold(let isOn):
            self.shown?.isHeld = isOn
            return [.hold(isOn), .fulfill(action.id)]
        case .start, .end, .answer:
            break
        }
        guard !shown.isOutgoing, shown.pendingAction == nil else { return [.fail(action.id)] }
        let prepare = Effect.prepareAudio(hasVideo: shown.caller.hasVideo)
        // Answered before the invitation arrived: the action waits, and the system shows that the call is being connected.
        if shown.isUnanswered { self.shown?.pendingAction = action.id }
        if shown.isAnnounced { return [prepare] }
        return [prepare] + (shown.rings ? answer() : [.fulfill(action.id)])
    }

    /// Answers the ringing call in the kit.
    mutating func answer() -> [Effect] {
        guard let id = shown?.identifier else { return [] }
        shown?.isAnswering = true
        return [.command(.answer(id))]
    }

    private mutating func start(
        _ action: SystemCalls.Action, _ caller: SystemCalls.Caller, at now: Duration
    ) -> [Effect] {
        guard shown == nil, waitingStart == nil else { return [.fail(action.id)] }
        waitingStart = WaitingStart(
            action: action.id, call: action.call, caller: caller, until: now + settings.closingTimeout)
        return startWhatWaits(at: now)
    }

    /// - Parameter action: `nil` if the system has refused the request to end the call.
    private mutating func end(_ id: UUID, by action: UUID?, at now: Duration) -> [Effect] {
        let fulfill: [Effect] = action.map { [.fulfill($0)] } ?? []
        if let start = waitingStart, start.call == id {
            waitingStart = nil
            return [.fail(start.action)] + fulfill
        }
        // A call that does not exist counts as ended.
        guard let shown, shown.id == id else { return fulfill }
        return giveUp(shown, at: now) + fulfill + [.release]
    }

    /// Fails the pending action, and ends the call in the kit.
    private mutating func giveUp(_ call: ShownCall, at now: Duration) -> [Effect] {
        shown = nil
        let failed: [Effect] = call.pendingAction.map { [.fail($0)] } ?? []
        return failed + endInKit(call, at: now)
    }

    mutating func timedOut(_ action: UUID, at now: Duration) -> [Effect] {
        if let start = waitingStart, start.action == action {
            waitingStart = nil
            return [.reportEnded(start.call, .failed)]
        }
        guard var call = shown, call.pendingAction == action else { return [] }
        // It must be neither fulfilled nor failed any more.
        call.pendingAction = nil
        return giveUp(call, at: now) + [.reportEnded(call.id, .failed), .release]
    }

    mutating func reset(at now: Duration) -> [Effect] {
        waitingStart = nil
        guard var call = shown else { return [] }
        call.pendingAction = nil
        return giveUp(call, at: now) + [.release]
    }

    mutating func reported(
        _ id: UUID, _ isRepeated: Bool, _ refusal: SystemCalls.Refusal?, at now: Duration
    ) -> [Effect] {
        if isRepeated {
            // A refusal is expected. Otherwise the system had just ended the call, and its action follows.
            let isUnanswered = shown?.id == id && shown?.isUnanswered == true
            return refusal == nil && !isUnanswered ? [.reportEnded(id, .remoteEnded)] : []
        }
        guard let refusal, refusal != .alreadyExists, let shown, shown.id == id else { return [] }
        return giveUp(shown, at: now) + [.release]
    }

    mutating func failed(_ request: SystemCalls.Request, at now: Duration) -> [Effect] {
        if let start = waitingStart, start.call == request.call, request.kind == .end {
            waitingStart = nil
            return [.fail(start.action)]
        }
        guard let shown, shown.id == request.call else { return [] }
        switch request.kind {
        case .answer: return shown.rings ? [.prepareAudio(hasVideo: shown.caller.hasVideo)] + answer() : []
        case .end:
            let reason = SystemCalls.EndReason(.endedHere, isUnanswered: shown.isUnanswered)
            return end(shown.id, by: nil, at: now) + [.reportEnded(shown.id, reason)]
        case .mute(let isOn):
            self.shown?.isMuted = isOn
            return [.mute(isOn)]
        case .start, .hold: return []
        }
    }

    // MARK: Pushes

    mutating func push(_ caller: SystemCalls.Caller?, _ newCall: UUID, at now: Duration) -> [Effect] {
        // Each push requires a report. During a call that call is reported again, which the system refuses without consequences.
        // The kit answers `busy` to a second caller.
        if let shown { return [.reportIncoming(shown.id, shown.caller, isRepeated: true)] }
        if let start = waitingStart { return [.reportIncoming(start.call, start.caller, isRepeated: true)] }
        guard let caller else {
            let nobody = SystemCalls.Caller(peer: "")
            return [.reportIncoming(newCall, nobody, isRepeated: false), .reportEnded(newCall, .failed)]
        }
        shown = ShownCall(
            id: newCall, caller: caller, isOutgoing: false, invitationDeadline: now + settings.invitationTimeout)
        return [.reportIncoming(newCall, caller, isRepeated: false), .command(.connect(newCall))]
    }

    /// Ends the call that a push has announced. The next call of the peer rings.
    mutating func withdraw(_ peer: PeerID, _ call: CallIdentifier?, _ reason: SystemCalls.EndReason) -> [Effect] {
        // The invitation of a call that was declined will not come.
        declined.removeAll { $0.caller.hasCall(call, of: peer) }
        guard let shown, shown.isAnnounced, shown.caller.hasCall(call, of: peer) else { return [] }
        return finish(shown, reason)
    }

    /// Ends the call that a push has announced, since its invitation is not waiting at the server.
    mutating func caughtUp() -> [Effect] {
        guard settings.endsWithoutInvitation else { return [] }
        declined = []
        guard let shown, shown.isAnnounced else { return [] }
        return finish(shown, .remoteEnded)
    }
}

extension SystemCalls.Caller {
    /// Whether the caller's call is this one: by the identifiers of the call if both are known, otherwise by the peer.
    func hasCall(_ other: CallIdentifier?, of peer: PeerID) -> Bool {
        if let call, let other { return call == other }
        return self.peer == peer
    }
}
