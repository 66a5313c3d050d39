/// The state of a controller's call.
public enum CallManagerState: String, Sendable, Hashable, CaseIterable {
    /// There is no call.
    case idle
    /// This device calls, and the peer has not answered yet.
    case sendingCallRequest
    /// A peer calls, and the call has not been answered yet.
    case receivingCallRequest
    /// The incoming call is being answered.
    case answeringCallRequest
    /// The call was answered, and ICE is looking for a path, for the first time or again.
    case connecting
    case callIsRunning
    /// The call has ended, and its resources are being closed.
    case endingCall
}
