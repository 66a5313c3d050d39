/// How a call ended, in the detail that CallKit shows. ``Call/Outcome`` has more.
public enum CallEnding: String, Sendable, Hashable, CaseIterable {
    /// This device, or its app, hung up, gave up or declined.
    case endedHere
    /// The other side hung up, gave up, declined, or is in another call.
    case endedByOtherSide
    /// Nobody answered in time.
    case unanswered
    /// Another device of the same user answered the call.
    case answeredElsewhere
    /// Another device of the same user declined the call.
    case declinedElsewhere
    /// The call could not be established, or its connection was lost.
    case failed
}
