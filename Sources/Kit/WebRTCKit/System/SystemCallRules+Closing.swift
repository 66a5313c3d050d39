internal import Foundation

// Calls that the system has ended, while the kit still closes them. The next call waits for that.
extension SystemCallRules {
    /// A call that the system has ended, until the kit reports its end or does not know it.
    struct Closing: Sendable {
        /// Whether the command `call` is running, and may begin the call after `end` has found none.
        var isStarting = false
        /// Whether `end` or `reject` is running.
        var isEnding = true
        /// Whether the call has begun meanwhile, perhaps after `end` has found none.
        var endsAgain = false
    }

    /// Ends a call in the kit that the system has ended.
    mutating func endInKit(_ call: ShownCall, at now: Duration) -> [Effect] {
        guard let id = call.identifier else {
            declined.append(Declined(caller: call.caller, until: now + settings.invitationTimeout))
            return []
        }
        return call.rings ? reject(id) : end(id, isStarting: call.isStarting)
    }

    mutating func reject(_ id: CallIdentifier) -> [Effect] {
        closing[id] = Closing()
        return [.command(.reject(id))]
    }

    mutating func end(_ id: CallIdentifier, isStarting: Bool = false) -> [Effect] {
        closing[id] = Closing(isStarting: isStarting)
        return [.command(.end(id))]
    }

    /// The command `call` of an ended call is done.
    mutating func startedAfterAll(_ id: CallIdentifier, _ succeeded: Bool) -> [Effect] {
        guard let call = closing[id] else { return [] }
        if call.isEnding {
            closing[id]?.isStarting = false
            closing[id]?.endsAgain = succeeded
            return []
        }
        if succeeded { return end(id) }
        closing[id] = nil
        return startWhatWaits()
    }

    /// The command `end` or `reject` is done. If it has succeeded, the end of the call is reported.
    mutating func endingDone(_ command: Command, _ id: CallIdentifier, _ succeeded: Bool) -> [Effect] {
        guard let call = closing[id] else { return [] }
        closing[id]?.isEnding = false
        if succeeded || call.isStarting { return [] }
        // A call that the kit has answered automatically cannot be rejected.
        if call.endsAgain || command == .reject(id) { return end(id) }
        closing[id] = nil
        return startWhatWaits()
    }

    /// Starts the waiting call once all earlier calls are closed, or its time limit is over.
    mutating func startWhatWaits(at now: Duration? = nil) -> [Effect] {
        guard let start = waitingStart else { return [] }
        if let now, start.until <= now { closing = closing.filter { $0.value.isStarting || $0.value.isEnding } }
        guard closing.isEmpty || now.map({ start.until <= $0 }) == true else { return [] }
        waitingStart = nil
        guard shown == nil, let id = CallIdentifier(rawValue: start.call.uuidString) else {
            return [.fail(start.action)]
        }
        shown = ShownCall(
            id: start.call, caller: start.caller, isOutgoing: true, pendingAction: start.action, isStarting: true)
        return [
            .prepareAudio(hasVideo: start.caller.hasVideo), .reportStartedConnecting(start.call),
            .command(.call(id, start.caller.peer)),
        ]
    }
}
