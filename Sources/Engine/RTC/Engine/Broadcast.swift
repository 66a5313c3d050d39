internal import RTCWire
internal import Synchronization

/// Sends each value to every subscriber, in order, and finishes all their streams at the end.
///
/// Subscribing is synchronous, so that nothing between it and the first `next()` is missed. Values before the first
/// subscription can be kept for the first subscriber, which may be a task that has not started yet. The queue of a slow
/// subscriber is bounded where the remote peer can cause values.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<Element>.Continuation] = [:]
        var nextKey = 0
        var isFinished = false
        /// The values before the first subscription.
        var unread = RingBuffer<Element>()
    }

    private let state = Mutex(State())
    private let buffering: AsyncStream<Element>.Continuation.BufferingPolicy
    private let unreadLimit: Int

    /// - Parameters:
    ///   - buffering: The buffering for each subscriber. Either the newest values matter most, or none may be lost.
    ///   - unreadLimit: The number of values, the newest ones, that are kept for the first subscriber.
    init(_ buffering: AsyncStream<Element>.Continuation.BufferingPolicy, keepingUnread unreadLimit: Int = 0) {
        self.buffering = buffering
        self.unreadLimit = unreadLimit
    }

    /// Returns a stream of the values from now on, and for the first subscriber of those that were kept. Finished
    /// already if the broadcast has finished.
    func subscribe() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        let key: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            // The stream has no reader yet, so none is woken while the lock is held.
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
            // No key was assigned, so nobody has subscribed yet.
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

/// Returns the sequence, which keeps `object` alive as long as it exists.
func keeping<Object: AnyObject & Sendable, Element: Sendable>(
    _ object: Object, _ stream: AsyncStream<Element>
) -> AsyncStream<Element> {
    AsyncStream(unfolding: {
        // All iterators of a stream share its storage.
        var iterator = stream.makeAsyncIterator()
        let element = await iterator.next()
        return withExtendedLifetime(object) { element }
    })
}
