internal import NIOPosix
internal import RTCWire

/// The memory for datagrams: one region per direction, shared by all sockets of an event loop.
///
/// System calls copy, so a region is free again when the call returns. Therefore no peer holds a buffer of its own, and
/// the regions stay in the processor's cache however many peers take turns.
final class DatagramMemory {
    /// The largest UDP datagram, and the largest group of datagrams that the kernel joins into one read.
    static let size = 65_536

    /// The region for reads.
    let receive = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    /// The regions for reading several datagrams at once, allocated on first use; `nil` where there is no such call.
    lazy var vectoredRead = VectoredRead()
    /// The region in which ``transmit(poll:send:)`` builds batches.
    private let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)

    // Thread-specific, so nothing is shared between threads.
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

    /// Lets `poll` fill batches until it returns `false`, and passes each to `send`.
    ///
    /// Must not be called from within `poll` or `send`, since there is only one region.
    @inline(__always)
    func transmit(poll: (inout TransmitBatch) -> Bool, send: (borrowing TransmitBatch) -> Void) {
        var batch = TransmitBatch(outgoing)
        while poll(&batch) {
            send(batch)
            batch.removeAll()
        }
    }
}
