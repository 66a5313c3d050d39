internal import RTCWire

/// A DATA chunk that was sent and that the peer has not cumulatively acknowledged. Its TSN is its place in the queue;
/// its payload is a part of a message's bytes.
struct OutstandingChunk {
    enum State: UInt8 {
        case inFlight
        /// In a gap ack block.
        case acknowledged
        /// To be sent again.
        case lost
        /// Given up (RFC 3758).
        case abandoned
    }

    var sentAt: Instant
    /// Number of the message, counted from the association's first.
    var message: UInt32
    /// Where the payload begins in the message.
    var offset: UInt32
    var length: UInt16
    var transmissions: UInt16
    var state: State
    /// B and E; the rest is the message's.
    var flags: DataChunkFlags

    var size: Int { DataChunk.size(userData: Int(length)) }
}

/// A message of which a part, at least, was sent.
struct InFlightMessage {
    var bytes: [UInt8]
    var protocolIdentifier: UInt32
    /// Of the stream in the ``SendQueue``.
    var slot: Int
    var stream: UInt16
    var sequenceNumber: StreamSequenceNumber
    var isUnordered: Bool
    var isAbandoned = false
    var maximumRetransmits: Int32
    var expiry: Instant
}

/// What a SACK brought.
struct Acknowledgement {
    /// Bytes newly acknowledged, chunk headers included.
    var bytes = 0
    /// Packets' worth of them, which may be replaced at once.
    var chunks = 0
    var cumulativeAdvanced = false
    /// A measured round trip, once per round trip at most.
    var roundTripTime: TimeDelta?
    /// When the chunk left that was sent last, of those newly acknowledged that were sent once only.
    var latestSent: Instant?
    /// Bytes of chunks that turned out to be lost, chunk headers included.
    var lost = 0
    var foundLoss: Bool { lost > 0 }
}

/// The chunks between the cumulative TSN ack and the next TSN.
struct RetransmissionQueue {
    /// No gap ack block reaches further. It also bounds what a peer costs that never acknowledges the first chunk.
    static let maximumChunks = 65_535

    /// TSN of the first chunk in the queue, or of the next to be sent.
    private(set) var firstTSN: TransmissionSequenceNumber
    private(set) var chunks = RingBuffer<OutstandingChunk>()
    /// Bytes in flight, chunk headers included: what the congestion window limits.
    private(set) var bytesInFlight = 0
    /// User data in flight: what the peer's window limits.
    private(set) var payloadInFlight = 0
    /// Chunks that wait to be sent again.
    private(set) var lostCount = 0
    private(set) var abandonedMessages: UInt64 = 0
    /// User data that were cumulatively acknowledged, or given up, since the owner last took the number. Those in gap ack
    /// blocks are still kept.
    private var releasedBytes = 0
    /// Whether the peer understands FORWARD TSN, without which nothing that was sent is given up.
    var mayAbandon = false

    private var messages = RingBuffer<InFlightMessage>()
    private var firstMessage: UInt32 = 0
    /// The position of the first chunk in the queue: chunks are counted from the association's first.
    private var firstPosition = 0
    /// Which positions gap ack blocks have told of, so that they are looked at once.
    private var told = AcknowledgedRanges()
    /// Kept to be filled again.
    private var news: [Range<Int>] = []
    /// Where chunks wait to be sent again, and what was sent again, in the order of sending.
    private var lost = LowestFirst()
    private var resent = RingBuffer<(position: Int, sentAt: Instant)>()
    private var missing = MissingReports()
    /// Chunks before this position have been judged by those reports.
    private var judgedEnd = 0
    /// How far the peer's cumulative TSN may be moved on, as far as chunks have been looked at for it.
    private var ackPoint = AdvancedAckPoint()
    /// How many chunks SACKs made us look at: the work that a peer can cause.
    private(set) var visitedChunks: UInt64 = 0
    /// The send time of the chunk that was sent last among those that are known to have arrived.
    private var latestArrival = Instant(nanoseconds: .min)
    /// Chunks sent before it give no sample: one was taken in their round trip.
    private var nextSample = Instant(nanoseconds: .min)
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

    /// Takes up a message whose first chunk is about to be sent. Returns its number.
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

