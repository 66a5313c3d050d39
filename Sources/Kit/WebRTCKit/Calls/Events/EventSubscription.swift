internal import Synchronization

/// What waits for one reader.
final class EventSubscription<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    func begin(with elements: [Element], isFinished: Bool) {
        state.withLock { state in
            state.waiting = elements
            state.isFinished = isFinished
        }
    }

    /// Gives the reader an element, or keeps it.
    ///
    /// - Parameters:
    ///   - capacity: The most that is kept.
    ///   - renewed: What takes the place of all that waits when there is no room.
    func push(_ element: Element, capacity: Int, renewed: () -> [Element]) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader.take() { return reader }
            if state.waiting.count < capacity {
                state.waiting.append(element)
            } else {
                state.waiting = renewed()
            }
            return nil
        }
        reader?.resume(returning: element)
    }

    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }

    /// The next element; `nil` when there will be none.
    private func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let (element, waits) = state.withLock { state -> (Element?, Bool) in
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
                // One task reads a stream. Another one that does as well gets nothing.
                guard !state.isFinished, state.reader == nil else { return (nil, false) }
                state.reader = continuation
                return (nil, true)
            }
            if !waits { continuation.resume(returning: element) }
        }
    }

    /// A stream for one reader, which ends when its task is cancelled.
    func stream() -> AsyncStream<Element> {
        AsyncStream(unfolding: { await self.next() }, onCancel: { self.finish() })
    }
}
