import NIOCore
import Testing

@testable import RTCSignaling

@Suite("The buffers into which sockets are read")
struct ReadAllocatorTests {
    @Test("A channel keeps the first, which is small, and none of the others")
    func kept() {
        var pool = NIOPooledRecvBufferAllocator(capacity: 1, recvAllocator: ReadAllocator())
        var sizes: [Int] = []
        var last = ByteBuffer()
        for _ in 0..<4 {
            last = pool.buffer(allocator: ByteBufferAllocator()) { $0.writeInteger(UInt64(7)) }.0
            pool.record(actualReadBytes: 8)
            sizes.append(last.storageCapacity)
        }
        #expect(sizes[0] <= 2 * ReadAllocator.firstCapacity && sizes[1...].allSatisfy { $0 >= InboundQueue.capacity })
        #expect(pool.count == 1)
        // Whoever has the only reference to a buffer may change it.
        #expect(last.modifyIfUniquelyOwned { _ in true } == true)
    }
}
