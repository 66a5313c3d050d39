internal import Synchronization

/// Holds deliveries back between ``begin()`` and ``end()``.
final class DeliveryHold: Sendable {
    private struct State {
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.isHeld = true } }

    func end() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        guard state.withLock({ $0.isHeld }) else { return }
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !waits { continuation.resume() }
        }
    }
}
