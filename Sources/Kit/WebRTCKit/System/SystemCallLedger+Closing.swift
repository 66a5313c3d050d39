internal import Foundation

// What the system has ended, until the kit has, too. The next call waits for it.
//
// The kit takes what it is told without a name: a hang-up may overtake the call that it is meant for, an answer may meet
// another call. Where that can have happened, the kit is looked at once more when it has done all it was told.
extension SystemCallLedger {
    /// Ends a call in the kit of which the system knows no more.
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

    /// The call before is closed, or is waited for no longer.
    mutating func closed() -> [Effect] {
        if let closing, closing.isBusy { ghosts.insert(closing.id) }
        closing = nil
        return startWhatWaits()
    }

    /// There is another call. The one before was over by then, or begins only now.
    mutating func dropClosing() {
        if let closing, closing.wasBusy, !closing.isSettled, closing.isBusy || closing.isKnown {
            if closing.isBusy { ghosts.insert(closing.id) } else { unsettled = closing.id }
        }
        closing = nil
    }

    /// The kit has told that a call is over.
    mutating func closingEnded() -> [Effect] {
        guard let closing, closing.wasBusy, !closing.isSettled else { return closed() }
        // It need not have been this one.
        self.closing?.hasEnded = true
        return []
    }

    /// The kit has done with `end` or `reject`.
    mutating func endingDone(_ id: UUID, _ succeeded: Bool) -> [Effect] {
        guard var closing, closing.id == id else { return [] }
        closing.isDone = true
        self.closing = closing
        // Mostly: word of the end has come, or is on its way.
        if !closing.wasBusy, succeeded { return [] }
        return closing.isBusy ? [] : [.command(.settle(id))]
    }

    /// The kit has done with `call` or `answer` for a call that was given up.
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

    /// Looks at the kit once more, as soon as it has no call that is wanted.
    mutating func settleIfPossible() -> [Effect] {
        guard let id = unsettled, settling == nil, call.map({ $0.isAnnounced || $0.isOutgoing && $0.isBusy }) ?? true
        else { return [] }
        unsettled = nil
        settling = id
        return [.command(.settle(id))]
    }

    /// The kit has done all it was told, and has no call, or one that rings.
    ///
    /// - Parameter hasEnded: Whether it had another one, which it has ended.
    mutating func settled(_ id: UUID, _ hasEnded: Bool, at now: Duration) -> [Effect] {
        if settling == id { settling = nil }
        guard var closing, closing.id == id else {
            if hasEnded { lull = now + .seconds(1) }
            return startWhatWaits()
        }
        if closing.hasEnded || !closing.isKnown { return closed() }
        // It has ended, and word of that is on its way.
        closing.isSettled = true
        closing.until = min(closing.until, now + .seconds(1))
        self.closing = closing
        return []
    }
}
