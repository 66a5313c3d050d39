extension Call {
    /// How a call ended.
    ///
    /// | ended by | before the answer | after the answer |
    /// | --- | --- | --- |
    /// | a person | ``cancelled(by:)``, ``declined(by:)`` | ``hungUp(by:)`` |
    /// | another device of the callee | ``answeredElsewhere``, ``declinedElsewhere`` | |
    /// | a newer call or session | ``replaced`` | ``replaced`` |
    /// | nobody | ``busy``, ``unanswered``, ``unreachable``, ``refused(_:)`` | ``neverConnected``, ``connectionLost`` |
    ///
    /// ``failed(_:)`` is possible at any time. Later versions may add cases: give a `switch` a `default` that shows
    /// ``description``.
    public enum Outcome: Sendable, Hashable {
        /// One peer hung up after the answer. ``Times/connected`` is `nil` if there was no connection by then.
        case hungUp(by: Side)
        /// The callee declined the call: `local` if this device declined it.
        case declined(by: Side)
        /// Another device of the same user declined the call.
        case declinedElsewhere
        /// Another device of the same user answered the call.
        case answeredElsewhere
        /// The caller gave up before the answer: `local` if this device called.
        case cancelled(by: Side)
        /// The peer is in another call.
        case busy
        /// Nobody answered within ``WebRTCKit/Options/ringTimeout``, or within the signalling server's limit.
        case unanswered
        /// The peer is not signed in at the signalling server, or its connection to the server was lost before the answer.
        case unreachable
        /// The signalling server refused the call. The message is the server's own, for a person.
        case refused(String)
        /// The call was answered, and ICE found no path within ``Config/connectionTimeout``.
        case neverConnected
        /// The path was lost, and ICE found no other within ``Config/connectionTimeout``.
        case connectionLost
        /// A newer call or session took the place of this call before it was connected: the caller called the same peer again,
        /// from another device or after a restart, or this device signed in again elsewhere, and the call goes on there.
        case replaced
        /// The call failed for another reason, which the error describes.
        case failed(CallManagerError)
    }
}

extension Call.Outcome {
    /// The error that ``CallManagerDelegate/callDidEnd(withError:)`` receives; `nil` if a person ended the call.
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
    /// Creates the ending that ``CallManagerDelegate/callWillEnd(as:)`` receives for an outcome, which says less.
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
        case .replaced: "a newer call or sign-in took the place of this call"
        case .failed(let error): "\(error)"
        }
    }
}
