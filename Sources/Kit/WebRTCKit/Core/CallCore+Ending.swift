internal import RTCWire

extension CallCore {
    /// Ends the call: notifies the peer, closes the connection, reports the end. The next call may begin at once.
    ///
    /// - Parameters:
    ///   - outcome: The outcome for the app.
    ///   - reason: The reason for the peer; `nil` if it knows, or cannot be notified.
    ///   - awaitsSignal: Whether an `endCall` ended the call before its signal arrived.
    mutating func end(
        _ outcome: Call.Outcome, telling reason: CallEndReason?, awaitsSignal: Bool = false, at now: Instant
    ) {
        guard let call else { return }
        move(to: .endingCall)
        outbox.callEnded(call.id)
        if let reason { sendEnd(to: call, reason, at: now) }
        if let connection = call.connection { effects.append(.close(connection)) }
        self.call?.call.outcome = outcome
        report(.ended)
        endedCalls.insert(call.id, awaitsSignal: awaitsSignal)
        timers.stopCall()
        if outbox.isEmpty { timers[.resend] = nil }
        self.call = nil
    }

    /// Sends the signal that ends the call in its current stage.
    private mutating func sendEnd(to call: CallRecord, _ reason: CallEndReason, at now: Instant) {
        switch (call.role, isAnswered: call.isAnswered) {
        // A peer that was not invited yet is not notified.
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
    /// Whether `endCall` follows the signal. If another call replaces this one, a server would take it for the end of that call.
    var isFollowedByEndCall: Bool {
        switch self {
        case .glare, .replaced: false
        default: true
        }
    }

    /// The outcome if the peer gives this reason.
    ///
    /// - Parameter plain: The outcome if a person ended the call, by the kind of signal.
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
