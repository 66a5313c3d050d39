internal import RTC
internal import RTCWire
internal import Synchronization

/// Delivers the events of a channel to its delegate, in order, and makes the peer pause while there is no delegate.
///
/// A channel with a delegate retains itself until it is closed, so that an app need not; one without is closed as soon as the app
/// releases it.
final class DataChannelDelivery: Sendable {
    enum Item: Sendable {
        case state(RTCDataChannelState)
        case message(RTCDataBuffer)
        /// The buffered amount decreased; its value is read at delivery.
        case bufferedAmount
    }

    fileprivate struct State {
        /// The channel, retained while it has a delegate.
        var kept: RTCDataChannel?
        var items = RingBuffer<Item>()
        /// The newest queued state.
        var known: RTCDataChannelState
        /// The newest state that was delivered to the delegate.
        var told: RTCDataChannelState
        var isAmountQueued = false
        var isDelivering = false
        /// Whether the engine's channel is closed: the remaining messages are read at once, whatever the space.
        var isClosed = false
        /// Whether all messages were read.
        var isOver = false
        /// Whether the app has released the channel.
        var isAbandoned = false
        /// The reader of the engine's channel, while it waits for space.
        var reader: CheckedContinuation<Void, Never>?
    }

    /// The delegate and the channel, both weak. They are read outside of the other lock, because their last reference must not be
    /// released under it.
    private struct Ends {
        weak var delegate: (any RTCDataChannelDelegate)?
        weak var channel: RTCDataChannel?
    }

    private let state: Mutex<State>
    private let ends = Mutex(Ends())

    /// - Parameter known: The initial state, which is not reported.
    init(known: RTCDataChannelState) {
        state = Mutex(State(known: known, told: known))
    }

    /// Returns the state of the channel for the app: with a delegate, not later than the last state delivered to it.
    func told(of current: RTCDataChannelState) -> RTCDataChannelState {
        guard delegate != nil else { return current }
        let told = state.withLock { $0.told }
        return told.order < current.order ? told : current
    }

    private var delegate: (any RTCDataChannelDelegate)? { ends.withLock { $0.delegate } }
    private var channel: RTCDataChannel? { ends.withLock { $0.channel } }

    // MARK: From the app

    func adopt(_ channel: RTCDataChannel) {
        ends.withLock { $0.channel = channel }
        if state.withLock({ $0.isOver }) { channel.release() }
    }

    func setDelegate(_ delegate: (any RTCDataChannelDelegate)?) {
        ends.withLock { $0.delegate = delegate }
        let channel = channel
        let (reader, kept) = state.withLock { state in
            let kept = state.kept
            state.kept = delegate == nil || state.isOver && state.items.isEmpty ? nil : channel
            return (state.takeReader(hasDelegate: delegate != nil), kept)
        }
        reader?.resume()
        deliver()
        withExtendedLifetime(kept) {}
    }

    /// Called when the app has released the channel.
    func abandon() {
        let (reader, items) = state.withLock { state in
            state.isAbandoned = true
            defer { state.items = RingBuffer() }
            return (state.takeReader(hasDelegate: false), state.items)
        }
        reader?.resume()
        withExtendedLifetime(items) {}
    }

    /// Called when the buffered amount has decreased.
    func noteBufferedAmount() {
        guard delegate != nil else { return }
        put([.bufferedAmount])
    }

    private func put(_ items: [Item]) {
        state.withLock { state in
            guard !state.isAbandoned else { return }
            for item in items { state.append(item) }
        }
        deliver()
    }

    // MARK: From the engine

