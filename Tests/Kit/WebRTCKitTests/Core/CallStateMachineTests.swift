import RTCWire
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

    @Test(
        "Of the 49 pairs those of the table pass, and the others throw an error that names both",
        arguments: CallManagerState.allCases, CallManagerState.allCases)
    func transition(from: CallManagerState, to: CallManagerState) throws {
        if try #require(Self.allowed[from]).contains(to) {
            try CallStateMachine.check(from: from, to: to)
        } else {
            #expect(throws: CallManagerError.invalidStateChange(fromState: from, toState: to)) {
                try CallStateMachine.check(from: from, to: to)
            }
        }
    }

    /// A record in a state of its call.
    private func record(_ direction: Call.Direction, _ state: Call.State, _ hasSentDescription: Bool) -> CallRecord {
        let random = SeededRandom(seed: 1)
        let call = Call(
            id: .random(from: random), peer: Call.Peer(id: "bob"), direction: direction, state: state, media: [])
        var record = CallRecord(call, isPolite: true, random: random)
        record.hasSentDescription = hasSentDescription
        return record
    }

    @Test("The state follows from the record: that of the call, who called, and whether the answer was sent")
    func stage() {
        func stages(_ direction: Call.Direction, hasSentDescription: Bool) -> [CallManagerState] {
            Call.State.allCases.map { record(direction, $0, hasSentDescription).stage }
        }
        let later: [CallManagerState] = [.callIsRunning, .connecting, .endingCall]
        for hasSentDescription in [false, true] {
            #expect(
                stages(.outgoing, hasSentDescription: hasSentDescription)
                    == [.sendingCallRequest, .sendingCallRequest, .connecting] + later)
        }
        // An incoming call is never `calling`.
        #expect(
            Array(stages(.incoming, hasSentDescription: false).dropFirst())
                == [.receivingCallRequest, .answeringCallRequest] + later)
        #expect(
            Array(stages(.incoming, hasSentDescription: true).dropFirst())
                == [.receivingCallRequest, .connecting] + later)
    }

    @Test(
        "A record that enters a state is in it, whichever it comes from",
        arguments: Call.Direction.allCases, Call.State.allCases)
    func entering(direction: Call.Direction, state: Call.State) throws {
        guard direction == .outgoing || state != .calling else { return }
        for hasSentDescription in [false, true] {
            // Who is called has sent nothing before it answers.
            if direction == .incoming, state == .ringing, hasSentDescription { continue }
            let old = record(direction, state, hasSentDescription)
            for next in try #require(Self.allowed[old.stage]) where next != .idle {
                // Only the other side's call is answered here: after glare it takes the place of this one.
                if direction == .outgoing, next == .answeringCallRequest { continue }
                var new = old
                new.enter(next)
                #expect(new.stage == next, "from \(old.stage)")
                #expect(new.hasRun == (next == .callIsRunning || old.hasRun && next == .connecting))
            }
        }
    }

    @Test("The states of both sides, from the beginning of a call to its end")
    func call() throws {
        let kits = TwoKits()
        func expect(
            _ alice: CallManagerState, _ bob: CallManagerState, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            kits.carry()
            #expect(kits.alice.core.state == alice, sourceLocation: sourceLocation)
            #expect(kits.bob.core.state == bob, sourceLocation: sourceLocation)
        }
        expect(.idle, .idle)
        try kits.alice.call("bob")
        expect(.sendingCallRequest, .idle)
        kits.alice.offers("o1")
        expect(.sendingCallRequest, .receivingCallRequest)
        try kits.bob.accept()
        expect(.sendingCallRequest, .answeringCallRequest)
        kits.bob.answers("a1")
        expect(.connecting, .connecting)
        kits.alice.path(.connected)
        expect(.callIsRunning, .connecting)
        kits.bob.path(.connected)
        expect(.callIsRunning, .callIsRunning)
        kits.bob.path(.failed)
        expect(.callIsRunning, .connecting)
        kits.bob.path(.connected)
        expect(.callIsRunning, .callIsRunning)
        try kits.alice.end()
        expect(.idle, .idle)
        for kit in [kits.alice, kits.bob] {
            #expect(kit.calls.last?.call.state == .ended && kit.core.counters.illegalChanges == 0)
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
