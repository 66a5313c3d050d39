import DuetShell
import Foundation
import Synchronization
import Testing

@Suite("Signals that end a process", .serialized)
struct TerminationSignalTests {
    @Test("A signal counts as soon as somebody has asked for it, and each one is told")
    func atOnce() async throws {
        let count = Counter()
        TerminationSignals.onHangUp { count.add() }
        for expected in 1...3 {
            kill(getpid(), SIGHUP)
            try await count.wait(for: expected)
        }
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)

        func add() { value.withLock { $0 += 1 } }

        func wait(for expected: Int) async throws {
            let began = ContinuousClock.now
            while value.withLock({ $0 }) < expected {
                try #require(began.duration(to: .now) < .seconds(10), "signal \(expected) was lost")
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }
}
