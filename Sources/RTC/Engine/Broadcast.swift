internal import Synchronization

/// Hands each value to every subscriber, in order, and tells all of them when there will be no more.
///
/// Subscribing is synchronous, so that nothing between it and the first `next()` is missed. What waits for a subscriber
/// who does not read is bounded where the other peer can bring values about.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<Element>.Continuation] = [:]
        var nextKey = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let buffering: AsyncStream<Element>.Continuation.BufferingPolicy

    /// - Parameter buffering: What waits for each subscriber. The newest value must be worth more than those that it
    ///   replaces, or none may be lost.
    init(_ buffering: AsyncStream<Element>.Continuation.BufferingPolicy) {
        self.buffering = buffering
    }

    /// A stream of what is sent from now on. It has finished already when the broadcast has.
    func subscribe() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        let key: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextKey += 1
            state.subscribers[state.nextKey] = continuation
            return state.nextKey
        }
        guard let key else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[key] = nil }
        }
        return stream
    }

    func send(_ element: Element) {
        let subscribers = state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers { subscriber.yield(element) }
    }

    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}

/// The sequence, which keeps `object` for as long as it is there.
func keeping<Object: AnyObject & Sendable, Element: Sendable>(
    _ object: Object, _ stream: AsyncStream<Element>
) -> AsyncStream<Element> {
    AsyncStream(unfolding: {
        // All iterators of a stream share what it holds.
        var iterator = stream.makeAsyncIterator()
        let element = await iterator.next()
        return withExtendedLifetime(object) { element }
    })
}
