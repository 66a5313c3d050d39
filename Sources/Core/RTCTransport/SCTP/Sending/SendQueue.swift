internal import RTCWire

/// A message of which nothing has been sent.
struct QueuedMessage {
    var bytes: [UInt8]
    var protocolIdentifier: UInt32
    var isUnordered: Bool
    /// Whether it is a message of the channel layer, which is sent before those on other streams.
    var isControl: Bool
    /// Whether its bytes count as unsent bytes of the stream, and thus for the low threshold.
    var isCounted: Bool
    /// The maximum number of retransmissions; negative for no limit.
    var maximumRetransmits: Int32
    /// The time at which the message is abandoned; the distant future for never.
    var expiry: Instant
}

/// An outgoing stream that is, or was, in use.
struct SendStream {
    enum ResetState {
        case none
        /// Waits until everything on the stream is acknowledged.
        case wanted
        /// A request is outstanding. New messages are held until the response.
        case requested
    }

    var id: UInt16
    var nextSequenceNumber = StreamSequenceNumber(0)
    var messages = RingBuffer<QueuedMessage>()
    /// Unsent bytes of ``messages`` and of the message in transmission.
    var unsentBytes = 0
    var lowThreshold = 0
    /// The number of messages in transmission or not acknowledged.
    var messagesInFlight = 0
    var reset = ResetState.none
    /// Whether another reset must follow the outstanding one: the peer reused and closed the stream before its response
    /// arrived.
    var isResetWantedAgain = false
    /// The stream's weight in the scheduling among streams.
    var weight: UInt16 = 256
    /// The stream's virtual time in the schedule: bytes sent, divided by the weight.
    var virtualTime: UInt64 = 0
    var isScheduled = false

    var isDrained: Bool { messages.isEmpty && messagesInFlight == 0 }
    /// Whether nothing more may be queued until the stream is reset.
    var isEnding: Bool { reset == .wanted || isResetWantedAgain }
}

/// The queue of messages to send, with the scheduling of streams.
///
/// Streams share the association by weighted fair queueing over whole messages; RFC 9260 does not let the fragments of
/// two messages mix. State is kept for streams in use only.
struct SendQueue {
    private(set) var streams: [SendStream] = []
    private var slots: [UInt16: Int] = [:]
    private var freeSlots: [Int] = []
    /// The slots of streams by their virtual times.
    private var schedule = PriorityQueue<UInt64, Int>()
    private var virtualNow: UInt64 = 0
    /// Streams that have fallen to their low threshold, for the owner to report.
    private(set) var lowStreams: [UInt16] = []
    /// Streams to be reset that have nothing in flight.
    private var readyForReset: [UInt16] = []
    /// The number of messages abandoned before any part of them was sent.
    private(set) var expiredMessages: UInt64 = 0

    /// Whether no message waits.
    var isEmpty: Bool { schedule.isEmpty }

    func slot(of stream: UInt16) -> Int? { slots[stream] }

    func unsentBytes(of stream: UInt16) -> Int { slots[stream].map { streams[$0].unsentBytes } ?? 0 }

