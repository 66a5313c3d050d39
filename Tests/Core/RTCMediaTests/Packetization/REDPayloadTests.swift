import RTCMedia
import RTCWire
import Testing

@Suite("Redundant audio (RFC 2198)")
struct REDPayloadTests {
    private static let red = RTPPayloadType(63)
    private static let opus = RTPPayloadType(111)

    private struct Reading: Equatable {
        var own: [UInt8]
        var ownType: UInt8
        var copies: [(offset: UInt32, type: UInt8, bytes: [UInt8])] = []

        static func == (left: Reading, right: Reading) -> Bool {
            left.own == right.own && left.ownType == right.ownType
                && left.copies.elementsEqual(right.copies) { $0 == $1 }
        }
    }

    private static func read(_ bytes: [UInt8]) -> Reading? {
        bytes.withUnsafeBytes { memory in
            let payload = RawSpan(_unsafeBytes: memory)
            guard var redundant = REDPayload(payload, type: red) else { return nil }
            var result = Reading(
                own: Array(bytes[redundant.own.range]), ownType: redundant.own.payloadType.rawValue)
            while let copy = redundant.nextCopy(in: payload) {
                result.copies.append((copy.timestampOffset, copy.payloadType.rawValue, Array(bytes[copy.range])))
            }
            #expect(result.copies.count == redundant.copyCount)
            return result
        }
    }

    private static func written(_ own: [UInt8], _ copies: [REDPayload.Copy]) -> [UInt8] {
        var memory = [UInt8](repeating: 0, count: REDPayload.overhead(of: copies) + own.count)
        memory.withUnsafeMutableBytes { memory in
            var writer = ByteWriter(memory)
            own.withUnsafeBytes { REDPayload.write($0, type: opus, copies: copies, to: &writer) }
            let (count, overflowed) = (writer.count, writer.overflowed)
            #expect(count == memory.count && !overflowed)
        }
        return memory
    }

    @Test("Blocks may have other payload types: a frame of PCMU with a copy of what was 20 ms before in LPC")
    func otherTypes() throws {
        // PCMU (0) with LPC (7) as the copy, whose offset is 160 ticks and whose length 14 bytes.
        let copy = [UInt8](1...14), own = [UInt8](100...139)
        let payload: [UInt8] = [0x87, 0x02, 0x80, 0x0E, 0x00] + copy + own
        let found = try #require(Self.read(payload))
        #expect(found == Reading(own: own, ownType: 0, copies: [(160, 7, copy)]))
    }

    @Test("A packet without copies is one byte longer than its frame")
    func alone() {
        #expect(Self.read([0x6F, 1, 2, 3]) == Reading(own: [1, 2, 3], ownType: 111))
        #expect(Self.read([0x6F]) == Reading(own: [], ownType: 111))
        #expect(Self.written([1, 2, 3], []) == [0x6F, 1, 2, 3])
    }

