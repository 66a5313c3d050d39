import RTCWire
import Testing

@testable import RTCTransport

@Suite("The work that acknowledgements cost is bounded")
struct SCTPAcknowledgementWorkTests {
    private static let first = TransmissionSequenceNumber(0xFFFF_F000)

    /// A queue with `count` chunks under way, each 1 ms after the one before.
    private func queue(_ count: Int) -> RetransmissionQueue {
        var queue = RetransmissionQueue(initialTSN: Self.first, packetSize: 1_200)
        let message = InFlightMessage(
            bytes: [UInt8](repeating: 1, count: count * 1_000), protocolIdentifier: 1, slot: 0, stream: 0,
            sequenceNumber: StreamSequenceNumber(0), isUnordered: false, maximumRetransmits: -1, expiry: .distantFuture)
        let number = queue.begin(message)
        for index in 0..<count {
            PacketWriting.discard { writer in
                queue.send(
                    number, offset: index * 1_000, length: 1_000, immediate: false,
                    at: .zero + .microseconds(Int64(index)), to: &writer)
            }
        }
        return queue
    }

    /// Applies a SACK that tells of `blocks`, as indices of chunks.
    private func acknowledge(
        _ queue: inout RetransmissionQueue, upTo count: Int = 0, _ blocks: [ClosedRange<Int>]
    ) -> Acknowledgement? {
        let cumulative = Self.first.previous.advanced(by: count)
        let ranges = blocks.map {
            ReceivedRange(first: Self.first.advanced(by: $0.lowerBound), last: Self.first.advanced(by: $0.upperBound))
        }
        let bytes = PacketWriting.bytes { writer in
            SackChunk.write(
                cumulativeTSN: cumulative, advertisedWindow: 1 << 20, gapBlocks: ranges[...], duplicates: [],
                to: &writer)
        }
        var streams = SendQueue()
        _ = streams.makeSlot(for: 0)
        return bytes.withUnsafeBytes { memory -> Acknowledgement? in
            var reader = SCTPChunkReader(RawSpan(_unsafeBytes: memory))
            guard let chunk = reader.next(), let sack = SackChunk(parsing: chunk.value) else { return nil }
            return queue.acknowledge(sack, at: .zero + .seconds(1), queue: &streams)
        }
    }

    private func isTaken(_ queue: inout RetransmissionQueue, _ blocks: [ClosedRange<Int>]) -> Bool {
        acknowledge(&queue, blocks) != nil
    }

