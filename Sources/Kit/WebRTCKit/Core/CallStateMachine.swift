/// The table of a controller's states. The state itself follows from the record of the call: ``CallRecord/stage``.
enum CallStateMachine {
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

    /// - Throws: ``CallManagerError/invalidStateChange(fromState:toState:)`` unless the table has the transition.
    static func check(from state: CallManagerState, to next: CallManagerState) throws(CallManagerError) {
        guard transitions[state]?.contains(next) == true else {
            throw .invalidStateChange(fromState: state, toState: next)
        }
    }
}
