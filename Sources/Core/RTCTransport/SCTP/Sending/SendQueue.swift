internal import RTCWire

/// A message that no part of has been sent.
struct QueuedMessage {
    var bytes: [UInt8]
    var protocolIdentifier: UInt32
    var isUnordered: Bool
    /// Of the channel layer's own: goes before everything that waits on other streams.
    var isControl: Bool
    /// Whether its bytes count as the stream's unsent ones, and lead to the low threshold.
    var isCounted: Bool
    /// Retransmissions that are allowed; negative is any number.
    var maximumRetransmits: Int32
    /// When it is given up; the distant future when it is not.
    var expiry: Instant
}

/// An outgoing stream that is, or was, in use.
struct SendStream {
    enum ResetState {
        case none
        /// Waits until everything on the stream is acknowledged.
        case wanted
        /// A request is under way. New messages are held until it is answered.
        case requested
    }

    var id: UInt16
    var nextSequenceNumber = StreamSequenceNumber(0)
    var messages = RingBuffer<QueuedMessage>()
    /// Bytes that have not been sent for the first time, of ``messages`` and of the message in transmission.
    var unsentBytes = 0
    var lowThreshold = 0
    /// Messages that are in transmission or not acknowledged.
    var messagesInFlight = 0
    var reset = ResetState.none
    /// Whether another reset is wanted after the one that is under way: the peer used the stream anew, and ended it,
    /// before its answer came through.
    var isResetWantedAgain = false
    /// Share of the association, beside other streams'.
    var weight: UInt16 = 256
    /// The stream's place in the schedule: bytes sent, divided by the weight.
    var virtualTime: UInt64 = 0
    var isScheduled = false

    var isDrained: Bool { messages.isEmpty && messagesInFlight == 0 }
    /// Whether nothing more may be queued until the stream is reset.
    var isEnding: Bool { reset == .wanted || isResetWantedAgain }
}

/// Messages that wait to be sent, and whose turn it is.
///
/// Streams share the association by weighted fair queueing over whole messages; RFC 9260 does not let the fragments of
/// two messages mix. State is kept for streams in use only.
struct SendQueue {
    private(set) var streams: [SendStream] = []
    private var slots: [UInt16: Int] = [:]
    private var freeSlots: [Int] = []
    private var schedule = StreamSchedule()
    private var virtualNow: UInt64 = 0
    /// Streams whose low threshold was passed downwards, for the owner to report.
    private(set) var lowStreams: [UInt16] = []
    /// Streams that a reset is wanted of and that have nothing under way.
    private var readyForReset: [UInt16] = []
    /// Messages given up before anything of them was sent.
    private(set) var expiredMessages: UInt64 = 0

    /// Whether a message waits.
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

    /// Forgets a stream that is drained and reset.
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

    /// Marks a stream to be reset as soon as it is drained, and after a reset that is under way.
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

    /// Takes streams whose reset is to be requested now. At most `limit`.
    mutating func takeReadyForReset(limit: Int) -> [UInt16] {
        let taken = Array(readyForReset.suffix(limit))
        readyForReset.removeLast(taken.count)
        for stream in taken {
            if let slot = slots[stream] { streams[slot].reset = .requested }
        }
        return taken
    }

    /// Ends a reset that was requested. If the peer has performed it, numbers begin anew. Answers whether another reset
    /// of the stream follows.
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

    /// Takes the message whose turn it is, and gives it a stream sequence number.
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

    /// Counts `bytes` of a stream as sent for the first time, or given up.
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
        schedule.insert(slot, key: key)
    }
}

/// Slots in the order of their keys, equal ones in the order of their arrival: a binary heap.
private struct StreamSchedule {
    private struct Entry {
        var key: UInt64
        var arrival: UInt64
        var slot: Int

        static func < (left: Entry, right: Entry) -> Bool {
            left.key != right.key ? left.key < right.key : left.arrival < right.arrival
        }
    }

    private var heap: [Entry] = []
    private var arrivals: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func insert(_ slot: Int, key: UInt64) {
        arrivals &+= 1
        heap.append(Entry(key: key, arrival: arrivals, slot: slot))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popFirst() -> Int? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first.slot }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1..<2 * parent + 3 where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == parent { return first.slot }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
