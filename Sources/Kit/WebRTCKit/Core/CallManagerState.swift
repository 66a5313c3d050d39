/// Where a controller's call stands.
public enum CallManagerState: String, Sendable, Hashable, CaseIterable {
    /// There is no call.
    case idle
    /// We call, and the other side has not answered yet.
    case sendingCallRequest
    /// We are called, and have not answered yet.
    case receivingCallRequest
    /// The answer is being made.
    case answeringCallRequest
    /// The call was answered, and there is no path yet, or no longer.
    case connecting
    case callIsRunning
    /// The call is over, and being closed.
    case endingCall
}
