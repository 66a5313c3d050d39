internal import RTC
internal import RTCWire
internal import Synchronization

/// The sent messages that the connection has not accepted yet, in order: `sendData` returns at once, while the connection makes
/// its callers wait.
final class DataChannelOutbox: Sendable {
    /// The maximum number of waiting bytes.
    static let limit = 16 << 20
    /// The bytes that an empty message counts for.
    fileprivate static let leastSize = 64
    /// The interval between attempts while the connection has failed, since it may be restored.
    private static let retryInterval = Duration.milliseconds(100)

    fileprivate struct Entry {
        let message: DataChannel.Message
        let byteCount: Int
        /// The caller that waits until the message is accepted.
        let sender: CheckedContinuation<Bool, Never>?
    }

    fileprivate struct State {
        var entries = RingBuffer<Entry>()
        var byteCount = 0
        var isSending = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable () -> Void

    /// - Parameter onChange: Called when fewer bytes wait than before.
    init(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
    }

    /// The number of waiting bytes.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// - Returns: `false` if there is no room.
    func put(_ buffer: RTCDataBuffer, for channel: DataChannel) -> Bool {
        let isTaken = state.withLock { state in
            guard state.byteCount + max(buffer.data.count, Self.leastSize) <= Self.limit else { return false }
            state.append(buffer, sender: nil)
            return true
        }
        if isTaken { start(channel) }
        return isTaken
    }

    /// - Returns: Whether the connection has accepted the message.
    func send(_ buffer: RTCDataBuffer, on channel: DataChannel) async -> Bool {
        await withCheckedContinuation { continuation in
            state.withLock { $0.append(buffer, sender: continuation) }
            start(channel)
        }
    }

    func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.isSending { state.waiters.append(continuation) }
                return !state.isSending
            }
            if isEmpty { continuation.resume() }
        }
    }

    private func start(_ channel: DataChannel) {
        let mustStart = state.withLock { state in
            guard !state.isSending, !state.entries.isEmpty else { return false }
            state.isSending = true
            return true
        }
        guard mustStart else { return }
        Task { [self] in
            while let entry = next() { await send(entry, on: channel) }
        }
    }

    private func next() -> Entry? {
        let (entry, waiters) = state.withLock { state in
            if let entry = state.entries.popFirst() { return (entry as Entry?, [CheckedContinuation<Void, Never>]()) }
            state.isSending = false
            defer { state.waiters = [] }
            return (nil, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return entry
    }

    private func send(_ entry: Entry, on channel: DataChannel) async {
        var isTaken = false
        do {
            while true {
                do {
                    try await channel.send(contentsOf: [entry.message])
                    isTaken = true
                    break
                } catch let error as RTCError where error.code == .connectionFailed || error.code == .network {
                    try await Task.sleep(for: Self.retryInterval)
                }
            }
        } catch {
            // The channel is closed, or the message is too large.
        }
        state.withLock { $0.byteCount -= entry.byteCount }
        entry.sender?.resume(returning: isTaken)
        onChange()
    }
}

extension DataChannelOutbox.State {
    fileprivate mutating func append(_ buffer: RTCDataBuffer, sender: CheckedContinuation<Bool, Never>?) {
        let byteCount = max(buffer.data.count, DataChannelOutbox.leastSize)
        entries.append(.init(message: buffer.message, byteCount: byteCount, sender: sender))
        self.byteCount += byteCount
    }
}
