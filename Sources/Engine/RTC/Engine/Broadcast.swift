internal import RTCWire
internal import Synchronization

/// Hands each value to every subscriber, in order, and tells all of them when there will be no more.
///
/// Subscribing is synchronous, so that nothing between it and the first `next()` is missed. What comes before anybody has
/// subscribed can be kept for the first subscriber, who may be a task that has not begun to run. What waits for a subscriber
/// who does not read is bounded where the other peer can bring values about.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<Element>.Continuation] = [:]
        var nextKey = 0
        var isFinished = false
        /// What came before the first subscriber.
        var unread = RingBuffer<Element>()
    }

    private let state = Mutex(State())
    private let buffering: AsyncStream<Element>.Continuation.BufferingPolicy
    private let unreadLimit: Int

    /// - Parameters:
    ///   - buffering: What waits for each subscriber. The newest value must be worth more than those that it replaces, or
    ///     none may be lost.
    ///   - unreadLimit: How many values, the newest ones, are kept for the first subscriber.
    init(_ buffering: AsyncStream<Element>.Continuation.BufferingPolicy, keepingUnread unreadLimit: Int = 0) {
        self.buffering = buffering
        self.unreadLimit = unreadLimit
    }

    /// A stream of what is sent from now on, and for the first subscriber of what was kept. It has finished already when the
    /// broadcast has.
    func subscribe() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        let key: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            // Nobody reads the stream yet, so that nobody is woken under the lock.
            while let element = state.unread.popFirst() { continuation.yield(element) }
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
        let subscribers = state.withLock { state in
            // No key was given out: nobody has subscribed so far.
            if state.nextKey == 0, unreadLimit > 0, !state.isFinished {
                if state.unread.count == unreadLimit { _ = state.unread.popFirst() }
                state.unread.append(element)
            }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.yield(element) }
    }

    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            state.unread = RingBuffer()
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
