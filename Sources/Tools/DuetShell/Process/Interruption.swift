import Synchronization

/// Receives SIGINT and SIGTERM, which no longer end the process by default once this exists.
package final class Interruption: Sendable {
    private let hasCome = Atomic(false)
    private let continuation: AsyncStream<Void>.Continuation
    /// One element for each signal.
    package let signals: AsyncStream<Void>

    package init() {
        (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        TerminationSignals.onTermination { [self] in
            hasCome.store(true, ordering: .relaxed)
            continuation.yield()
        }
    }

    /// - Throws: `CancellationError` if a signal has arrived.
    package func check() throws {
        if hasCome.load(ordering: .relaxed) { throw CancellationError() }
    }
}
