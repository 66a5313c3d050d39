internal import NIOPosix
internal import RTCWire

/// The memory that datagrams pass through: one region for each direction, shared by all sockets of an event loop.
///
/// System calls copy, so a region is free again when the call returns. A peer therefore holds no buffer of its own,
/// and the regions stay in the processor's cache however many peers take turns.
final class DatagramMemory {
    /// The largest that UDP carries, and the largest train of datagrams that the kernel joins into one read.
    static let size = 65_536

    /// Where reads go.
    let receive = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    /// Where several datagrams at once go; made when it is first needed. `nil` where there is no such call.
    lazy var vectoredRead = VectoredRead()
    /// Where ``transmit(poll:send:)`` lets batches be built.
    private let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)

    // Each thread sees a value of its own, so nothing is shared between threads.
    private nonisolated(unsafe) static let current = ThreadSpecificVariable<DatagramMemory>()

    /// The memory of the event loop that runs on this thread.
    static var ofThisThread: DatagramMemory {
        if let memory = current.currentValue { return memory }
        let memory = DatagramMemory()
        current.currentValue = memory
        return memory
    }

    deinit {
        receive.deallocate()
        outgoing.deallocate()
    }

    /// Lets `poll` fill one batch after the other until it answers `false`, and passes each to `send`.
    ///
    /// Not to be called from within `poll` or `send`, since there is one region.
    @inline(__always)
    func transmit(poll: (inout TransmitBatch) -> Bool, send: (borrowing TransmitBatch) -> Void) {
        var batch = TransmitBatch(outgoing)
        while poll(&batch) {
            send(batch)
            batch.removeAll()
        }
    }
}