    @Test("59 SACKs over 14,000 chunks beyond a gap look at each chunk twice, not 59 times")
    func repeated() {
        var queue = queue(14_001)
        for _ in 0..<59 { #expect(isTaken(&queue, [1...14_000])) }
        #expect(queue.visitedChunks <= 2 * 14_001, "\(queue.visitedChunks)")
        // The first one is lost, the rest has arrived.
        #expect(queue.lostCount == 1 && queue.bytesInFlight == 0)
    }

    @Test("blocks that grow packet by packet cost what they grow by")
    func growing() {
        var queue = queue(4_000)
        for end in 1..<4_000 { _ = acknowledge(&queue, [1...end]) }
        #expect(queue.visitedChunks <= 2 * 4_000, "\(queue.visitedChunks)")
        #expect(queue.lostCount == 1)
        _ = acknowledge(&queue, upTo: 3_999, [])
        #expect(queue.chunks.count == 1 && queue.lostCount == 0)
    }

    /// A queue of messages of a chunk each, on a hundred streams in turn, of which all are given up.
    private func abandoned(_ count: Int) -> RetransmissionQueue {
        var queue = RetransmissionQueue(initialTSN: Self.first, packetSize: 1_200)
        queue.mayAbandon = true
        for index in 0..<count {
            let number = queue.begin(
                InFlightMessage(
                    bytes: [1, 2, 3], protocolIdentifier: 1, slot: 0, stream: UInt16(index % 100),
                    sequenceNumber: StreamSequenceNumber(UInt16(truncatingIfNeeded: index / 100)), isUnordered: false,
                    maximumRetransmits: 0, expiry: .distantFuture))
            PacketWriting.discard { queue.send(number, offset: 0, length: 3, immediate: false, at: .zero, to: &$0) }
        }
        queue.loseAll(at: .zero + .seconds(1))
        return queue
    }

    @Test("chunks that are given up are looked at once for FORWARD TSN, however many SACKs ask for it")
    func forwardTSN() {
        var queue = abandoned(20_000)
        for _ in 0..<1_000 {
            let isTaken = isTaken(&queue, [])
            let point = queue.advancedAckPoint(limit: 200)
            #expect(isTaken && point?.tsn == Self.first.advanced(by: 19_999) && point?.skipped.count == 100)
        }
        #expect(queue.visitedChunks < 40_000, "\(queue.visitedChunks)")
    }

    @Test("FORWARD TSN stops at the first stream too many, goes on from there, and forgets what is acknowledged")
    func forwardTSNInParts() {
        var queue = abandoned(150)
        var point = queue.advancedAckPoint(limit: 40)
        #expect(point?.tsn == Self.first.advanced(by: 39) && point?.skipped.map(\.stream) == Array(0..<40))
        _ = acknowledge(&queue, upTo: 30, [])
        point = queue.advancedAckPoint(limit: 40)
        #expect(point?.tsn == Self.first.advanced(by: 69) && point?.skipped.map(\.stream) == Array(30..<70))
        // Also where there is less room: what does not fit has the next packet to itself.
        point = queue.advancedAckPoint(limit: 2)
        #expect(point?.skipped.count == 40)
        _ = acknowledge(&queue, upTo: 70, [])
        point = queue.advancedAckPoint(limit: 100)
        #expect(point?.tsn == Self.first.advanced(by: 149) && point?.skipped.count == 80)
        #expect(point?.skipped.last { $0.stream == 49 }?.sequenceNumber == StreamSequenceNumber(1))
    }

    @Test("what arrives after all leaves no more notes of losses than twice the chunks under way")
    func staleLosses() {
        var queue = queue(100)
        for _ in 0..<1_000 {
            _ = acknowledge(&queue, [0...99])
            // The peer has dropped again what it told of.
            queue.loseAll(at: .zero + .seconds(1))
        }
        #expect(queue.lostCount == 100 && queue.lostHeapCount <= 200, "\(queue.lostHeapCount)")
        _ = acknowledge(&queue, [0...98])
        let next = queue.nextLost(at: .zero)
        #expect(next == 99)
    }

    @Test("a chunk is lost with the third packet that arrives beyond it, also where one SACK tells of all")
    func threeReports() {
        var queue = queue(10)
        let steps: [(blocks: [ClosedRange<Int>], foundLoss: Bool, lost: Int)] = [
            ([1...1], false, 0), ([1...2], false, 0), ([1...2], false, 0), ([1...3], true, 1),
            // 4 and 5 are missing, and three packets beyond them come at once.
            ([1...3, 6...8], true, 3),
        ]
        for step in steps {
            let result = acknowledge(&queue, step.blocks)
            #expect(result?.foundLoss == step.foundLoss && queue.lostCount == step.lost, "\(step)")
        }
        let next = queue.nextLost(at: .zero)
        #expect(next == 0)
    }

    @Test("ranges are what a set would be, and no more of them are kept than the bound")
    func ranges() {
        let random = SeededRandom(seed: 4)
        var ranges = AcknowledgedRanges()
        var reference = Set<Int>()
        for _ in 0..<2_000 {
            let start = Int(random.next(below: 3_000))
            let block = start..<start + 1 + Int(random.next(below: 5))
            var news: [Range<Int>] = []
            let isTaken = ranges.insert(block, news: &news)
            #expect(isTaken)
            #expect(news.flatMap { Array($0) } == block.filter { !reference.contains($0) })
            reference.formUnion(block)
        }
        #expect(ranges.ranges.flatMap { Array($0) } == reference.sorted())
        #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        ranges.forget(before: 1_000)
        #expect(ranges.ranges.allSatisfy { $0.upperBound > 1_000 })
        var full = AcknowledgedRanges()
        var news: [Range<Int>] = []
        for index in 0..<AcknowledgedRanges.maximumCount { _ = full.insert(index * 2..<index * 2 + 1, news: &news) }
        #expect(full.ranges.count == AcknowledgedRanges.maximumCount)
        // One more is not believed; one that joins two is.
        let isTaken = (full.insert(20_000..<20_001, news: &news), full.insert(1..<2, news: &news))
        #expect(isTaken == (false, true) && full.ranges.count == AcknowledgedRanges.maximumCount - 1)
    }
}

private enum PacketWriting {
    static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 2_000) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            write(&writer)
            count = writer.count
        }
    }

    static func discard(_ write: (inout ByteWriter) -> Void) { _ = bytes(write) }
}
