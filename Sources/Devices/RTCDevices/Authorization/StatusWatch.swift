import Synchronization

/// Compares statuses with the last known ones, and reports changes to all listeners.
final class StatusWatch: Sendable {
    typealias Statuses = [MediaAuthorization.Subject: MediaAuthorization.Status]

    private struct State {
        var known: Statuses = [:]
        var listeners: [Int: AsyncStream<MediaAuthorization.Change>.Continuation] = [:]
        var nextListener = 0
        var hasBegun = false
        var isChecking = false
        var isCheckPending = false
    }

    private let state = Mutex(State())

    /// - Parameter statuses: Returns the current statuses.
    /// - Returns: The changes from now on, and whether this is the first listener.
    func add(knowing statuses: () -> Statuses) -> (AsyncStream<MediaAuthorization.Change>, isFirst: Bool) {
        let now = statuses()
        let (stream, continuation) = AsyncStream.makeStream(
            of: MediaAuthorization.Change.self, bufferingPolicy: .bufferingNewest(32))
        let (listener, isFirst) = state.withLock { state in
            defer { state.hasBegun = true }
            if !state.hasBegun { state.known = now }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return (state.nextListener, !state.hasBegun)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: listener) }
        }
        return (stream, isFirst)
    }

    /// May be called on several threads at once: each reported status is newer than the one before.
    func look(_ statuses: () -> Statuses) {
        let isMine = state.withLock { state in
            guard state.hasBegun, !state.isChecking else {
                state.isCheckPending = state.isChecking
                return false
            }
            state.isChecking = true
            return true
        }
        guard isMine else { return }
        repeat { tell(statuses()) } while takePendingCheck()
    }

    private func takePendingCheck() -> Bool {
        state.withLock { state in
            defer { state.isCheckPending = false }
            state.isChecking = state.isCheckPending
            return state.isCheckPending
        }
    }

    private func tell(_ statuses: Statuses) {
        let (changes, listeners) = state.withLock { state in
            let changes = MediaAuthorization.Subject.allCases.compactMap { subject in
                statuses[subject].flatMap { status in
                    status == state.known[subject] ? nil : MediaAuthorization.Change(subject: subject, status: status)
                }
            }
            state.known = statuses
            return (changes, Array(state.listeners.values))
        }
        for listener in listeners {
            for change in changes { listener.yield(change) }
        }
    }
}
