import Synchronization

/// The changes of a ``DeviceList``. The sequence ends with the list.
///
/// Read it in one task: several readers would share the changes.
public struct DeviceChanges: AsyncSequence, Sendable {
    private let reader: Reader

    init(queue: DeviceChangeQueue) { reader = Reader(queue) }

    /// Abandons the queue when the last copy of the sequence is released.
    fileprivate final class Reader: Sendable {
        let queue: DeviceChangeQueue
        init(_ queue: DeviceChangeQueue) { self.queue = queue }
        deinit { queue.abandon() }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        /// Returns the next change.
        ///
        /// - Returns: `nil` if the list was stopped, or the task was cancelled.
        public mutating func next() async -> DeviceList.Change? { await reader.queue.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}

/// Changes that one reader has not read yet.
final class DeviceChangeQueue: Sendable {
    private struct State {
        /// The devices that are connected according to the changes read so far.
        var reported: [MediaDevice]
        /// The devices that are connected.
        var now: [MediaDevice] = []
        var waiting: [DeviceList.Change] = []
        var isFinished = false
        var isAbandoned = false
    }

    private let state: Mutex<State>
    /// Signals that there are changes to read.
    private let signal: AsyncStream<Void>
    private let signalContinuation: AsyncStream<Void>.Continuation

    private static let limit = 256

    init(reported: [MediaDevice]) {
        state = Mutex(State(reported: reported))
        (signal, signalContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// - Parameter now: The connected devices after `changes`.
    func push(_ changes: [DeviceList.Change], now: [MediaDevice]) {
        state.withLock { state in
            state.now = now
            state.waiting += changes
            if state.waiting.count > Self.limit { state.waiting = Self.difference(from: state.reported, to: now) }
        }
        signalContinuation.yield()
    }

    /// Ends the sequence after the waiting changes.
    func finish() {
        state.withLock { $0.isFinished = true }
        signalContinuation.finish()
    }

    func abandon() {
        state.withLock { $0.isAbandoned = true }
        signalContinuation.finish()
    }

    func next() async -> DeviceList.Change? {
        var signals = signal.makeAsyncIterator()
        while true {
            if let change = pop() { return change }
            guard await signals.next() != nil else { return Task.isCancelled ? nil : pop() }
        }
    }

    private func pop() -> DeviceList.Change? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let change = state.waiting.removeFirst()
            state.reported.removeAll { $0.isSameInstance(as: change.device) }
            if case .removed = change {} else { state.reported.append(change.device) }
            return change
        }
    }

    private static func difference(from old: [MediaDevice], to new: [MediaDevice]) -> [DeviceList.Change] {
        let gone = old.filter { one in !new.contains { $0.isSameInstance(as: one) } }
        let rest: [DeviceList.Change] = new.compactMap { device in
            guard let before = old.first(where: { $0.isSameInstance(as: device) }) else { return .added(device) }
            return before == device ? nil : .changed(device)
        }
        return gone.map { .removed($0) } + rest
    }
}
