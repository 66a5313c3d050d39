/// The state of a call, with its valid transitions.
struct CallStateMachine: Sendable {
    private(set) var state = CallManagerState.idle

    /// All transitions, as in the table of docs/webrtckit.md.
    static let transitions: [CallManagerState: Set<CallManagerState>] = [
        .idle: [.sendingCallRequest, .receivingCallRequest],
        .sendingCallRequest: [.answeringCallRequest, .connecting, .endingCall],
        .receivingCallRequest: [.answeringCallRequest, .endingCall],
        .answeringCallRequest: [.connecting, .endingCall],
        .connecting: [.callIsRunning, .endingCall],
        .callIsRunning: [.connecting, .endingCall],
        .endingCall: [.idle],
    ]

    init() {}

    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)``; then the state has not changed.
    mutating func change(to next: CallManagerState) throws(CallManagerError) {
        guard Self.transitions[state]?.contains(next) == true else {
            throw .invalidStateChange(fromState: state, toState: next)
        }
        state = next
    }
}
