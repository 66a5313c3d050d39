import RTCWire
import Testing

@Suite("TransmitBatch")
struct TransmitBatchTests {
    /// Appends datagrams of these sizes and reports which were taken, and the batch's state.
    private func fill(
        _ sizes: [Int], memory size: Int = 65_536
    ) -> (taken: [Bool], count: Int, bytes: Int, segment: Int, room: Int) {
        var memory = [UInt8](repeating: 0, count: size)
        return memory.withUnsafeMutableBytes { memory in
            var batch = TransmitBatch(memory)
            let taken = sizes.map { size in
                [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size).withUnsafeBytes { batch.append($0) }
            }
            return (taken, batch.count, batch.byteCount, batch.segmentSize, batch.room)
        }
    }

    @Test("takes datagrams of one size")
    func equal() {
        let result = fill([1_200, 1_200, 1_200])
        #expect(result.taken == [true, true, true])
        #expect(result.count == 3 && result.bytes == 3_600 && result.segment == 1_200 && result.room == 1_200)
    }

    @Test("ends with a shorter one")
    func shorter() {
        let result = fill([1_200, 1_200, 300, 300])
        #expect(result.taken == [true, true, true, false])
        #expect(result.count == 3 && result.bytes == 2_700 && result.segment == 1_200 && result.room == 0)
    }

    @Test("refuses a longer one than the first")
    func longer() {
        #expect(fill([300, 1_200, 300]).taken == [true, false, true])
    }

    @Test("refuses an empty one")
    func empty() {
        #expect(fill([0]).taken == [false])
        #expect(fill([10, 0, 10]).taken == [true, false, true])
    }

    @Test("takes as many as the kernel does at once")
    func maximum() {
        let result = fill([Int](repeating: 100, count: 70))
        #expect(result.taken.filter { $0 }.count == TransmitBatch.maximumCount)
        #expect(result.room == 0)
    }

    @Test("stops at the end of the memory, and below 64 KiB")
    func memory() {
        #expect(fill([1_000, 1_000], memory: 1_500).taken == [true, false])
        #expect(fill([1_000, 500], memory: 1_500).taken == [true, true])
        #expect(fill([Int](repeating: 1_400, count: 60)).bytes <= 65_000)
    }

    @Test("takes no memory at all, and no datagram then")
    func nothing() {
        #expect(fill([1], memory: 0).taken == [false])
    }

    @Test("takes what was written in place, up to the room")
    func inPlace() {
        var memory = [UInt8](repeating: 0, count: 4_000)
        memory.withUnsafeMutableBytes { memory in
            var batch = TransmitBatch(memory)
            batch.next[0] = 7
            let refused = [batch.commit(4_001), batch.commit(0), batch.commit(-1)]
            let taken = batch.commit(100)
            batch.next[0] = 8
            let shorter = batch.commit(50)
            let (count, isFull) = (batch.count, batch.next.isEmpty)
            #expect(refused == [false, false, false] && taken && shorter && isFull && count == 2)
            batch.removeAll()
            let (isEmpty, room) = (batch.isEmpty, batch.room)
            #expect(isEmpty && room == 4_000)
        }
        #expect(memory[0] == 7 && memory[100] == 8)
    }
}

@Suite("TransmitBatch: frames")
struct TransmitFramingTests {
    private func filled(
        _ sizes: [Int], _ framing: TransmitFraming, memory size: Int = 65_536
    ) -> (taken: [Bool], frames: [(Int, [UInt8])], bytes: Int, segment: Int) {
        var memory = [UInt8](repeating: 0xEE, count: size)
        return memory.withUnsafeMutableBytes { memory in
            var batch = TransmitBatch(memory)
            batch.frame(by: framing)
            let taken = sizes.map { size in
                [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size).withUnsafeBytes { batch.append($0) }
            }
            var frames: [(Int, [UInt8])] = []
            batch.forEachFrame { frames.append(($0.count, Array($1))) }
            return (taken, frames, batch.byteCount, batch.segmentSize)
        }
    }

    @Test("leaves room before each datagram, and finds each again")
    func headroom() {
        let result = filled([100, 100, 60, 60], TransmitFraming(headroom: 4))
        #expect(result.taken == [true, true, true, false])
        #expect(result.frames.map(\.0) == [104, 104, 64])
        #expect(result.frames.map(\.1.count) == [100, 100, 60])
        #expect(result.bytes == 272 && result.segment == 104)
    }

    @Test("fills frames up: datagrams of different sizes may share one size of frame")
    func alignment() {
        let result = filled([10, 12, 9, 8, 8], TransmitFraming(headroom: 36, alignment: 4))
        #expect(result.taken == [true, true, true, true, false])
        #expect(result.frames.map(\.0) == [48, 48, 48, 44])
        #expect(result.frames.map(\.1.count) == [10, 12, 9, 8])
    }

    @Test("in a stream any size follows any other")
    func stream() {
        let result = filled([10, 1_200, 3, 7], TransmitFraming(headroom: 2, isStream: true))
        #expect(result.taken == [true, true, true, true])
        #expect(result.frames.map(\.1.count) == [10, 1_200, 3, 7])
        #expect(result.bytes == 1_228)
    }

    @Test("never goes past its memory", arguments: 1...80)
    func bounds(size: Int) {
        for framing in [
            TransmitFraming.none, TransmitFraming(headroom: 4), TransmitFraming(headroom: 36, alignment: 4),
            TransmitFraming(headroom: 4, alignment: 4, isStream: true), TransmitFraming(headroom: 2, isStream: true),
        ] {
            var memory = [UInt8](repeating: 0, count: size)
            memory.withUnsafeMutableBytes { memory in
                var batch = TransmitBatch(memory)
                batch.frame(by: framing)
                while batch.room > 0 {
                    let (next, room) = (batch.next.count, batch.room)
                    let isTaken = batch.commit(min(room, 7))
                    let bytes = batch.byteCount
                    #expect(next == room && isTaken && bytes <= size)
                }
            }
        }
    }

    @Test("puts a frame around a single datagram afterwards")
    func insert() {
        var memory = [UInt8](repeating: 0, count: 100)
        memory.withUnsafeMutableBytes { memory in
            var batch = TransmitBatch(memory)
            let isTaken = ([1, 2, 3, 4] as [UInt8]).withUnsafeBytes { batch.append($0) }
            let size = batch.byteCount
            let isFramed = batch.insert(TransmitFraming(headroom: 36, alignment: 4))
            let (bytes, count) = (batch.byteCount, batch.count)
            #expect(isTaken && isFramed && bytes == 36 + size && count == 1)
            var found: [Int] = []
            batch.forEachFrame { found.append($1.count) }
            #expect(found == [size])
            let isFramedTwice = batch.insert(TransmitFraming(headroom: 4))
            #expect(!isFramedTwice)
        }
    }
}
