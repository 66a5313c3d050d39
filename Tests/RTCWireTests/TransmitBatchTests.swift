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
