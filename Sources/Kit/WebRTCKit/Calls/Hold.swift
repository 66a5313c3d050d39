internal import Synchronization

/// Makes others wait while something is under way, once or several times at once.
final class Hold: Sendable {
    /// One of the holds.
    struct Number: Hashable, Sendable {
        fileprivate let value: Int
    }

    private struct State {
        var last = 0
        var current: Set<Int> = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isHeld: Bool { state.withLock { !$0.current.isEmpty } }

    func begin() -> Number {
        state.withLock { state in
            state.last += 1
            state.current.insert(state.last)
            return Number(value: state.last)
        }
    }

    /// Ends a hold. May be called again.
    func end(_ number: Number) { change { $0.remove(number.value) } }

    func endAll() { change { $0 = [] } }

    private func change(_ body: (inout Set<Int>) -> Void) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            body(&state.current)
            guard state.current.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until there is no hold, also in a cancelled task.
    func wait() async {
        guard isHeld else { return }
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard !state.current.isEmpty else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
    }
}
