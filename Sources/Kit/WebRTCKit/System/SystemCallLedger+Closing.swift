internal import Foundation

// Calls that the system has ended, while the kit still closes them. The next call waits for that.
//
// The kit's methods take no identifier: a hang-up may overtake the call that it is meant for, and an answer may reach another
// call. If that is possible, the kit's state is checked (`settle`) after all commands are done.
extension SystemCallLedger {
    /// Ends a call in the kit that the system has ended.
    mutating func endInKit(_ call: Call, at now: Duration) -> [Effect] {
        if call.isAnnounced {
            declined.append(Declined(peer: call.caller.peer, until: now + settings.invitationTimeout))
            return []
        }
        closing = Closing(
            id: call.id, isBusy: call.isBusy, isKnown: !(call.isOutgoing && call.isBusy),
            until: now + settings.closingTimeout)
        return [.command(call.stage == .ringing ? .reject(call.id) : .end(call.id))]
    }

    /// The previous call is closed, or its time limit is over.
    mutating func closed() -> [Effect] {
        if let closing, closing.isBusy { ghosts.insert(closing.id) }
        closing = nil
        return startWhatWaits()
    }

    /// Called when there is a new call: the previous one is over, or begins only now.
    mutating func dropClosing() {
        if let closing, closing.wasBusy, !closing.isSettled, closing.isBusy || closing.isKnown {
            if closing.isBusy { ghosts.insert(closing.id) } else { unsettled = closing.id }
        }
        closing = nil
    }

    /// The kit has reported the end of a call.
    mutating func closingEnded() -> [Effect] {
        guard let closing, closing.wasBusy, !closing.isSettled else { return closed() }
        // It may have been another call.
        self.closing?.hasEnded = true
        return []
    }

    /// The command `end` or `reject` is done.
    mutating func endingDone(_ id: UUID, _ succeeded: Bool) -> [Effect] {
        guard var closing, closing.id == id else { return [] }
        closing.isDone = true
        self.closing = closing
        // The usual case: the end was reported, or will be.
        if !closing.wasBusy, succeeded { return [] }
        return closing.isBusy ? [] : [.command(.settle(id))]
    }

    /// The command `call` or `answer` of an ended call is done.
    mutating func beganAfterAll(_ id: UUID, _ succeeded: Bool) -> [Effect] {
        if var closing, closing.id == id {
            closing.isBusy = false
            if succeeded { closing.isKnown = true }
            self.closing = closing
            return closing.isDone ? [.command(.settle(id))] : []
        }
        ghosts.remove(id)
        guard succeeded else { return startWhatWaits() }
        unsettled = id
        return []
    }

    /// Checks the kit's state as soon as it has no wanted call.
    mutating func settleIfPossible() -> [Effect] {
        guard let id = unsettled, settling == nil, call.map({ $0.isAnnounced || $0.isOutgoing && $0.isBusy }) ?? true
        else { return [] }
        unsettled = nil
        settling = id
        return [.command(.settle(id))]
    }

    /// The command `settle` is done: the kit has no call, or a ringing one.
    ///
    /// - Parameter hasEnded: Whether it has ended another one.
    mutating func settled(_ id: UUID, _ hasEnded: Bool, at now: Duration) -> [Effect] {
        if settling == id { settling = nil }
        guard var closing, closing.id == id else {
            if hasEnded { lull = now + .seconds(1) }
            return startWhatWaits()
        }
        if closing.hasEnded || !closing.isKnown { return closed() }
        // The call was ended, and its end will be reported.
        closing.isSettled = true
        closing.until = min(closing.until, now + .seconds(1))
        self.closing = closing
        return []
    }
}
