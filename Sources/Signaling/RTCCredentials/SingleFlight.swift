internal import Synchronization

/// Shares one operation among concurrent callers, who all receive its result.
///
/// A cancelled task stops waiting. The operation continues for the others, and is cancelled with the last one.
package final class SingleFlight<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        var task: Task<Void, Never>?
        var flight = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the operation is running, for somebody who waits for it.
    package var isRunning: Bool { state.withLock { $0.task != nil } }

    /// - Parameter work: The operation, which is started unless it is running. Its handlers of a cancellation have run before another
    ///   operation begins, and must not call this object.
    package func run(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let hasJoined = state.withLock { state in
                    // A later cancellation finds the waiter.
                    guard !Task.isCancelled else { return false }
                    state.waiters[number] = waiter
                    if state.task == nil { begin(work, &state) }
                    return true
                }
                if !hasJoined { waiter.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            leave(number)
        }
    }

    /// Cancels the operation, if it is running: its callers throw `CancellationError` at once, whatever becomes of it. Those who come
    /// later start it anew.
    package func cancel() {
        let waiters = state.withLock { state -> [Waiter] in
            defer { state.waiters = [:] }
            state.task?.cancel()
            state.task = nil
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }

    private func begin(_ work: @escaping @Sendable () async throws -> Value, _ state: inout State) {
        state.flight += 1
        let flight = state.flight
        state.task = Task {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            self.finish(flight, result)
        }
    }

    private func finish(_ flight: Int, _ result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            guard state.flight == flight, state.task != nil else { return [] }
            defer { state.waiters = [:] }
            state.task = nil
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    private func leave(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            let waiter = state.waiters.removeValue(forKey: number)
            if waiter != nil, state.waiters.isEmpty {
                state.task?.cancel()
                state.task = nil
            }
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }
}
