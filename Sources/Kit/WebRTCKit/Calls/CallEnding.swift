/// How a call ended, as the person sees it: also where ``CallManagerDelegate/callDidEnd(withError:)`` has no error to tell of.
public enum CallEnding: Sendable, Hashable, CaseIterable {
    /// This device's person, or its app, hung up, gave up or declined.
    case endedHere
    /// The other side hung up, gave up, declined, or is in another call.
    case endedByOtherSide
    /// Nobody answered in time.
    case unanswered
    /// Another device of this person's took the call.
    case answeredElsewhere
    /// Another device of this person's declined the call.
    case declinedElsewhere
    /// The call could not be made, or was lost.
    case failed
}

extension CallEnding {
    /// What an error tells; without one the other side ended the call.
    init(_ error: CallManagerError?) {
        self =
            switch error {
            case nil, .rejected, .busy: .endedByOtherSide
            case .noAnswer: .unanswered
            default: .failed
            }
    }
}
