import Foundation
import OAuth
import RTC

// What snippets of the documentation take for granted.

/// Carries signals to the other peer and back.
nonisolated struct Mailbox: Sendable {
    let received = AsyncStream<Signal> { $0.finish() }

    func send(_ signal: Signal) async {}
}

/// Passwords that the app keeps.
nonisolated struct Passwords: Sendable {
    var alice: Secret { get async { Secret("") } }
    var file: Secret { get async { Secret("") } }
}

/// For the listing of a sink.
nonisolated final class Counter: Sendable {
    func add(_ number: Int) {}
}
