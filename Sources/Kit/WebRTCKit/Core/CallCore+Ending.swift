internal import RTCWire

extension CallCore {
    /// Ends the call: tells the other side, closes the connection, tells the app. The next call may begin at once.
    ///
    /// - Parameters:
    ///   - error: What the app is told; `nil` if a person of either side wanted it.
    ///   - ending: How it ended, where the error does not tell.
    ///   - reason: What the other side is told; `nil` if it knows, or cannot be told.
    ///   - awaitsSignal: Whether an `endCall` ended it whose signal is still to come.
    mutating func end(
        _ error: CallManagerError?, as ending: CallEnding? = nil, telling reason: CallEndReason?,
        awaitsSignal: Bool = false, at now: Instant
    ) {
        guard let call else { return }
        move(to: .endingCall)
        outbox.callEnded(call.id)
        if let reason { sayFarewell(to: call, reason, at: now) }
        if let connection = call.connection { effects.append(.close(connection)) }
        effects.append(.report(.ended(error, ending ?? CallEnding(error))))
        endedCalls.insert(call.id, awaitsSignal: awaitsSignal)
        timers.stopCall()
        if outbox.isEmpty { timers[.resend] = nil }
        self.call = nil
        move(to: .idle)
    }

    /// Says that the call is over, in the words of its stage.
    private mutating func sayFarewell(to call: Call, _ reason: CallEndReason, at now: Instant) {
        switch (call.role, isAnswered: call.isAnswered) {
        // Who was not invited yet need not be told.
        case (.caller, isAnswered: false):
            guard call.hasSentDescription else { return }
            post(.cancel(reason), of: call)
        case (.callee, isAnswered: false): post(.reject(reason), of: call)
        case (_, isAnswered: true): post(.hangUp(reason), of: call)
        }
        if reason.isFollowedByEndCall { postEndCall(of: call) }
        refuseDisplaced(by: call)
    }
}

extension CallEndReason {
    /// Whether `endCall` follows the signal. Where another call takes the place of this one, a server would take it for the
    /// end of that.
    var isFollowedByEndCall: Bool {
        switch self {
        case .glare, .replaced: false
        default: true
        }
    }

    /// How the call ended for this person, where the error does not tell.
    var ending: CallEnding? {
        switch self {
        case .answeredElsewhere: .answeredElsewhere
        case .rejectedElsewhere: .declinedElsewhere
        default: nil
        }
    }

    /// What the app is told when the other side gives this reason.
    func error(hasRun: Bool) -> CallManagerError? {
        switch self {
        case .normal, .cancelled, .answeredElsewhere, .rejectedElsewhere, .glare, .replaced, .left: nil
        case .declined: .rejected
        case .noAnswer: .noAnswer
        case .connectionFailed: hasRun ? .connectionLost : .connectionTimeout
        case .connectionLost: .peerUnavailable
        case .mediaFailed: .webRTCFailed("The other side could not use its devices, or our description of the call.")
        }
    }
}
