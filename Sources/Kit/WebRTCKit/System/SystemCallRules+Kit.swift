internal import Foundation

// Changes of the kit's calls, and results of its commands.
extension SystemCallRules {
    mutating func take(_ call: Call, from caller: SystemCalls.Caller, _ newCall: UUID) -> [Effect] {
        // After glare the call continues with another identifier.
        if let former = call.formerID, closing.removeValue(forKey: former) != nil {
            return call.state == .ended ? startWhatWaits() : end(call.id)
        }
        if call.state == .ended { return ended(call) }
        // A call that was made without the system is not shown, after glare either.
        let isNew =
            call.direction == .incoming && call.formerID == nil && call.state == .ringing
            && shown?.identifier != call.id && closing[call.id] == nil
        let effects = isNew ? begin(call, from: caller, newCall) : []
        return effects + update(call)
    }

    /// Shows a new incoming call.
    private mutating func begin(_ call: Call, from caller: SystemCalls.Caller, _ newCall: UUID) -> [Effect] {
        if let shown, shown.isAnnounced, shown.caller.hasCall(call.id, of: call.peer.id) {
            self.shown?.caller.peer = call.peer.id
            self.shown?.call = call
            self.shown?.invitationDeadline = nil
            return shown.pendingAction == nil ? [] : answer()
        }
        var effects: [Effect] = []
        // The kit reports an invitation only without a call: the current one has not begun, and will not.
        if let shown, !shown.isAnnounced { effects += overtake(shown) }
        if let index = declined.firstIndex(where: { $0.caller.hasCall(call.id, of: call.peer.id) }) {
            declined.remove(at: index)
            return effects + reject(call.id)
        }
        if let shown { effects += overtake(shown) }
        shown = ShownCall(id: newCall, caller: caller, isOutgoing: false, call: call)
        effects.append(.reportIncoming(newCall, caller, isRepeated: false))
        // A waiting start comes too late.
        if let start = waitingStart {
            waitingStart = nil
            effects.append(.fail(start.action))
        }
        return effects
    }

    /// Removes a call in whose place another one has begun.
    private mutating func overtake(_ call: ShownCall) -> [Effect] {
        let effects = finish(call, .remoteEnded)
        guard let id = call.identifier else { return effects }
        // It may still begin, after that other call.
        return effects + end(id, isStarting: call.isStarting)
    }

    private mutating func update(_ call: Call) -> [Effect] {
        guard let old = shown, old.identifier.map(call.isNamed) == true else { return [] }
        shown?.call = call
        guard call.isConnected, old.call?.isConnected != true else { return [] }
        // The system's state changes only by a request: the kit has answered automatically.
        var effects = old.isOutgoing || old.isAnswering ? fulfillPending() : ask(.answer)
        if old.isOutgoing { effects.append(.reportConnected(old.id)) }
        return effects + (wantsMute && !old.isMuted ? ask(.mute(true)) : [])
    }

    private mutating func fulfillPending() -> [Effect] {
        defer { shown?.pendingAction = nil }
        return shown?.pendingAction.map { [.fulfill($0)] } ?? []
    }

    private mutating func ended(_ call: Call) -> [Effect] {
        if closing.removeValue(forKey: call.id) != nil { return startWhatWaits() }
        guard let shown, shown.identifier.map(call.isNamed) == true, let outcome = call.outcome else { return [] }
        return finish(shown, SystemCalls.EndReason(CallEnding(outcome), isUnanswered: shown.isUnanswered))
    }

    /// Removes a call that the kit has ended, or will not begin.
    mutating func finish(_ call: ShownCall, _ reason: SystemCalls.EndReason) -> [Effect] {
        shown = nil
        var effects: [Effect] = call.pendingAction.map { [.fail($0)] } ?? []
        // The system does not list a call whose start has failed, but one whose answer has.
        if !call.isOutgoing || call.pendingAction == nil { effects.append(.reportEnded(call.id, reason)) }
        return effects + [.release]
    }

    // MARK: Results

    mutating func done(_ command: Command, _ succeeded: Bool, at now: Duration) -> [Effect] {
        switch command {
        case .connect(let id):
            guard !succeeded, let shown, shown.id == id, shown.isAnnounced else { return [] }
            return finish(shown, .failed)
        case .call(let id, _):
            guard let shown, shown.isStarting, shown.id.uuidString == id.rawValue else {
                return startedAfterAll(id, succeeded)
            }
            self.shown?.isStarting = false
            return succeeded ? fulfillPending() : finish(shown, .failed)
        case .answer(let id):
            guard let shown, shown.identifier == id else { return [] }
            if succeeded { return fulfillPending() }
            // It may still have the call that it could not answer.
            return finish(shown, .failed) + endInKit(shown, at: now)
        case .reject(let id), .end(let id): return endingDone(command, id, succeeded)
        }
    }
}

extension Call {
    /// Whether there is or was a connection.
    fileprivate var isConnected: Bool { state == .connected || state == .reconnecting }
}
