package import NATS
internal import RTCWire
internal import Synchronization

/// A model of NATS that clients in one process share. Its time is virtual: each operation lets pass what it needs.
package final class MemoryBroker: Sendable {
    /// Only under the lock; the model has a source of random numbers that is no value.
    private struct State: @unchecked Sendable {
        var model: KeyValueModel
        var watches: [Int: AsyncStream<KeyValueChange>.Continuation] = [:]
        var buffers: [Int: DeliveryBuffer] = [:]
    }

    private let state: Mutex<State>

    package init(seed: UInt64, faults: KeyValueModel.Faults = KeyValueModel.Faults()) {
        var model = KeyValueModel(seed: seed)
        model.faults = faults
        state = Mutex(State(model: model))
    }

    package func client() -> MemoryKeyValueStore {
        MemoryKeyValueStore(self, node: change { $0.model.addNode() })
    }

    func cutOff(_ node: Int) { change { $0.model.cutOff(node) } }
    func connect(_ node: Int) { change { $0.model.connect(node) } }

    func perform(
        _ operation: KeyValueModel.Operation, from node: Int
    ) throws(NATSError) -> KeyValueModel.Answer {
        let result = change { state -> Result<KeyValueModel.Answer, NATSError> in
            let number = state.model.submit(operation, from: node)
            while true {
                for completion in state.model.takeCompletions() where completion.operation == number {
                    return completion.result
                }
                guard let next = state.model.nextDeadline else {
                    return .failure(NATSError(.timeout, "the model has forgotten a request"))
                }
                state.model.advance(to: next)
            }
        }
        return try result.get()
    }

    func watch(_ filter: KeyValueFilter, from node: Int) -> MemoryWatch {
        change { state in
            let number = state.model.watch(filter, from: node)
            let (changes, continuation) = AsyncStream.makeStream(of: KeyValueChange.self)
            state.watches[number] = continuation
            return MemoryWatch(changes) { [weak self] in
                self?.state.withLock {
                    $0.model.end(number)
                    $0.watches[number] = nil
                }
            }
        }
    }

    func subscribe(_ filter: NATSSubjectFilter, from node: Int) -> NATSSubscription {
        change { state in
            let number = state.model.subscribe(filter, from: node)
            let buffer = DeliveryBuffer(NATSClient.BufferLimits())
            state.buffers[number] = buffer
            return NATSSubscription(
                handle: NATSSubscription.Handle(buffer) { [weak self] in
                    buffer.end(nil)
                    self?.state.withLock {
                        $0.model.end(number)
                        $0.buffers[number] = nil
                    }
                })
        }
    }

    /// Changes the model, and then lets everything arrive that is under way: within the lock, so that the order is kept.
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.withLock { state in
            let value = body(&state)
            while let next = state.model.nextDeadline { state.model.advance(to: next) }
            for delivery in state.model.takeDeliveries() {
                switch delivery {
                case .change(let number, let change): state.watches[number]?.yield(change)
                case .message(let number, .message(let message)): state.buffers[number]?.push(message)
                case .message(let number, .lost(let loss)): state.buffers[number]?.lose(loss)
                }
            }
            return value
        }
    }
}

/// A client of a ``MemoryBroker``.
package final class MemoryKeyValueStore: KeyValueStore {
    private let broker: MemoryBroker
    private let node: Int

    init(_ broker: MemoryBroker, node: Int) {
        self.broker = broker
        self.node = node
    }

    /// Cuts the client off from the broker, or connects it again.
    package func setConnected(_ isConnected: Bool) {
        if isConnected { broker.connect(node) } else { broker.cutOff(node) }
    }

    package func get(_ key: KeyValueKey) async throws(NATSError) -> KeyValueEntry? {
        guard case .entry(let entry) = try broker.perform(.get(key), from: node) else { return nil }
        return entry
    }

    package func create(_ key: KeyValueKey, _ value: [UInt8]) async throws(NATSError) -> UInt64 {
        try revision(.create(key, value))
    }

    package func update(_ key: KeyValueKey, _ value: [UInt8], revision: UInt64) async throws(NATSError) -> UInt64 {
        try self.revision(.update(key, value, revision: revision))
    }

    package func delete(_ key: KeyValueKey, revision: UInt64?) async throws(NATSError) {
        _ = try broker.perform(.delete(key, revision: revision), from: node)
    }

    private func revision(_ operation: KeyValueModel.Operation) throws(NATSError) -> UInt64 {
        guard case .revision(let revision) = try broker.perform(operation, from: node) else { return 0 }
        return revision
    }

    package func watch(_ filter: KeyValueFilter) async throws(NATSError) -> KeyValueWatch {
        KeyValueWatch(broker.watch(filter, from: node))
    }

    package func publish(_ subject: NATSSubject, _ payload: [UInt8]) async throws(NATSError) {
        _ = try broker.perform(.publish(subject, payload), from: node)
    }

    package func subscribe(_ filter: NATSSubjectFilter) async throws(NATSError) -> NATSSubscription {
        broker.subscribe(filter, from: node)
    }
}

/// The changes that a watch of the model was told. The watch ends when nobody has it any more.
final class MemoryWatch: KeyValueWatchSource {
    private let changes: AsyncStream<KeyValueChange>
    private let ending: @Sendable () -> Void

    init(_ changes: AsyncStream<KeyValueChange>, ending: @escaping @Sendable () -> Void) {
        self.changes = changes
        self.ending = ending
    }

    deinit { ending() }

    func next() async throws(NATSError) -> KeyValueChange? {
        var iterator = changes.makeAsyncIterator()
        return await iterator.next()
    }
}
