internal import RTCWire

/// A DATA chunk that was sent and not cumulatively acknowledged. Its position in the queue determines its TSN; its
/// payload is a slice of a message.
struct OutstandingChunk {
    enum State: UInt8 {
        case inFlight
        /// Acknowledged by a gap ack block.
        case acknowledged
        /// To be retransmitted.
        case lost
        /// Abandoned (RFC 3758).
        case abandoned
    }

    var sentAt: Instant
    /// The number of the message, counted from the association's first.
    var message: UInt32
    /// The payload's offset in the message.
    var offset: UInt32
    var length: UInt16
    var transmissions: UInt16
    var state: State
    /// The B and E flags; the others follow from the message.
    var flags: DataChunkFlags

    var size: Int { DataChunk.size(userData: Int(length)) }
}

/// A message that has been sent at least in part.
struct InFlightMessage {
    var bytes: [UInt8]
    var protocolIdentifier: UInt32
    /// The stream's slot in the ``SendQueue``.
    var slot: Int
    var stream: UInt16
    var sequenceNumber: StreamSequenceNumber
    var isUnordered: Bool
    var isAbandoned = false
    var maximumRetransmits: Int32
    var expiry: Instant
}

/// The result of processing a SACK.
struct Acknowledgement {
    /// Bytes newly acknowledged, chunk headers included.
    var bytes = 0
    /// The number of newly acknowledged chunks.
    var chunks = 0
    var cumulativeAdvanced = false
    /// A round-trip measurement, at most one per round trip.
    var roundTripTime: TimeDelta?
    /// The send time of the last-sent chunk among the newly acknowledged ones that were sent once.
    var latestSent: Instant?
    /// Bytes of chunks newly found lost, chunk headers included.
    var lost = 0
}

/// The chunks between the cumulative TSN ack and the next TSN.
struct RetransmissionQueue {
    /// The furthest that a gap ack block reaches. Also bounds the memory when a peer never acknowledges the first
    /// chunk.
    static let maximumChunks = 65_535

    /// TSN of the first chunk in the queue, or of the next to be sent.
    private(set) var firstTSN: TransmissionSequenceNumber
    private(set) var chunks = RingBuffer<OutstandingChunk>()
    /// Bytes in flight, chunk headers included: what the congestion window limits.
    private(set) var bytesInFlight = 0
    /// User data in flight: what the peer's window limits.
    private(set) var payloadInFlight = 0
    /// The number of chunks waiting for retransmission.
    private(set) var lostCount = 0
    private(set) var abandonedMessages: UInt64 = 0
    /// Bytes of user data that were cumulatively acknowledged or abandoned since the owner last took this count. Data
    /// acknowledged only by gap ack blocks are still kept.
    private var releasedBytes = 0
    /// Whether the peer supports FORWARD TSN; without it, sent messages are never abandoned.
    var mayAbandon = false

    private var messages = RingBuffer<InFlightMessage>()
    private var firstMessage: UInt32 = 0
    /// The position of the first chunk in the queue, counted from the association's first chunk.
    private var firstPosition = 0
    /// The positions acknowledged by gap ack blocks, so that each is processed once.
    private var gapAcknowledged = AcknowledgedRanges()
    /// Reused between calls.
    private var news: [Range<Int>] = []
    /// The positions of lost chunks, and the retransmissions in the order of sending.
    private var lost = PriorityQueue<Int, Void>()
    private var resent = RingBuffer<(position: Int, sentAt: Instant)>()
    private var missing = MissingReports()
    /// Chunks before this position have been judged by ``missing``.
    private var lossCheckedEnd = 0
    /// The TSN to which the peer's cumulative TSN may be advanced, as far as chunks were examined.
    private var ackPoint = AdvancedAckPoint()
    /// The number of chunks examined because of SACKs: the work that a peer can cause.
    private(set) var visitedChunks: UInt64 = 0
    /// The latest send time among the chunks known to have arrived.
    private var latestArrival = Instant(nanoseconds: .min)
    /// Only chunks sent at or after this time give a round-trip sample: one per round trip.
    private var nextSample = Instant(nanoseconds: .min)
    /// The time at which the current path began; chunks sent before it are not measured.
    private var pathBegin = Instant(nanoseconds: .min)
    private let packetSize: Int

    init(initialTSN: TransmissionSequenceNumber, packetSize: Int) {
        firstTSN = initialTSN
        self.packetSize = packetSize
    }

    var isEmpty: Bool { chunks.isEmpty }
    var nextTSN: TransmissionSequenceNumber { firstTSN.advanced(by: chunks.count) }

    mutating func takeReleasedBytes() -> Int {
        defer { releasedBytes = 0 }
        return releasedBytes
    }

    // MARK: Sending