    /// The index of the next chunk to send again, or `nil`. Gives up what has expired meanwhile.
    mutating func nextLost(at now: Instant) -> Int? {
        while lostCount > 0, let position = lost.first {
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

    /// Sends the lost chunk at `index` again.
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

    /// Takes up a SACK. `nil` when it is older than the last, or acknowledges what was never sent.
    mutating func acknowledge(
        _ sack: SackChunk, at now: Instant, queue: inout SendQueue
    ) -> Acknowledgement? {
        let advance = firstTSN.previous.distance(to: sack.cumulativeTSN)
        guard advance >= 0, advance <= chunks.count else { return nil }
        var result = Acknowledgement()
        result.cumulativeAdvanced = advance > 0
        for _ in 0..<advance { popFirst(&result, at: now, queue: &queue) }
        told.forget(before: firstPosition)
        var gapBytes = -result.bytes
        var highest = -1
        var previousEnd = 0
        for block in 0..<sack.gapBlockCount {
            let (start, end) = sack.gapBlock(at: block)
            // Blocks that run backwards, or past what was sent, are nonsense; so may be all that follow.
            guard start > previousEnd, start <= end, end <= chunks.count else { break }
            previousEnd = end
            news.removeAll(keepingCapacity: true)
            guard told.insert(firstPosition + start - 1..<firstPosition + end, news: &news) else { break }
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

    /// Takes note of positions that a gap ack block tells of for the first time.
    ///
    /// - Returns: The index of the last chunk of which that is news, or -1.
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

    /// Cumulatively acknowledges the first chunk.
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

    private mutating func noteArrival(_ chunk: OutstandingChunk, _ result: inout Acknowledgement, at now: Instant) {
        result.bytes += chunk.size
        result.chunks += 1
        // A chunk that was sent twice does not tell which copy arrived (Karn's rule).
        guard chunk.transmissions == 1 else { return }
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

    /// Finds chunks that are lost: reported missing three times (RFC 9260, section 7.2.4).
    ///
    /// A SACK that acknowledges several packets beyond a gap stands for as many SACKs: receivers with batched reads
    /// send one for all. Loss detection by time alone (RACK) would take this function's place.
    private mutating func detectLosses(_ result: inout Acknowledgement, at now: Instant) {
        let end = min(missing.lossEnd, firstPosition + chunks.count)
        var position = max(judgedEnd, firstPosition)
        guard position < end else { return }
        visitedChunks += UInt64(end - position)
        judgedEnd = end
        while position < end {
            let index = position - firstPosition
            if chunks[index].state == .inFlight, chunks[index].transmissions == 1 {
                result.lost += chunks[index].size
                lose(index, at: now)
            }
            position += 1
        }
    }

    /// Finds chunks that were sent again and are lost again: something that was sent clearly later has arrived.
    private mutating func detectRepeatedLosses(_ result: inout Acknowledgement, at now: Instant) {
        while let first = resent.first, first.sentAt + .milliseconds(10) < latestArrival {
            _ = resent.popFirst()
            visitedChunks += 1
            guard isUnderway(first) else { continue }
            result.lost += chunks[first.position - firstPosition].size
            lose(first.position - firstPosition, at: now)
        }
    }

    /// Whether what was sent again then is still under way.
    private func isUnderway(_ resent: (position: Int, sentAt: Instant)) -> Bool {
        let index = resent.position - firstPosition
        return index >= 0 && chunks[index].state == .inFlight && chunks[index].sentAt == resent.sentAt
    }

    /// Counts everything in flight as lost, since the T3-rtx timer has expired.
    mutating func loseAll(at now: Instant) {
        // The peer moves its cumulative TSN over all that it holds. A first chunk that is only in a gap ack block was
        // dropped again: so may be the others (RFC 9260, section 6.2.1).
        let isReneging = chunks.first?.state == .acknowledged
        if isReneging {
            told = AcknowledgedRanges()
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
        lost.insert(firstPosition + index)
        guard lost.count > 2 * chunks.count else { return }
        // Most of them have arrived meanwhile, or are gone: those that have not are noted anew.
        lost = LowestFirst()
        for index in 0..<chunks.count where chunks[index].state == .lost { lost.insert(firstPosition + index) }
    }

    /// Notes of lost chunks that are kept, old ones included.
    var lostNotes: Int { lost.count }

    // MARK: Partial reliability

    /// Gives up a message, all of its chunks that have not arrived.
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

    /// Ends an abandoned message of which a part was never sent: one TSN is spent on the rest, so that the peer is told
    /// to forget what it has of the message even if all that was sent has arrived.
    mutating func endAbandoned(_ number: UInt32, at now: Instant) {
        chunks.append(
            OutstandingChunk(
                sentAt: now, message: number, offset: 0, length: 0, transmissions: 1, state: .abandoned,
                flags: .ending))
    }

    /// Gives up a message in mid-transmission, when it has expired. Answers whether it did.
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

    /// Whether the peer's cumulative TSN may be moved on.
    var hasAbandonedFront: Bool { chunks.first?.state == .abandoned }

    /// The TSN that the peer's cumulative TSN may be moved to, or `nil` when nothing at the front is given up
    /// (Advanced.Peer.Ack.Point of RFC 3758, section 3.5).
    ///
    /// - Parameter limit: How many streams may be told of; where more are known from before, all are answered.
    /// - Returns: With it, of each stream that skips ordered messages the last one skipped.
    mutating func advancedAckPoint(
        limit: Int
    ) -> (tsn: TransmissionSequenceNumber, skipped: [ForwardTSNChunk.SkippedStream])? {
        ackPoint.forget(before: firstPosition)
        while ackPoint.looked < firstPosition + chunks.count {
            visitedChunks += 1
            let chunk = chunks[ackPoint.looked - firstPosition]
            guard chunk.state == .abandoned || chunk.state == .acknowledged else { break }
            if chunk.state == .abandoned {
                let message = messages[Int(chunk.message &- firstMessage)]
                guard message.isUnordered || ackPoint.skip(message, limit: limit) else { break }
                ackPoint.end = ackPoint.looked + 1
            }
            ackPoint.looked += 1
        }
        guard ackPoint.end > firstPosition else { return nil }
        return (firstTSN.advanced(by: ackPoint.end - firstPosition - 1), ackPoint.skipped)
    }
}
