internal import Synchronization

/// The elements that wait for one reader of a sequence.
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

    /// Hands an element to the reader if it waits, and stores it otherwise.
    ///
    /// - Parameters:
    ///   - capacity: The most elements that are stored.
    ///   - renewed: Returns the elements that replace all stored ones if there is no room.
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

    /// Returns the next element; `nil` at the end.
    private func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let (element, waits) = state.withLock { state -> (Element?, Bool) in
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
                // A sequence is for one task: a second one that waits receives its end.
                guard !state.isFinished, state.reader == nil else { return (nil, false) }
                state.reader = continuation
                return (nil, true)
            }
            if !waits { continuation.resume(returning: element) }
        }
    }

    /// The sequence for the reader. It ends when the reader's task is cancelled.
    func stream() -> AsyncStream<Element> {
        AsyncStream(unfolding: { await self.next() }, onCancel: { self.finish() })
    }
}