    /// Reads the channel until its end.
    func readMessages(from channel: DataChannel) async {
        // Read before the state, so that no later change is missed.
        let changes = channel.stateChanges
        note(channel.state)
        await withTaskGroup { group in
            group.addTask { [self] in
                for await change in changes { note(change) }
            }
            group.addTask { [self] in
                while true {
                    await waitForRoom()
                    guard !Task.isCancelled else { return }
                    let messages = await channel.receive(upTo: 64)
                    guard !messages.isEmpty else { return }
                    put(messages.map { .message(RTCDataBuffer($0)) })
                }
            }
        }
        guard !Task.isCancelled else { return }
        state.withLock { $0.isOver = true }
        self.channel?.release()
        put([.state(.closed)])
    }

    private func note(_ change: DataChannel.State) {
        guard change == .closed else { return put([.state(RTCDataChannelState(change))]) }
        // The remaining messages are read now, so that the connection can be released. `closed` is reported after them.
        let reader = state.withLock { state in
            state.isClosed = true
            return state.takeReader(hasDelegate: false)
        }
        reader?.resume()
    }

    private func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasDelegate = delegate != nil
            let mustWait = state.withLock { state in
                guard !state.hasRoom(hasDelegate: hasDelegate) else { return false }
                state.reader = continuation
                return true
            }
            guard mustWait else { return continuation.resume() }
            // A delegate may have been set in between.
            let reader = delegate == nil ? nil : state.withLock { $0.takeReader(hasDelegate: true) }
            reader?.resume()
        }
    }

    // MARK: To the delegate

    private func deliver() {
        guard delegate != nil, channel != nil else { return }
        let mustStart = state.withLock { state in
            guard !state.isDelivering, !state.items.isEmpty else { return false }
            state.isDelivering = true
            return true
        }
        guard mustStart else { return }
        Task { [self] in
            while deliverNext() {}
        }
    }

    /// - Returns: Whether there may be more items.
    private func deliverNext() -> Bool {
        let (delegate, channel) = (delegate, channel)
        let hasDelegate = delegate != nil && channel != nil
        let (item, reader, kept) = state.withLock { state in
            if hasDelegate, let item = state.items.popFirst() {
                switch item {
                case .bufferedAmount: state.isAmountQueued = false
                case .state(let new): state.told = new
                case .message: break
                }
                return (item as Item?, nil as CheckedContinuation<Void, Never>?, nil as RTCDataChannel?)
            }
            state.isDelivering = false
            let kept = state.kept
            if state.isOver { state.kept = nil }
            return (nil, state.takeReader(hasDelegate: hasDelegate), kept)
        }
        reader?.resume()
        withExtendedLifetime(kept) {}
        guard let item, let delegate, let channel else {
            // A delegate may have been set in between.
            if !hasDelegate { deliver() }
            return false
        }
        switch item {
        case .state: delegate.dataChannelDidChangeState(channel)
        case .message(let buffer): delegate.dataChannel(channel, didReceiveMessageWith: buffer)
        case .bufferedAmount: delegate.dataChannel(channel, didChangeBufferedAmount: channel.bufferedAmount)
        }
        return true
    }
}

extension DataChannelDelivery.State {
    /// Whether the next messages may be read.
    fileprivate func hasRoom(hasDelegate: Bool) -> Bool {
        isClosed || isAbandoned || hasDelegate && items.isEmpty && !isDelivering
    }

    fileprivate mutating func takeReader(hasDelegate: Bool) -> CheckedContinuation<Void, Never>? {
        guard hasRoom(hasDelegate: hasDelegate) else { return nil }
        defer { reader = nil }
        return reader
    }

    fileprivate mutating func append(_ item: DataChannelDelivery.Item) {
        switch item {
        case .state(let new):
            // Each state is reported once, and never an earlier one after a later one.
            guard new.order > known.order else { return }
            known = new
        case .message where known == .connecting:
            known = .open
            items.append(.state(.open))
        case .bufferedAmount:
            guard !isAmountQueued else { return }
            isAmountQueued = true
        case .message: break
        }
        items.append(item)
    }
}

extension RTCDataChannelState {
    fileprivate var order: Int {
        switch self {
        case .connecting: 0
        case .open: 1
        case .closing: 2
        case .closed: 3
        }
    }
}
