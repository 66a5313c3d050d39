internal import RTCWire

/// Reassembles fragments into messages, and orders the messages of a stream (RFC 9260, sections 6.5, 6.6 and 6.9).
///
/// Fragments of one message have consecutive TSNs, so incomplete messages are kept as *runs* of consecutive fragments,
/// ascending by TSN. In the steady state there is at most one run, and each fragment is appended to it.
struct Reassembly {
    /// The limit on runs plus waiting messages. A chunk that would exceed it is treated as lost.
    static let maximumItems = 32_768
    /// The limit on runs, since each is inserted in order. A chunk that would exceed it is treated as lost.
    static let maximumRuns = 4_096

    private struct Run {
        var first: TransmissionSequenceNumber
        var last: TransmissionSequenceNumber
        var stream: UInt16
        var sequenceNumber: StreamSequenceNumber
        var protocolIdentifier: UInt32
        var isUnordered: Bool
        var begins: Bool
        var ends: Bool
        var bytes: [UInt8]

        init(_ chunk: DataChunk, bytes: [UInt8]) {
            first = chunk.tsn
            last = chunk.tsn
            stream = chunk.stream
            sequenceNumber = chunk.sequenceNumber
            protocolIdentifier = chunk.protocolIdentifier
            isUnordered = chunk.flags.contains(.unordered)
            begins = chunk.flags.contains(.beginning)
            ends = chunk.flags.contains(.ending)
            self.bytes = bytes
        }

        /// Whether a fragment with these values belongs to the same message.
        func matches(stream: UInt16, sequenceNumber: StreamSequenceNumber, isUnordered: Bool) -> Bool {
            self.stream == stream && self.isUnordered == isUnordered
                && (isUnordered || self.sequenceNumber == sequenceNumber)
        }
    }

    private struct OrderedStream {
        var next = StreamSequenceNumber(0)
        /// Complete messages that arrived before their predecessors.
        /// In a heap, since a peer may send thousands in any order. Numbers may occur twice.
        var waiting = PriorityQueue<WaitingNumber, SCTPMessage>()

        enum Turn { case now, later, over }

        /// Whether `number` is the next in order; if so, advances to the following one.
        mutating func take(_ number: StreamSequenceNumber) -> Turn {
            guard number == next else { return number > next ? .later : .over }
            next = next.next
            return .now
        }
    }

    enum Failure: Error {
        /// A message exceeds the limit.
        case messageTooLarge
    }

    /// Complete messages in order, for the owner to take.
    private(set) var delivered = RingBuffer<SCTPMessage>()
    /// Bytes of incomplete or waiting messages that were discarded since the owner last took this count.
    private var discardedBytes = 0
    /// The number of runs and waiting messages.
    private(set) var itemCount = 0
    /// The number of invalid or skipped fragments and messages.
    private(set) var discardedItems: UInt64 = 0

    private var runs: [Run] = []
    private var streams: [UInt16: OrderedStream] = [:]
    private let maximumMessageSize: Int
    /// The size of the last fragmented message, which is reserved for the next.
    private var expectedSize = 0

    init(maximumMessageSize: Int) {
        self.maximumMessageSize = maximumMessageSize
    }

    mutating func popDelivered() -> SCTPMessage? { delivered.popFirst() }

    mutating func takeDiscardedBytes() -> Int {
        defer { discardedBytes = 0 }
        return discardedBytes
    }

    /// Whether another run may begin.
    var hasRoomForRun: Bool { runs.count < Self.maximumRuns }

    /// Adds a chunk that has not arrived before.
    mutating func insert(_ chunk: DataChunk) throws(Failure) {
        if chunk.flags.isSuperset(of: [.beginning, .ending]) {
            guard chunk.userData.byteCount <= maximumMessageSize else { throw .messageTooLarge }
            deliver(
                SCTPMessage(
                    stream: chunk.stream, protocolIdentifier: chunk.protocolIdentifier,
                    isUnordered: chunk.flags.contains(.unordered), bytes: chunk.userData.array),
                chunk.sequenceNumber)
            return
        }
        // When chunks arrive in order, the run to continue is the last.
        var index = runs.count
        while index > 0, runs[index - 1].last > chunk.tsn {
            index = index < 16 ? index - 1 : indexOfRun(after: chunk.tsn)
        }
        if index > 0, !chunk.flags.contains(.beginning), continues(runs[index - 1], chunk) {
            chunk.userData.withUnsafeBytes { runs[index - 1].bytes.append(contentsOf: $0) }
            runs[index - 1].last = chunk.tsn
            if chunk.flags.contains(.ending) { runs[index - 1].ends = true }
            index -= 1
        } else {
            var bytes: [UInt8] = []
            // With other runs present it may be one of many that never complete, and reserving for each would waste
            // memory.
            if chunk.flags.contains(.beginning), runs.isEmpty { bytes.reserveCapacity(expectedSize) }
            chunk.userData.withUnsafeBytes { bytes.append(contentsOf: $0) }
            runs.insert(Run(chunk, bytes: bytes), at: index)
            itemCount += 1
        }
        mergeWithNext(index)
        guard runs[index].bytes.count <= maximumMessageSize else { throw .messageTooLarge }
        if runs[index].begins && runs[index].ends { deliverRun(at: index) }
    }

    /// Discards runs that can never be completed, once all TSNs up to `cumulative` have arrived or been skipped.
    mutating func prune(upTo cumulative: TransmissionSequenceNumber) {
        discardRuns {
            let waitsForEarlier = !$0.begins && $0.first <= cumulative.next
            let waitsForLater = !$0.ends && $0.last < cumulative
            return waitsForEarlier || waitsForLater
        }
    }