    /// Adds a message whose first chunk is about to be sent. Returns its number.
    mutating func begin(_ message: InFlightMessage) -> UInt32 {
        messages.append(message)
        return firstMessage &+ UInt32(truncatingIfNeeded: messages.count - 1)
    }

    func message(_ number: UInt32) -> InFlightMessage { messages[Int(number &- firstMessage)] }

    /// Writes the next `length` bytes of a message as a new chunk.
    mutating func send(
        _ number: UInt32, offset: Int, length: Int, immediate: Bool, at now: Instant, to writer: inout ByteWriter
    ) {
        let total = messages[Int(number &- firstMessage)].bytes.count
        var flags: DataChunkFlags = []
        if offset == 0 { flags.insert(.beginning) }
        if offset + length == total { flags.insert(.ending) }
        let chunk = OutstandingChunk(
            sentAt: now, message: number, offset: UInt32(truncatingIfNeeded: offset),
            length: UInt16(truncatingIfNeeded: length), transmissions: 1, state: .inFlight, flags: flags)
        write(chunk, nextTSN, immediate: immediate, to: &writer)
        bytesInFlight += chunk.size
        payloadInFlight += length
        chunks.append(chunk)
    }

    /// The index of the next chunk to retransmit, or `nil`. Abandons messages that have expired meanwhile.
    mutating func nextLost(at now: Instant) -> Int? {
        while lostCount > 0, let position = lost.next {
            let index = position - firstPosition
            guard index >= 0, chunks[index].state == .lost else {
                lost.popFirst()
                continue
            }
            guard mayAbandon, messages[Int(chunks[index].message &- firstMessage)].expiry <= now else { return index }
            abandonMessage(ofChunkAt: index)
        }
        return nil
    }

    /// Retransmits the lost chunk at `index`.
    mutating func resend(_ index: Int, at now: Instant, to writer: inout ByteWriter) {
        chunks[index].state = .inFlight
        chunks[index].sentAt = now
        if chunks[index].transmissions < .max { chunks[index].transmissions += 1 }
        let chunk = chunks[index]
        lostCount -= 1
        bytesInFlight += chunk.size
        payloadInFlight += Int(chunk.length)
        while let first = resent.first, !isUnderway(first) { _ = resent.popFirst() }
        resent.append((firstPosition + index, now))
        write(chunk, firstTSN.advanced(by: index), immediate: true, to: &writer)
    }

    private func write(
        _ chunk: OutstandingChunk, _ tsn: TransmissionSequenceNumber, immediate: Bool, to writer: inout ByteWriter
    ) {
        let message = messages[Int(chunk.message &- firstMessage)]
        var flags = chunk.flags
        if message.isUnordered { flags.insert(.unordered) }
        if immediate { flags.insert(.immediate) }
        message.bytes.withUnsafeBytes { bytes in
            let start = Int(chunk.offset)
            let end = min(start + Int(chunk.length), bytes.count)
            guard start <= end else { return }
            DataChunk(
                tsn: tsn, stream: message.stream, sequenceNumber: message.sequenceNumber,
                protocolIdentifier: message.protocolIdentifier, flags: flags,
                userData: UnsafeRawBufferPointer(rebasing: bytes[start..<end]).bytes
            ).write(to: &writer)
        }
    }

    // MARK: Acknowledgement

    /// Processes a SACK. Returns `nil` when it is older than the last one or acknowledges unsent TSNs.
    mutating func acknowledge(
        _ sack: SackChunk, at now: Instant, queue: inout SendQueue
    ) -> Acknowledgement? {
        let advance = firstTSN.previous.distance(to: sack.cumulativeTSN)
        guard advance >= 0, advance <= chunks.count else { return nil }
        var result = Acknowledgement()
        result.cumulativeAdvanced = advance > 0
        for _ in 0..<advance { popFirst(&result, at: now, queue: &queue) }
        gapAcknowledged.forget(before: firstPosition)
        var gapBytes = -result.bytes
        var highest = -1
        var previousEnd = 0
        for block in 0..<sack.gapBlockCount {
            let (start, end) = sack.gapBlock(at: block)
            // A block that overlaps the one before, or exceeds what was sent, is invalid, and the following ones may be
            // too.
            guard start > previousEnd, start <= end, end <= chunks.count else { break }
            previousEnd = end
            news.removeAll(keepingCapacity: true)
            guard gapAcknowledged.insert(firstPosition + start - 1..<firstPosition + end, news: &news) else { break }
            for part in news { highest = max(highest, arrived(part, &result, at: now)) }
        }
        gapBytes += result.bytes
        if highest > 0 {
            missing.add(firstPosition + highest, reports: (gapBytes + packetSize - 1) / packetSize)
            detectLosses(&result, at: now)
        }
        detectRepeatedLosses(&result, at: now)
        return result
    }

