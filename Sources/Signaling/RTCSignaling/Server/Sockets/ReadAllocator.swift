internal import NIOCore

/// Gives each read of a socket a buffer of its own, so that an idle socket has none.
///
/// A channel of NIO keeps its first buffer for as long as it lives, and likewise each buffer whose size it is told before
/// (`nextBufferSize()`). So the first buffer is small, and no size is told.
struct ReadAllocator: RecvByteBufferAllocator {
    private var isFirst = true
    private let first: Int

    /// Enough for the head of most requests.
    static let firstCapacity = 512
    /// The same for a socket whose connection takes memory on another loop, too: a beginning, so that it is read twice for a head.
    static let relayedCapacity = 32

    init(first: Int = ReadAllocator.firstCapacity) {
        self.first = first
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: isFirst ? first : InboundQueue.capacity)
    }

    /// - Returns: That the next buffer is larger: the channel then allocates it anew.
    mutating func record(actualReadBytes: Int) -> Bool {
        isFirst = false
        return true
    }
}
