extension Call {
    /// How a call ended.
    ///
    /// | | before the answer | after it |
    /// | --- | --- | --- |
    /// | a person | ``cancelled(by:)``, ``declined(by:)``, ``replaced`` | ``hungUp(by:)`` |
    /// | another device | ``answeredElsewhere``, ``declinedElsewhere`` | |
    /// | nobody | ``busy``, ``unanswered``, ``unreachable``, ``refused(_:)`` | ``neverConnected``, ``connectionLost`` |
    ///
    /// ``failed(_:)`` may come at any time. Later versions may have more cases: let a `switch` end with `default`, and show
    /// ``description`` there.
    public enum Outcome: Sendable, Hashable {
        /// One side hung up after the call was answered. ``Times/connected`` says whether there was a path by then.
        case hungUp(by: Side)
        /// The callee does not want the call: `local` if it is this device that declined.
        case declined(by: Side)
        /// Another device of the callee's declined the call.
        case declinedElsewhere
        /// Another device of the callee's answered the call.
        case answeredElsewhere
        /// The caller gave up before the answer: `local` if it is this device that called.
        case cancelled(by: Side)
        /// The peer is in another call.
        case busy
        /// It rang for as long as it may.
        case unanswered
        /// The peer is not signed in at the signalling server, or was lost before the answer.
        case unreachable
        /// The signalling server refused the call; its message is for a person.
        case refused(String)
        /// The call was answered, and no path was found within ``Config/connectionTimeout``.
        case neverConnected
        /// The path was lost, and none was found again within ``Config/connectionTimeout``.
        case connectionLost
        /// The peer called again, and that call took the place of this one.
        case replaced
        /// Something could not be used; the error says what.
        case failed(CallManagerError)
    }
}

extension Call.Outcome {
    /// The error of ``CallManagerDelegate/callDidEnd(withError:)``; `nil` where a person ended the call.
    public var error: CallManagerError? {
        switch self {
        case .hungUp, .cancelled, .declined(by: .local), .declinedElsewhere, .answeredElsewhere, .replaced: nil
        case .declined(by: .remote): .rejected
        case .busy: .busy
        case .unanswered: .noAnswer
        case .unreachable: .peerUnavailable
        case .refused(let message): .signalingFailed(message)
        case .neverConnected: .connectionTimeout
        case .connectionLost: .connectionLost
        case .failed(let error): error
        }
    }
}

extension CallEnding {
    /// The same as a delegate is told it, with less detail.
    public init(_ outcome: Call.Outcome) {
        self =
            switch outcome {
            case .hungUp(by: .local), .cancelled(by: .local), .declined(by: .local): .endedHere
            case .answeredElsewhere: .answeredElsewhere
            case .declinedElsewhere: .declinedElsewhere
            case .hungUp, .cancelled, .declined, .busy, .replaced: .endedByOtherSide
            case .unanswered: .unanswered
            case .unreachable, .refused, .neverConnected, .connectionLost, .failed: .failed
            }
    }
}

extension Call.Outcome: CustomStringConvertible {
    /// What happened, in English, for the person at this device.
    public var description: String {
        switch self {
        case .hungUp(by: .local): "you hung up"
        case .hungUp(by: .remote): "the other side hung up"
        case .declined(by: .local): "you declined the call"
        case .declined(by: .remote): "the other side declined the call"
        case .declinedElsewhere: "the call was declined on another device"
        case .answeredElsewhere: "the call was answered on another device"
        case .cancelled(by: .local): "you cancelled the call"
        case .cancelled(by: .remote): "the caller gave up"
        case .busy: "the other side is in another call"
        case .unanswered: "nobody answered"
        case .unreachable: "the other side is not there"
        case .refused(let message): "the signalling server refused the call: \(message)"
        case .neverConnected: "no path to the other side was found"
        case .connectionLost: "the path to the other side was lost"
        case .replaced: "another call between the same two took its place"
        case .failed(let error): "\(error)"
        }
    }
}