    /// Records positions that a gap ack block acknowledges for the first time.
    ///
    /// - Returns: The index of the last chunk newly acknowledged, or -1.
    private mutating func arrived(_ positions: Range<Int>, _ result: inout Acknowledgement, at now: Instant) -> Int {
        visitedChunks += UInt64(positions.count)
        var highest = -1
        for position in positions {
            let index = position - firstPosition
            let state = chunks[index].state
            guard state == .inFlight || state == .lost else { continue }
            noteArrival(chunks[index], &result, at: now)
            if state == .lost { lostCount -= 1 } else { removeFromFlight(chunks[index]) }
            chunks[index].state = .acknowledged
            highest = index
        }
        return highest
    }

    /// Removes the first chunk as cumulatively acknowledged.
    private mutating func popFirst(_ result: inout Acknowledgement, at now: Instant, queue: inout SendQueue) {
        guard let chunk = chunks.popFirst() else { return }
        firstTSN = firstTSN.next
        firstPosition += 1
        switch chunk.state {
        case .inFlight:
            noteArrival(chunk, &result, at: now)
            removeFromFlight(chunk)
            releasedBytes += Int(chunk.length)
        case .lost:
            noteArrival(chunk, &result, at: now)
            lostCount -= 1
            releasedBytes += Int(chunk.length)
        case .acknowledged: releasedBytes += Int(chunk.length)
        case .abandoned: break
        }
        if chunk.flags.contains(.ending), let message = messages.popFirst() {
            firstMessage &+= 1
            queue.messageFinished(on: message.slot)
        }
    }

    /// Notes that packets take another path from now on.
    mutating func pathChanged(at now: Instant) {
        pathBegin = now
        latestArrival = Instant(nanoseconds: .min)
    }

    private mutating func noteArrival(_ chunk: OutstandingChunk, _ result: inout Acknowledgement, at now: Instant) {
        result.bytes += chunk.size
        result.chunks += 1
        // A retransmitted chunk does not tell which copy arrived (Karn's rule).
        guard chunk.transmissions == 1, chunk.sentAt >= pathBegin else { return }
        if chunk.sentAt > latestArrival { latestArrival = chunk.sentAt }
        if chunk.sentAt >= result.latestSent ?? chunk.sentAt { result.latestSent = chunk.sentAt }
        if chunk.sentAt >= nextSample {
            result.roundTripTime = now - chunk.sentAt
            nextSample = now
        }
    }

    private mutating func removeFromFlight(_ chunk: OutstandingChunk) {
        bytesInFlight -= chunk.size
        payloadInFlight -= Int(chunk.length)
    }

    // MARK: Loss

    /// Finds lost chunks: those reported missing three times (RFC 9260, section 7.2.4).
    ///
    /// A SACK that acknowledges several packets beyond a gap counts as as many SACKs: receivers with batched reads send
    /// one for all. Time-based loss detection (RACK) would replace this function.
    private mutating func detectLosses(_ result: inout Acknowledgement, at now: Instant) {
        let end = min(missing.lossEnd, firstPosition + chunks.count)
        var position = max(lossCheckedEnd, firstPosition)
        guard position < end else { return }
        visitedChunks += UInt64(end - position)
        lossCheckedEnd = end
        while position < end {
            let index = position - firstPosition
            if chunks[index].state == .inFlight, chunks[index].transmissions == 1 {
                result.lost += chunks[index].size
                lose(index, at: now)
            }
            position += 1
        }
    }

    /// Finds retransmissions that were lost again: a chunk sent at least 10 ms later has arrived.
    private mutating func detectRepeatedLosses(_ result: inout Acknowledgement, at now: Instant) {
        while let first = resent.first, first.sentAt + .milliseconds(10) < latestArrival {
            _ = resent.popFirst()
            visitedChunks += 1
            guard isUnderway(first) else { continue }
            result.lost += chunks[first.position - firstPosition].size
            lose(first.position - firstPosition, at: now)
        }
    }

    /// Whether that retransmission is still in flight.
    private func isUnderway(_ resent: (position: Int, sentAt: Instant)) -> Bool {
        let index = resent.position - firstPosition
        return index >= 0 && chunks[index].state == .inFlight && chunks[index].sentAt == resent.sentAt
    }

    /// Marks everything in flight as lost, because T3-rtx has expired.
    mutating func loseAll(at now: Instant) {
        // The peer's cumulative TSN covers everything it holds from the front. A first chunk acknowledged only by a gap
        // ack block was dropped again, and so may be the others (reneging, RFC 9260, section 6.2.1).
        let isReneging = chunks.first?.state == .acknowledged
        if isReneging {
            gapAcknowledged = AcknowledgedRanges()
            ackPoint = AdvancedAckPoint()
        }
        for index in 0..<chunks.count {
            switch chunks[index].state {
            case .inFlight: lose(index, at: now)
            case .acknowledged where isReneging:
                if messages[Int(chunks[index].message &- firstMessage)].isAbandoned {
                    chunks[index].state = .abandoned
                    releasedBytes += Int(chunks[index].length)
                } else {
                    chunks[index].state = .lost
                    noteLost(index)
                }
            default: break
            }
        }
    }