    /// Discards fragments up to `cumulative` that the peer has abandoned, with their whole messages (RFC 3758, section
    /// 3.6).
    mutating func skip(to cumulative: TransmissionSequenceNumber) {
        discardRuns { $0.first <= cumulative }
    }

    /// Stops waiting for ordered messages of `stream` up to `sequenceNumber`.
    mutating func skip(stream: UInt16, to sequenceNumber: StreamSequenceNumber) {
        guard sequenceNumber >= streams[stream]?.next ?? StreamSequenceNumber(0) else { return }
        // Complete messages with lower numbers are delivered: they were not lost.
        deliverWaiting(of: stream, through: sequenceNumber)
    }

    /// Resets the stream sequence numbers of `streams` to 0 (RFC 6525, section 5.2.2). Empty means all.
    mutating func reset(_ streams: [UInt16]) {
        if streams.isEmpty {
            for stream in self.streams.values { discardWaiting(stream) }
            self.streams.removeAll()
        }
        for stream in streams {
            if let removed = self.streams.removeValue(forKey: stream) { discardWaiting(removed) }
        }
    }

    // MARK: Runs

    private func continues(_ run: Run, _ chunk: DataChunk) -> Bool {
        !run.ends && run.last.next == chunk.tsn
            && run.matches(
                stream: chunk.stream, sequenceNumber: chunk.sequenceNumber,
                isUnordered: chunk.flags.contains(.unordered))
    }

    private func indexOfRun(after tsn: TransmissionSequenceNumber) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].last > tsn { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Joins a run with the next one if no gap remains between them.
    private mutating func mergeWithNext(_ index: Int) {
        guard index + 1 < runs.count, runs[index].last.next == runs[index + 1].first, !runs[index].ends,
            !runs[index + 1].begins,
            runs[index].matches(
                stream: runs[index + 1].stream, sequenceNumber: runs[index + 1].sequenceNumber,
                isUnordered: runs[index + 1].isUnordered)
        else { return }
        let next = runs.remove(at: index + 1)
        runs[index].bytes.append(contentsOf: next.bytes)
        runs[index].last = next.last
        runs[index].ends = next.ends
        itemCount -= 1
    }

    /// Discards the leading runs for which `isOver` holds, all at once: there may be thousands.
    private mutating func discardRuns(while isOver: (Run) -> Bool) {
        let count = runs.prefix(while: isOver).count
        guard count > 0 else { return }
        for run in runs[..<count] { discard(bytes: run.bytes.count) }
        itemCount -= count
        runs.removeFirst(count)
    }

    private mutating func deliverRun(at index: Int) {
        let run = runs.remove(at: index)
        itemCount -= 1
        expectedSize = run.bytes.count
        // Copies the bytes if the array was reserved for a much larger message.
        let bytes =
            run.bytes.capacity > 2 * run.bytes.count + 64 ? run.bytes.withUnsafeBytes { [UInt8]($0) } : run.bytes
        deliver(
            SCTPMessage(
                stream: run.stream, protocolIdentifier: run.protocolIdentifier, isUnordered: run.isUnordered,
                bytes: bytes),
            run.sequenceNumber)
    }

    // MARK: Streams

    private mutating func deliver(_ message: SCTPMessage, _ sequenceNumber: StreamSequenceNumber) {
        if message.isUnordered {
            delivered.append(message)
            return
        }
        switch streams[message.stream, default: OrderedStream()].take(sequenceNumber) {
        case .now:
            let stream = message.stream
            delivered.append(message)
            if itemCount > 0 { deliverWaiting(of: stream, through: nil) }
        case .later: wait(message, sequenceNumber)
        case .over: discard(bytes: message.bytes.count)
        }
    }

    private mutating func wait(_ message: SCTPMessage, _ sequenceNumber: StreamSequenceNumber) {
        streams[message.stream, default: OrderedStream()].waiting.insert(
            message, at: WaitingNumber(number: sequenceNumber))
        itemCount += 1
    }

    /// Delivers the messages now in order; up to `limit` also those whose predecessors were abandoned.
    private mutating func deliverWaiting(of stream: UInt16, through limit: StreamSequenceNumber?) {
        guard var state = streams.removeValue(forKey: stream) ?? (limit == nil ? nil : OrderedStream()) else { return }
        if let limit {
            while let number = state.waiting.next?.number, number <= limit { deliverFirstWaiting(&state, number) }
            if state.next <= limit { state.next = limit.next }
        }
        while let number = state.waiting.next?.number, number <= state.next { deliverFirstWaiting(&state, number) }
        streams[stream] = state
    }

    /// Delivers the first waiting message, unless its number is a duplicate.
    private mutating func deliverFirstWaiting(_ state: inout OrderedStream, _ number: StreamSequenceNumber) {
        guard let message = state.waiting.popFirst() else { return }
        itemCount -= 1
        guard number >= state.next else { return discard(bytes: message.bytes.count) }
        delivered.append(message)
        state.next = number.next
    }

    private mutating func discardWaiting(_ stream: OrderedStream) {
        for message in stream.waiting.elements { discard(bytes: message.bytes.count) }
        itemCount -= stream.waiting.count
    }

    private mutating func discard(bytes: Int) {
        discardedBytes += bytes
        discardedItems += 1
    }
}

/// The number of a complete message of one stream that arrived early. All are within half of the number space, so they are
/// comparable.
private struct WaitingNumber: Comparable {
    var number: StreamSequenceNumber

    static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
