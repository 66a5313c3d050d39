internal import RTCWire

extension CallCore {
    /// Ends the call: tells the other side, closes the connection, tells the app. The next call may begin at once.
    ///
    /// - Parameters:
    ///   - outcome: What the app is told.
    ///   - reason: What the other side is told; `nil` if it knows, or cannot be told.
    ///   - awaitsSignal: Whether an `endCall` ended it whose signal is still to come.
    mutating func end(
        _ outcome: Call.Outcome, telling reason: CallEndReason?, awaitsSignal: Bool = false, at now: Instant
    ) {
        guard let call else { return }
        move(to: .endingCall)
        outbox.callEnded(call.id)
        if let reason { sendEnd(to: call, reason, at: now) }
        if let connection = call.connection { effects.append(.close(connection)) }
        self.call?.call.state = .ended
        self.call?.call.outcome = outcome
        report(.ended)
        endedCalls.insert(call.id, awaitsSignal: awaitsSignal)
        timers.stopCall()
        if outbox.isEmpty { timers[.resend] = nil }
        self.call = nil
        move(to: .idle)
    }

    /// Says that the call is over, in the words of its stage.
    private mutating func sendEnd(to call: CallRecord, _ reason: CallEndReason, at now: Instant) {
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

    /// How the call ended if the other side gives this reason.
    ///
    /// - Parameter plain: How it ended if a person wanted it, by the kind of signal.
    func outcome(_ plain: Call.Outcome, hasRun: Bool) -> Call.Outcome {
        switch self {
        case .normal, .cancelled, .glare, .left: plain
        case .answeredElsewhere: .answeredElsewhere
        case .rejectedElsewhere: .declinedElsewhere
        case .replaced: .replaced
        case .declined: .declined(by: .remote)
        case .noAnswer: .unanswered
        case .connectionFailed: hasRun ? .connectionLost : .neverConnected
        case .connectionLost: .unreachable
        case .mediaFailed:
            .failed(.webRTCFailed("The other side could not use its devices, or our description of the call."))
        }
    }
}