    private mutating func lose(_ index: Int, at now: Instant) {
        let chunk = chunks[index]
        if mayAbandon {
            let message = messages[Int(chunk.message &- firstMessage)]
            let isSpent = message.maximumRetransmits >= 0 && Int32(chunk.transmissions) > message.maximumRetransmits
            if isSpent || message.expiry <= now {
                abandonMessage(ofChunkAt: index)
                return
            }
        }
        removeFromFlight(chunk)
        chunks[index].state = .lost
        noteLost(index)
    }

    private mutating func noteLost(_ index: Int) {
        lostCount += 1
        lost.insert((), at: firstPosition + index)
        guard lost.count > 2 * chunks.count else { return }
        // Most entries are obsolete, so the heap is rebuilt from the chunks still lost.
        lost = PriorityQueue<Int, Void>()
        for index in 0..<chunks.count where chunks[index].state == .lost { lost.insert((), at: firstPosition + index) }
    }

    // MARK: Partial reliability

    /// Abandons a message with all of its chunks that have not arrived.
    private mutating func abandonMessage(ofChunkAt index: Int) {
        let number = chunks[index].message
        let position = Int(number &- firstMessage)
        guard !messages[position].isAbandoned else { return }
        messages[position].isAbandoned = true
        messages[position].bytes = []
        abandonedMessages += 1
        var first = index
        while first > 0, chunks[first - 1].message == number { first -= 1 }
        var next = first
        while next < chunks.count, chunks[next].message == number {
            switch chunks[next].state {
            case .inFlight: removeFromFlight(chunks[next])
            case .lost: lostCount -= 1
            case .acknowledged, .abandoned:
                next += 1
                continue
            }
            releasedBytes += Int(chunks[next].length)
            chunks[next].state = .abandoned
            next += 1
        }
    }

    /// Ends an abandoned message that was only partly sent: one TSN stands for the rest, so that FORWARD TSN makes the
    /// peer discard its part even if everything sent has arrived.
    mutating func endAbandoned(_ number: UInt32, at now: Instant) {
        chunks.append(
            OutstandingChunk(
                sentAt: now, message: number, offset: 0, length: 0, transmissions: 1, state: .abandoned,
                flags: .ending))
    }

    /// Abandons a message in transmission if it has expired. Returns whether it is abandoned.
    mutating func abandonIfExpired(_ number: UInt32, at now: Instant) -> Bool {
        let message = messages[Int(number &- firstMessage)]
        if message.isAbandoned { return true }
        guard mayAbandon, message.expiry <= now else { return false }
        if let last = chunks.last, last.message == number {
            abandonMessage(ofChunkAt: chunks.count - 1)
        } else {
            messages[Int(number &- firstMessage)].isAbandoned = true
            abandonedMessages += 1
        }
        return true
    }

    /// Whether the peer's cumulative TSN may be advanced.
    var hasAbandonedFront: Bool { chunks.first?.state == .abandoned }

    /// The TSN to which the peer's cumulative TSN may be advanced, or `nil` when nothing at the front is abandoned
    /// (Advanced.Peer.Ack.Point of RFC 3758, section 3.5).
    ///
    /// - Parameter limit: The limit on skipped streams; streams recorded earlier are returned even beyond it.
    /// - Returns: The TSN, and the last skipped ordered message of each stream.
    mutating func advancedAckPoint(
        limit: Int
    ) -> (tsn: TransmissionSequenceNumber, skipped: [ForwardTSNChunk.SkippedStream])? {
        ackPoint.forget(before: firstPosition)
        while ackPoint.nextPosition < firstPosition + chunks.count {
            visitedChunks += 1
            let chunk = chunks[ackPoint.nextPosition - firstPosition]
            guard chunk.state == .abandoned || chunk.state == .acknowledged else { break }
            if chunk.state == .abandoned {
                let message = messages[Int(chunk.message &- firstMessage)]
                guard message.isUnordered || ackPoint.skip(message, limit: limit) else { break }
                ackPoint.end = ackPoint.nextPosition + 1
            }
            ackPoint.nextPosition += 1
        }
        guard ackPoint.end > firstPosition else { return nil }
        return (firstTSN.advanced(by: ackPoint.end - firstPosition - 1), ackPoint.skipped)
    }
}

// MARK: - For tests

extension Acknowledgement {
    var foundLoss: Bool { lost > 0 }
}

extension RetransmissionQueue {
    /// The number of heap entries for lost chunks, obsolete ones included.
    var lostHeapCount: Int { lost.count }
}
