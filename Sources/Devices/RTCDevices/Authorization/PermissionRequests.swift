import Synchronization

/// The open permission requests: one for each subject, with all tasks that wait for its answer.
final class PermissionRequests: Sendable {
    typealias Answer = Result<MediaAuthorization.Status, DeviceError>

    private struct State {
        /// A subject stays in here until its request is answered, even if no task waits for the answer any more.
        var waiting: [MediaAuthorization.Subject: [Int: CheckedContinuation<Answer, Never>]] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    /// Waits for the answer to the open request, or starts one.
    ///
    /// - Parameter ask: Asks the person. It runs in its own task, which outlives a cancelled caller.
    /// - Returns: A failure with ``DeviceError`` `cancelled` when the waiting task is cancelled.
    func answer(to subject: MediaAuthorization.Subject, ask: @escaping @Sendable () async -> Answer) async -> Answer {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(subject, as: waiter, continuation, ask)
            }
        } onCancel: {
            state.withLock { $0.waiting[subject]?.removeValue(forKey: waiter) }?.resume(returning: Self.cancelled)
        }
    }

    private static let cancelled = Answer.failure(DeviceError(.cancelled, "the task that asked was cancelled"))

    private func join(
        _ subject: MediaAuthorization.Subject, as waiter: Int, _ continuation: CheckedContinuation<Answer, Never>,
        _ ask: @escaping @Sendable () async -> Answer
    ) {
        enum Part { case none, first, other }
        let part = state.withLock { state -> Part in
            // A cancellation from here on finds the waiter.
            guard !Task.isCancelled else { return .none }
            let isOpen = state.waiting[subject] != nil
            state.waiting[subject, default: [:]][waiter] = continuation
            return isOpen ? .other : .first
        }
        switch part {
        case .none: continuation.resume(returning: Self.cancelled)
        case .other: break
        case .first:
            Task {
                let answer = await ask()
                let waiting = self.state.withLock { $0.waiting.removeValue(forKey: subject) } ?? [:]
                for continuation in waiting.values { continuation.resume(returning: answer) }
            }
        }
    }
}