    /// The slot of `stream`, made if there is none.
    mutating func makeSlot(for stream: UInt16) -> Int {
        if let slot = slots[stream] { return slot }
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            streams[slot] = SendStream(id: stream)
        } else {
            slot = streams.count
            streams.append(SendStream(id: stream))
        }
        slots[stream] = slot
        return slot
    }

    /// Removes a stream that is drained and reset.
    private mutating func remove(_ stream: UInt16) {
        guard let slot = slots[stream], streams[slot].isDrained else { return }
        slots[stream] = nil
        streams[slot] = SendStream(id: stream)
        freeSlots.append(slot)
    }

    mutating func setWeight(_ weight: UInt16, of stream: UInt16) {
        let slot = makeSlot(for: stream)
        streams[slot].weight = max(1, weight)
    }

    mutating func setLowThreshold(_ threshold: Int, of stream: UInt16) {
        let slot = makeSlot(for: stream)
        streams[slot].lowThreshold = max(0, threshold)
    }

    /// Marks a stream to be reset once it is drained, and after an outstanding reset.
    mutating func wantReset(of stream: UInt16) {
        let slot = makeSlot(for: stream)
        switch streams[slot].reset {
        case .none:
            streams[slot].reset = .wanted
            noteIfReadyForReset(slot)
        case .wanted: break
        case .requested: streams[slot].isResetWantedAgain = true
        }
    }

    private mutating func noteIfReadyForReset(_ slot: Int) {
        if streams[slot].reset == .wanted, streams[slot].isDrained { readyForReset.append(streams[slot].id) }
    }

    var hasReadyForReset: Bool { !readyForReset.isEmpty }

    /// Takes up to `limit` streams whose reset is to be requested now.
    mutating func takeReadyForReset(limit: Int) -> [UInt16] {
        let taken = Array(readyForReset.suffix(limit))
        readyForReset.removeLast(taken.count)
        for stream in taken {
            if let slot = slots[stream] { streams[slot].reset = .requested }
        }
        return taken
    }

    /// Completes a requested reset. If the peer has performed it, sequence numbers restart at 0. Returns whether
    /// another reset of the stream follows.
    mutating func endReset(_ stream: UInt16, isPerformed: Bool) -> Bool {
        guard let slot = slots[stream], streams[slot].reset == .requested else { return false }
        let isWantedAgain = streams[slot].isResetWantedAgain
        streams[slot].isResetWantedAgain = false
        streams[slot].reset = isWantedAgain ? .wanted : .none
        if isPerformed { streams[slot].nextSequenceNumber = StreamSequenceNumber(0) }
        if !streams[slot].messages.isEmpty {
            if !streams[slot].isScheduled { enqueue(slot) }
        } else if isWantedAgain {
            noteIfReadyForReset(slot)
        } else if isPerformed {
            remove(stream)
        }
        return isWantedAgain
    }

    mutating func append(_ message: QueuedMessage, to slot: Int) {
        if message.isCounted { streams[slot].unsentBytes += message.bytes.count }
        streams[slot].messages.append(message)
        if !streams[slot].isScheduled, streams[slot].reset != .requested { enqueue(slot) }
    }

    /// Takes the next message in the schedule.
    mutating func popMessage(at now: Instant, discarded: inout Int) -> (slot: Int, message: QueuedMessage)? {
        while let slot = schedule.popFirst() {
            streams[slot].isScheduled = false
            guard let message = streams[slot].messages.popFirst() else { continue }
            virtualNow = max(virtualNow, streams[slot].virtualTime)
            let size = message.bytes.count
            if message.expiry <= now {
                expiredMessages += 1
                discarded += size
                if message.isCounted { sent(bytes: size, on: slot) }
                if streams[slot].messages.isEmpty { noteIfReadyForReset(slot) } else { enqueue(slot) }
                continue
            }
            let cost = (UInt64(size) + 64) << 16 / UInt64(streams[slot].weight)
            streams[slot].virtualTime = max(streams[slot].virtualTime, virtualNow) &+ cost
            streams[slot].messagesInFlight += 1
            if !streams[slot].messages.isEmpty { enqueue(slot) }
            return (slot, message)
        }
        return nil
    }

    /// Subtracts `bytes` of a stream that were sent for the first time, or abandoned.
    mutating func sent(bytes: Int, on slot: Int) {
        let before = streams[slot].unsentBytes
        let after = max(0, before - bytes)
        streams[slot].unsentBytes = after
        if before > streams[slot].lowThreshold, after <= streams[slot].lowThreshold {
            lowStreams.append(streams[slot].id)
        }
    }

    mutating func takeLowStream() -> UInt16? { lowStreams.popLast() }

    /// The number of the next ordered message of the stream.
    mutating func takeSequenceNumber(of slot: Int) -> StreamSequenceNumber {
        defer { streams[slot].nextSequenceNumber = streams[slot].nextSequenceNumber.next }
        return streams[slot].nextSequenceNumber
    }

    mutating func messageFinished(on slot: Int) {
        streams[slot].messagesInFlight -= 1
        noteIfReadyForReset(slot)
    }

    mutating func removeAll() {
        self = SendQueue()
    }

    private mutating func enqueue(_ slot: Int) {
        streams[slot].isScheduled = true
        let isControl = streams[slot].messages.first?.isControl ?? false
        let key = isControl ? 0 : max(streams[slot].virtualTime, virtualNow)
        schedule.insert(slot, at: key)
    }
}
