internal import NIOCore
internal import RTCWire
internal import Synchronization

/// What has arrived for a subscription and was not read yet. It holds a limited number of messages and bytes; what does not fit is
/// dropped and counted, and the reader is told where.
package final class DeliveryBuffer: Sendable {
    enum Outcome: Sendable {
        case delivery(NATSDelivery)
        case end(NATSError?)
        case timedOut
    }

    private struct State {
        var deliveries = RingBuffer<NATSDelivery>()
        var bytes = 0
        var dropped = 0
        var end: NATSError??
        var lastReader = 0
        var readers: [(id: Int, continuation: CheckedContinuation<Outcome, Never>)] = []

        mutating func take() -> Outcome? {
            if let delivery = deliveries.popFirst() {
                if case .message(let message) = delivery { bytes -= DeliveryBuffer.size(message) }
                return .delivery(delivery)
            }
            if dropped > 0 {
                defer { dropped = 0 }
                return .delivery(.lost(.overflow(messages: dropped)))
            }
            return end.map { .end($0) }
        }

        mutating func append(_ delivery: NATSDelivery) {
            if dropped > 0 {
                deliveries.append(.lost(.overflow(messages: dropped)))
                dropped = 0
            }
            deliveries.append(delivery)
        }

        /// A reader, and what it is told.
        mutating func served() -> (CheckedContinuation<Outcome, Never>, Outcome)? {
            guard !readers.isEmpty, let outcome = take() else { return nil }
            return (readers.removeFirst().continuation, outcome)
        }
    }

    private let limits: NATSClient.BufferLimits
    /// For waits that end; `nil` if there are none.
    private let loop: (any EventLoop)?
    private let state = Mutex(State())

    init(_ limits: NATSClient.BufferLimits, on loop: any EventLoop) {
        self.limits = limits
        self.loop = loop
    }

    /// Creates a buffer whose readers wait without a limit.
    package init(_ limits: NATSClient.BufferLimits) {
        self.limits = limits
        loop = nil
    }

    /// What a message costs, roughly.
    private static func size(_ message: NATSMessage) -> Int {
        message.headers.fields.reduce(message.payload.count + message.subject.text.utf8.count + 128) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 64
        }
    }

    // MARK: Writing

    package func push(_ message: NATSMessage) {
        change { state in
            guard state.end == nil else { return }
            let size = Self.size(message)
            // One message always fits.
            let isFull =
                state.deliveries.count >= limits.messages || state.bytes > 0 && state.bytes + size > limits.bytes
            if isFull {
                state.dropped += 1
            } else {
                state.append(.message(message))
                state.bytes += size
            }
        }
    }

    package func lose(_ loss: NATSLoss) {
        change { state in
            // The same loss twice in a row says nothing new.
            guard state.end == nil, state.deliveries.last != .lost(loss) else { return }
            if state.deliveries.count > limits.messages { state.dropped += 1 } else { state.append(.lost(loss)) }
        }
    }

    /// What has arrived can still be read.
    package func end(_ error: NATSError?) {
        change { state in
            if state.end == nil { state.end = .some(error) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let served = state.withLock { state in
            body(&state)
            var served: [(CheckedContinuation<Outcome, Never>, Outcome)] = []
            while let next = state.served() { served.append(next) }
            return served
        }
        for (reader, outcome) in served { reader.resume(returning: outcome) }
    }

    // MARK: Reading

    /// Waits for the next delivery. Cancelling the task ends the wait, with `end(nil)`.
    func next(within time: Duration? = nil) async -> Outcome {
        if let outcome = state.withLock({ $0.take() }) { return outcome }
        let id = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return await withTaskCancellationHandler {
            let timer = time.flatMap { time in
                loop?.scheduleTask(in: TimeAmount(time)) { [weak self] in self?.wake(id, .timedOut) }
            }
            defer { timer?.cancel() }
            return await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    if let outcome = state.take() { return outcome }
                    state.readers.append((id, continuation))
                    return nil
                }
                if let outcome { return continuation.resume(returning: outcome) }
                // It may have been cancelled before there was anything to wake.
                if Task.isCancelled { wake(id, .end(nil)) }
            }
        } onCancel: {
            wake(id, .end(nil))
        }
    }

    private func wake(_ id: Int, _ outcome: Outcome) {
        let reader = state.withLock { state in
            state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0).continuation }
        }
        reader?.resume(returning: outcome)
    }
}
