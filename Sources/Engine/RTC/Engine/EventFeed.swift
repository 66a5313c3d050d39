internal import Logging
internal import RTCPeer
internal import RTCTransport
internal import RTCWire
internal import Synchronization

/// Sends the events of a connection to every subscriber, each of which reads at its own pace.
final class EventFeed: Sendable {
    private struct Subscriber {
        weak var queue: EventQueue?
    }

    private struct State {
        var subscribers: [Subscriber] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let log: Logger

    init(log: Logger) {
        self.log = log
    }

    /// Subscribes to the events from now on. Only the stream keeps its queue alive, so releasing it ends the
    /// subscription.
    func subscribe() -> AsyncStream<PeerConnection.Event> {
        let queue = EventQueue()
        let isFinished = state.withLock { state in
            state.subscribers.removeAll { $0.queue == nil }
            if !state.isFinished { state.subscribers.append(Subscriber(queue: queue)) }
            return state.isFinished
        }
        if isFinished { queue.finish() }
        return AsyncStream(unfolding: { await queue.next() })
    }

    func send(_ event: PeerConnection.Event) {
        for queue in queues() where !queue.put(event) {
            log.warning("A data channel was not reported: too many wait in a sequence of events that nobody reads.")
        }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        for queue in queues() { queue.finish() }
    }

    private func queues() -> [EventQueue] { state.withLock { $0.subscribers.compactMap(\.queue) } }
}

/// The queue of one subscriber. Bounded, whatever the remote peer does and however slow the subscriber is.
final class EventQueue: Sendable {
    /// The number of events from which superseded states are removed.
    static let compactSize = 256
    /// The limit on the estimated bytes of channels that were not taken yet.
    static let channelLimit = 4 << 20

    fileprivate struct Reader {
        let ticket: Int
        let continuation: CheckedContinuation<PeerConnection.Event?, Never>
    }

    fileprivate struct State {
        var events = RingBuffer<PeerConnection.Event>()
        var readers: [Reader] = []
        var channelBytes = 0
        /// The number of events at which the queue is compacted next.
        var nextCompaction = EventQueue.compactSize
        var tickets = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// - Returns: `false` for a channel without room.
    func put(_ event: PeerConnection.Event) -> Bool {
        var isTaken = true
        let reader: Reader? = state.withLock { state in
            guard !state.isFinished else { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            if case .dataChannel(let channel) = event {
                isTaken = state.channelBytes + channel.queuedSize <= Self.channelLimit
                guard isTaken else { return nil }
                state.channelBytes += channel.queuedSize
            }
            state.events.append(event)
            if state.events.count >= state.nextCompaction { state.compact() }
            return nil
        }
        reader?.continuation.resume(returning: event.retainingConnection)
        return isTaken
    }

    func next() async -> PeerConnection.Event? {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (event, mustWait): (PeerConnection.Event?, Bool) = state.withLock { state in
                    if let event = state.takeFirst() { return (event, false) }
                    // Checked under the lock, which the cancellation takes too, so that neither misses the other.
                    if state.isFinished || Task.isCancelled { return (nil, false) }
                    state.readers.append(Reader(ticket: ticket, continuation: continuation))
                    return (nil, true)
                }
                if !mustWait { continuation.resume(returning: event?.retainingConnection) }
            }
        } onCancel: {
            let reader: Reader? = state.withLock { state in
                guard let index = state.readers.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.readers.remove(at: index)
            }
            reader?.continuation.resume(returning: nil)
        }
    }

    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.continuation.resume(returning: nil) }
    }
}

extension EventQueue.State {
    fileprivate mutating func takeFirst() -> PeerConnection.Event? {
        guard let event = events.popFirst() else {
            nextCompaction = EventQueue.compactSize
            return nil
        }
        if case .dataChannel(let channel) = event { channelBytes -= channel.queuedSize }
        return event
    }

    /// Keeps the last event of each kind, and every channel.
    fileprivate mutating func compact() {
        var seen: Set<PeerConnection.Event.Kind> = []
        let kept = events.elements.reversed().filter {
            $0.kind == .dataChannel || seen.insert($0.kind).inserted
        }
        events = RingBuffer(kept.reversed())
        nextCompaction = max(EventQueue.compactSize, 2 * events.count)
    }
}

extension PeerConnection.Event {
    fileprivate enum Kind: Hashable {
        case connectionState, iceConnectionState, iceGatheringState, signalingState, negotiationNeeded, dataChannel
        /// Keeps the last event of each transceiver: `track` or `trackRemoved`.
        case track(TransceiverID)
    }

    fileprivate var kind: Kind {
        switch self {
        case .connectionStateChange: .connectionState
        case .iceConnectionStateChange: .iceConnectionState
        case .iceGatheringStateChange: .iceGatheringState
        case .signalingStateChange: .signalingState
        case .negotiationNeeded: .negotiationNeeded
        case .dataChannel: .dataChannel
        case .track(let transceiver, _), .trackRemoved(let transceiver): .track(transceiver.id)
        }
    }

    /// Makes a channel keep its connection alive from now on. In the queue it must not, since an unread queue would
    /// keep the connection alive forever.
    fileprivate var retainingConnection: Self {
        if case .dataChannel(let channel) = self { channel.keepConnection() }
        return self
    }
}

extension DataChannel {
    fileprivate var queuedSize: Int { 256 + label.utf8.count + options.protocol.utf8.count }
}
