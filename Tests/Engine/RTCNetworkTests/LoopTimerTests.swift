import EventLoopTesting
import NIOCore
import Testing

@testable import RTCNetwork

@Suite("A timer for the next deadline")
struct LoopTimerTests {
    /// What has fired. Used on the event loop.
    private final class Record {
        var fired: [String] = []
    }

    @Test("It fires once, and may be set to the same deadline again")
    func fires() async throws {
        try await onEventLoop { actor, loop in
            let (timer, record) = (LoopTimer(loop), Record())
            let deadline = loop.now + .milliseconds(5)
            timer.set(to: deadline) { record.fired.append("first") }
            // The same deadline: the first action stays.
            timer.set(to: deadline) { record.fired.append("same") }
            try await wait(isolation: actor) { !record.fired.isEmpty }
            #expect(loop.now >= deadline)
            timer.set(to: deadline) { record.fired.append("again") }
            try await wait(isolation: actor) { record.fired.count > 1 }
            #expect(record.fired == ["first", "again"])
        }
    }

    @Test("Another deadline, none, and cancelling take the place of the one before")
    func replaced() async throws {
        try await onEventLoop { actor, loop in
            let (timer, record) = (LoopTimer(loop), Record())
            let soon = loop.now + .milliseconds(5)
            timer.set(to: soon) { record.fired.append("replaced") }
            timer.set(to: soon + .milliseconds(1)) { record.fired.append("later") }
            try await wait(isolation: actor) { !record.fired.isEmpty }
            let next = loop.now + .milliseconds(5)
            timer.set(to: next) { record.fired.append("none") }
            timer.set(to: nil) {}
            timer.set(to: next) { record.fired.append("cancelled") }
            timer.cancel()
            try await Task.sleep(for: .milliseconds(20))
            #expect(record.fired == ["later"])
        }
    }

    @Test("An action may set the timer, and a deadline that has passed is due at once")
    func chained() async throws {
        try await onEventLoop { actor, loop in
            let (timer, record) = (LoopTimer(loop), Record())
            timer.set(to: .uptimeNanoseconds(0)) {
                record.fired.append("first")
                timer.set(to: .uptimeNanoseconds(0)) { record.fired.append("second") }
            }
            #expect(record.fired.isEmpty, "not before the caller is done")
            try await wait(isolation: actor) { record.fired.count > 1 }
            #expect(record.fired == ["first", "second"])
        }
    }
}
