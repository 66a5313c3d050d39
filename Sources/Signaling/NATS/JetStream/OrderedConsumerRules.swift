internal import RTCWire

/// The rules by which a consumer's messages stay in order (ADR-17): when the consumer is given up for a new one, and from which
/// sequence on that continues. A value without I/O.
struct OrderedConsumerRules {
    enum Start: Hashable {
        /// The last message of each subject.
        case lastPerSubject
        case sequence(UInt64)
    }

    enum Verdict: Hashable {
        /// The message is the next one. `isLast`: of those that existed when the consumer began.
        case deliver(isLast: Bool)
        /// There is nothing to deliver any more.
        case caughtUp
        case ignore
        /// Something is missing: another consumer is needed.
        case recreate
    }

    private let start: Start
    /// The sequence of the last message delivered, in its stream.
    private(set) var lastStream: UInt64 = 0
    private(set) var isCaughtUp = false
    private let silence: TimeDelta
    private var lastConsumer: UInt64 = 0
    /// The consumer sequence of the last message that existed when the consumer began.
    private var existing: UInt64 = 0
    private var lastReceived = Instant.zero

    /// - Parameter heartbeat: The server says something in this time; three times without it are a reason for another consumer.
    init(start: Start, heartbeat: TimeDelta) {
        self.start = start
        silence = heartbeat * 3
        if case .sequence(let next) = start {
            lastStream = next == 0 ? 0 : next - 1
            isCaughtUp = true
        }
    }

    /// Where the next consumer begins.
    var nextStart: Start { lastStream > 0 ? .sequence(lastStream &+ 1) : start }

    /// A consumer was created.
    ///
    /// - Parameters:
    ///   - pending: The messages that it has to deliver.
    ///   - delivered: The messages that it has delivered already.
    mutating func created(pending: UInt64, delivered: UInt64, at now: Instant) -> Verdict {
        lastConsumer = 0
        lastReceived = now
        existing = pending &+ delivered
        guard existing == 0, !isCaughtUp else { return .ignore }
        isCaughtUp = true
        return .caughtUp
    }

    mutating func received(_ message: DeliveryMetadata, at now: Instant) -> Verdict {
        lastReceived = now
        guard message.consumerSequence == lastConsumer &+ 1, message.streamSequence > lastStream else {
            return .recreate
        }
        lastConsumer = message.consumerSequence
        lastStream = message.streamSequence
        guard !isCaughtUp, message.pending == 0 || message.consumerSequence >= existing else {
            return .deliver(isLast: false)
        }
        isCaughtUp = true
        return .deliver(isLast: true)
    }

    /// - Parameters:
    ///   - last: The consumer sequence of the last message that was sent; `nil` if the heartbeat does not say.
    ///   - isStalled: The consumer waits for an answer to flow control.
    mutating func receivedHeartbeat(last: UInt64?, isStalled: Bool, at now: Instant) -> Verdict {
        lastReceived = now
        guard let last else { return .ignore }
        if last > lastConsumer { return .recreate }
        // Entries that were to come may have expired.
        guard last == lastConsumer, !isStalled, !isCaughtUp else { return .ignore }
        isCaughtUp = true
        return .caughtUp
    }

    mutating func heardFlowControl(at now: Instant) {
        lastReceived = now
    }

    /// Whether heartbeats are missing.
    func isSilent(at now: Instant) -> Bool { now - lastReceived >= silence }
}
