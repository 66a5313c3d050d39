import Testing

@testable import WebRTCKit

@Suite("A call's states")
struct CallStateMachineTests {
    /// The table of docs/webrtckit.md once more, so that a transition cannot come or go by accident.
    private static let allowed: [CallManagerState: [CallManagerState]] = [
        .idle: [.sendingCallRequest, .receivingCallRequest],
        .sendingCallRequest: [.answeringCallRequest, .connecting, .endingCall],
        .receivingCallRequest: [.answeringCallRequest, .endingCall],
        .answeringCallRequest: [.connecting, .endingCall],
        .connecting: [.callIsRunning, .endingCall],
        .callIsRunning: [.connecting, .endingCall],
        .endingCall: [.idle],
    ]

    /// A way to each state.
    private static let ways: [CallManagerState: [CallManagerState]] = [
        .idle: [],
        .sendingCallRequest: [.sendingCallRequest],
        .receivingCallRequest: [.receivingCallRequest],
        .answeringCallRequest: [.receivingCallRequest, .answeringCallRequest],
        .connecting: [.sendingCallRequest, .connecting],
        .callIsRunning: [.sendingCallRequest, .connecting, .callIsRunning],
        .endingCall: [.sendingCallRequest, .endingCall],
    ]

    @Test(
        "Of the 49 pairs those of the table pass, and the others throw an error that names both",
        arguments: CallManagerState.allCases, CallManagerState.allCases)
    func transition(from: CallManagerState, to: CallManagerState) throws {
        var machine = CallStateMachine()
        for state in try #require(Self.ways[from]) { try machine.change(to: state) }
        #expect(machine.state == from)
        if try #require(Self.allowed[from]).contains(to) {
            try machine.change(to: to)
            #expect(machine.state == to)
        } else {
            #expect(throws: CallManagerError.invalidStateChange(fromState: from, toState: to)) {
                try machine.change(to: to)
            }
            #expect(machine.state == from)
        }
    }

    @Test("There are seven, and each but idle leads to the end")
    func table() {
        #expect(CallManagerState.allCases.count == 7)
        #expect(CallStateMachine.transitions.count == 7)
        for state in CallManagerState.allCases where state != .idle && state != .endingCall {
            #expect(CallStateMachine.transitions[state]?.contains(.endingCall) == true)
        }
    }
}