    @Test("What is written is read again, the earliest first", arguments: 0...REDPayload.maximumCopies)
    func roundTrip(count: Int) throws {
        let random = SeededRandom(seed: UInt64(count) + 1)
        for _ in 0..<200 {
            let copies = (0..<count).compactMap { _ in
                REDPayload.Copy(
                    timestampOffset: 1 + UInt32(random.next(below: UInt64(REDPayload.maximumOffset))),
                    data: random.bytes(1 + Int(random.next(below: UInt64(REDPayload.maximumLength)))))
            }
            let own = random.bytes(Int(random.next(below: 200)))
            let found = try #require(Self.read(Self.written(own, copies)))
            #expect(
                found
                    == Reading(own: own, ownType: 111, copies: copies.map { ($0.timestampOffset, 111, $0.data) }))
        }
    }

    @Test("Offsets beyond 14 bits and lengths beyond 10 cannot be written")
    func limits() {
        #expect(REDPayload.Copy(timestampOffset: 16_383, data: [UInt8](repeating: 1, count: 1_023)) != nil)
        #expect(REDPayload.Copy(timestampOffset: 16_384, data: [1]) == nil)
        #expect(REDPayload.Copy(timestampOffset: 0, data: [1]) == nil)
        #expect(REDPayload.Copy(timestampOffset: 960, data: []) == nil)
        #expect(REDPayload.Copy(timestampOffset: 960, data: [UInt8](repeating: 1, count: 1_024)) == nil)
    }

    @Test("Where there is too little room, nothing is written out of bounds")
    func tooLittleRoom() throws {
        let copies = [try #require(REDPayload.Copy(timestampOffset: 960, data: [1, 2, 3]))]
        for room in 0..<11 {
            var memory = [UInt8](repeating: 0xAA, count: 16)
            memory.withUnsafeMutableBytes { memory in
                var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[..<room]))
                [UInt8]([4, 5, 6]).withUnsafeBytes {
                    REDPayload.write($0, type: Self.opus, copies: copies, to: &writer)
                }
                let overflowed = writer.overflowed
                #expect(overflowed)
            }
            #expect(memory[room...].allSatisfy { $0 == 0xAA })
        }
    }

    @Test(
        "What contradicts itself is no payload",
        arguments: [
            [],  // nothing
            [0xEF], [0xEF, 0x0F], [0xEF, 0x0F, 0x00],  // a cut header
            [0xEF, 0x0F, 0x00, 0x02],  // no header of the packet's own frame
            [0xEF, 0x0F, 0x00, 0x02, 0x6F], [0xEF, 0x0F, 0x00, 0x02, 0x6F, 1],  // fewer bytes than the copy has
            [0xEF, 0x0F, 0x03, 0xFF, 0x6F, 1, 2, 3],
            [0x3F, 1, 2], [0xBF, 0x0F, 0x00, 0x01, 0x6F, 1, 2],  // nested
            [0xEF, 0x0F, 0x00, 0x01, 0x3F, 1, 2],
        ] as [[UInt8]])
    func broken(payload: [UInt8]) {
        #expect(Self.read(payload) == nil)
    }

    @Test("More copies than anybody sends are refused")
    func tooMany() {
        let headers = { (count: Int) in [UInt8]((0..<count).flatMap { _ in [0xEF, 0x0F, 0x00, 0x00] as [UInt8] }) }
        #expect(Self.read(headers(REDPayload.maximumCopies) + [0x6F, 1])?.copies.count == REDPayload.maximumCopies)
        #expect(Self.read(headers(REDPayload.maximumCopies + 1) + [0x6F, 1]) == nil)
        #expect(Self.read(headers(300)) == nil)
    }

    @Test("Random bytes are noise, or blocks that lie behind one another within the payload")
    func randomBytes() {
        let random = SeededRandom(seed: 98)
        var read = 0
        for _ in 0..<50_000 {
            var payload = random.bytes(Int(random.next(below: 60)))
            // Short copies, so that some fit.
            for index in payload.indices where index % 4 == 2 { payload[index] &= 0xFC }
            guard let found = Self.read(payload) else { continue }
            read += 1
            let headers = found.copies.count * 4 + 1
            #expect(headers + found.copies.reduce(0) { $0 + $1.bytes.count } + found.own.count == payload.count)
        }
        #expect(read > 1_000)
    }

    @Test("A reader that is given another payload reads nothing out of bounds")
    func anotherPayload() {
        let payload: [UInt8] = [0xEF, 0x0F, 0x00, 0x02, 0x6F, 1, 2, 3]
        payload.withUnsafeBytes { first in
            guard var redundant = REDPayload(RawSpan(_unsafeBytes: first), type: Self.red) else {
                Issue.record("not read")
                return
            }
            // Shorter; of the same size with a longer copy; the right one.
            for (other, isRead) in [
                ([0xEF, 0x0F], false), ([0xEF, 0x0F, 0x00, 0x03, 0x6F, 1, 2, 3], false), (payload, true),
            ] as [([UInt8], Bool)] {
                let copy = other.withUnsafeBytes { redundant.nextCopy(in: RawSpan(_unsafeBytes: $0)) }
                #expect((copy != nil) == isRead)
            }
        }
    }
}
