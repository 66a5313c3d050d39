import RTCFrames
import RTCWire
import Synchronization

/// Hands the next frame of a camera to all that wait for one.
final class FrameGrabber: Sendable {
    private struct State {
        var waiting: [Int: CheckedContinuation<VideoFrame?, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    /// While nothing waits, a frame costs only this check.
    private let hasWaiters = Atomic(false)

    func offer(_ frame: VideoFrame) {
        guard hasWaiters.load(ordering: .relaxed) else { return }
        for waiter in take(where: { _ in true }) { waiter.resume(returning: frame) }
    }

    /// - Throws: ``DeviceError`` `failed` if no frame comes in time, `cancelled` with the task.
    func next(within patience: TimeDelta) async throws(DeviceError) -> VideoFrame {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let limit = Task {
            try? await Task.sleep(for: .nanoseconds(patience.nanoseconds))
            end(number)
        }
        defer { limit.cancel() }
        let frame = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { state in
                    state.waiting[number] = waiter
                    hasWaiters.store(true, ordering: .relaxed)
                }
                // A cancellation before this point found no waiter to resume.
                if Task.isCancelled { end(number) }
            }
        } onCancel: {
            end(number)
        }
        if let frame { return frame }
        if Task.isCancelled { throw DeviceError(.cancelled, "nobody waits for the photo any more") }
        throw DeviceError(.failed, "no picture came of the camera")
    }

    private func end(_ number: Int) {
        for waiter in take(where: { $0 == number }) { waiter.resume(returning: nil) }
    }

    private func take(where isMeant: (Int) -> Bool) -> [CheckedContinuation<VideoFrame?, Never>] {
        state.withLock { state in
            let taken = state.waiting.filter { isMeant($0.key) }
            for number in taken.keys { state.waiting[number] = nil }
            if state.waiting.isEmpty { hasWaiters.store(false, ordering: .relaxed) }
            return taken.keys.sorted().compactMap { taken[$0] }
        }
    }
}
