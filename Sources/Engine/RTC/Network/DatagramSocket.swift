internal import NIOCore
internal import NIOPosix
internal import RTCWire

/// Datagrams of one sender that one system call brought in.
///
/// The bytes are lent for the duration of the call that delivers them.
struct ReceivedDatagrams {
    /// The datagrams, back to back.
    let bytes: UnsafeRawBufferPointer
    /// The size of every datagram except the last, which may be shorter. The size of `bytes` for a single datagram.
    let segmentSize: Int
    let remote: TransportAddress
    /// The time that they waited in the socket before the read, if the system provides it.
    let waitingTime: TimeDelta

    /// Calls `body` with each datagram, in the order of arrival.
    @inline(__always)
    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        guard segmentSize > 0, segmentSize < bytes.count else { return body(bytes) }
        var start = 0
        while start < bytes.count {
            let end = min(start + segmentSize, bytes.count)
            body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            start = end
        }
    }
}

/// Receives the events of a ``DatagramSocket``, on its event loop.
protocol DatagramSocketOwner: AnyObject {
    /// Called when datagrams have arrived. The bytes are valid during the call only.
    func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams)
    /// Called after everything that had arrived was delivered: the time to respond, once for the whole burst.
    func datagramSocketDidReadBurst(_ socket: DatagramSocket)
    /// Called when the kernel accepts datagrams again, after ``DatagramSocket/isWritable`` was `false`.
    func datagramSocketDidBecomeWritable(_ socket: DatagramSocket)
    /// Called when the system has closed the socket, as it does in a suspended app. Not called after
    /// ``DatagramSocket/close()``.
    func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error)
}

/// A bound UDP socket on an event loop.
///
/// SwiftNIO owns the descriptor, reports when it is readable, and reads the first datagram of a burst. The rest of the
/// burst and all writes use system calls directly, with memory shared by the event loop's sockets: a batch costs one
/// system call, no copy and no allocation. A datagram that cannot be sent (no route, a firewall, too large) is counted,
/// and does not close the socket, as it would in NIO's own channel.
///
/// Not `Sendable`: all members are used on the event loop.
final class DatagramSocket {
    /// The owner's identifier of this socket.
    var id = SocketID(0)
    /// Receives all events. Held weakly.
    weak var owner: (any DatagramSocketOwner)?

    let eventLoop: any EventLoop
    /// The bound address; unspecified if it was bound so.
    let localAddress: TransportAddress
    private(set) var statistics = DatagramStatistics()
    /// Whether to ask the system how long datagrams waited, at the cost of a call per read. Needed for delay
    /// measurements: on a busy machine the wait for a processor would look like a queue on the path.
    var measuresWaiting = false

    /// Whether the kernel accepts more. While it does not, a few batches are kept, and the rest is dropped and counted,
    /// so poll no more data until ``DatagramSocketOwner/datagramSocketDidBecomeWritable(_:)``.
    var isWritable: Bool { backlog.isEmpty }

    /// Whether neither ``close()`` nor the system has closed the socket.
    var isOpen: Bool { descriptor >= 0 }

    private let memory: DatagramMemory
    private var channel: (any Channel)?
    /// The socket's descriptor, which the channel owns; -1 once it is closed.
    private var descriptor: CInt
    private var usesSegmentation = DatagramSystemCalls.hasSegmentationOffload
    private var backlog: [WaitingDatagrams] = []
    private var backlogBytes = 0
    private var retry: Scheduled<Void>?
    private var lastError: (any Error)?
    /// Whether reads pause briefly after each burst, see ``pace(after:)``.
    private var isPaced = false
    /// The number of bursts in quick succession, and the time of the last one.
    private var quickBursts = 0
    private var lastBurst = NIODeadline.uptimeNanoseconds(0)
    /// The number of consecutive reads that returned a single datagram.
    private var singleReads = 0
    /// Whether to read with ``VectoredRead``, because datagrams arrive singly, as from a relay.
    private var readsSeveral = false
    /// Whether the kernel was asked to join datagrams, which happens after the first read, see ``ReadAllocator``.
    private var joinsReads = false

    /// The most bytes kept for a full kernel; a network interface's own queue has this size.
    private static let maximumBacklog = 256 * 1024
    /// The most reads per burst, so that a busy socket lets the others of its event loop run.
    private static let maximumReadsPerBurst = 64
    /// The time for which datagrams are gathered, far below a round trip through a relay.
    private static let pace = TimeAmount.microseconds(250)
    /// The wait before a full kernel is tried again. UDP queues drain in well under this; the selector would not report
    /// an interface without buffers (ENOBUFS) at all.
    private static let retryDelay = TimeAmount.milliseconds(1)

    private struct WaitingDatagrams {
        var bytes: [UInt8]
        var segmentSize: Int
        var remote: TransportAddress
    }

    /// Opens a socket. Call it on `eventLoop`: the socket is ready when the call returns.
    ///
    /// - Parameters:
    ///   - address: A local address, or an unspecified one for all of its family.
    ///   - ports: Ports to choose from, in random order; `nil` lets the system choose.
    ///   - random: Randomizes the order of the ports.
    /// - Throws: ``SocketError``.
    static func bind(
        to address: IPAddress, ports: ClosedRange<UInt16>? = nil, on eventLoop: any EventLoop,
        random: any RandomSource
    ) throws -> DatagramSocket {
        let bound = try DatagramBinding.open(address, ports: ports, random: random)
        return try DatagramSocket(adopting: bound.descriptor, localAddress: bound.address, on: eventLoop)
    }

    /// Adopts a bound descriptor, and closes it on failure. Call it on `eventLoop`.
    init(adopting descriptor: CInt, localAddress: TransportAddress, on eventLoop: any EventLoop) throws {
        eventLoop.preconditionInEventLoop()
        self.eventLoop = eventLoop
        self.localAddress = localAddress
        self.descriptor = descriptor
        memory = .ofThisThread

        // On its event loop, NIO adopts a bound descriptor synchronously: the future is already complete.
        var outcome: Result<any Channel, any Error>?
        DatagramBootstrap(group: eventLoop)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: ReadAllocator())
            .withBoundSocket(descriptor)
            .assumeIsolated()
            .whenComplete { outcome = $0 }
        switch outcome {
        case .success(let channel): self.channel = channel
        case .failure(let error):
            self.descriptor = -1
            throw error
        case nil:
            self.descriptor = -1
            throw SocketError(.system, "The event loop did not take over the socket.")
        }
        guard let channel else { return }
        do {
            let pipeline = channel.pipeline.syncOperations
            if DatagramSystemCalls.hasReceiveOffload {
                try channel.syncOptions?.setOption(.datagramReceiveSegmentSize, value: true)
            }
            try pipeline.addHandler(DatagramReader(self))
        } catch {
            close()
            throw error
        }
    }

    /// Closes the socket at once. Drops waiting datagrams; the owner gets no more events.
    func close() {
        owner = nil
        forget()
        let channel = channel
        self.channel = nil
        channel?.close(promise: nil)
    }

    private func forget() {
        descriptor = -1
        retry?.cancel()
        retry = nil
        backlog = []
        backlogBytes = 0
    }
}

// MARK: - Writing

extension DatagramSocket {
    /// Sends the datagrams of `batch`, in one system call if the kernel supports it.
    func send(_ batch: borrowing TransmitBatch) {
        send(
            UnsafeRawBufferPointer(rebasing: batch.memory.prefix(batch.byteCount)), segmentSize: batch.segmentSize,
            to: batch.path.remote)
    }

    /// Sends `bytes` as datagrams of `segmentSize` bytes each, with the remainder in the last.
    ///
    /// Datagrams that the system refuses are counted in ``statistics``. If the kernel has no room, the bytes are copied
    /// and sent later, see ``isWritable``.
    func send(_ bytes: UnsafeRawBufferPointer, segmentSize: Int, to remote: TransportAddress) {
        guard descriptor >= 0, !bytes.isEmpty, segmentSize > 0 else { return }
        if backlog.isEmpty {
            let sent = write(bytes, segmentSize: segmentSize, to: remote)
            guard sent < bytes.count else { return }
            wait(UnsafeRawBufferPointer(rebasing: bytes[sent...]), segmentSize: segmentSize, to: remote)
        } else {
            wait(bytes, segmentSize: segmentSize, to: remote)
        }
    }

    /// Passes datagrams to the kernel until it has no room.
    ///
    /// - Returns: The number of bytes processed: sent, or refused for good.
    private func write(_ bytes: UnsafeRawBufferPointer, segmentSize: Int, to remote: TransportAddress) -> Int {
        if bytes.count > segmentSize, usesSegmentation {
            switch DatagramSystemCalls.send(descriptor, bytes, segmentSize: segmentSize, to: remote) {
            case .sent:
                statistics.countSent(bytes.count, datagrams: (bytes.count + segmentSize - 1) / segmentSize)
                return bytes.count
            case .full: return 0
            case .refused(let code):
                // EIO: this path does not support segmentation (no checksum offload, IPsec). Otherwise a single
                // datagram may be the cause, such as one that is too large: sent singly, each has its own result.
                if code == DatagramSystemCalls.segmentationUnsupported { usesSegmentation = false }
                statistics.segmentationRefusals &+= 1
            }
        }
        var start = 0
        while start < bytes.count {
            let end = min(start + segmentSize, bytes.count)
            let datagram = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            switch DatagramSystemCalls.send(descriptor, datagram, segmentSize: nil, to: remote) {
            case .sent: statistics.countSent(datagram.count, datagrams: 1)
            case .full: return start
            case .refused(let code): statistics.countSendError(code)
            }
            start = end
        }
        return start
    }

    private func wait(_ bytes: UnsafeRawBufferPointer, segmentSize: Int, to remote: TransportAddress) {
        guard backlogBytes + bytes.count <= Self.maximumBacklog else {
            statistics.datagramsDropped &+= UInt64((bytes.count + segmentSize - 1) / segmentSize)
            return
        }
        backlog.append(WaitingDatagrams(bytes: Array(bytes), segmentSize: segmentSize, remote: remote))
        backlogBytes += bytes.count
        if retry == nil { scheduleRetry() }
    }

    private func scheduleRetry() {
        retry = eventLoop.assumeIsolated().scheduleTask(in: Self.retryDelay) { [weak self] in self?.writeBacklog() }
    }

    private func writeBacklog() {
        retry = nil
        var done = 0
        for index in backlog.indices {
            let entry = backlog[index]
            let sent = entry.bytes.withUnsafeBytes { write($0, segmentSize: entry.segmentSize, to: entry.remote) }
            backlogBytes -= sent
            guard sent == entry.bytes.count else {
                backlog[index].bytes.removeFirst(sent)
                break
            }
            done += 1
        }
        backlog.removeFirst(done)
        if backlog.isEmpty {
            backlog = []
            owner?.datagramSocketDidBecomeWritable(self)
        } else {
            scheduleRetry()
        }
    }
}

// MARK: - Reading

extension DatagramSocket {
    fileprivate func deliverFirst(_ bytes: UnsafeRawBufferPointer, segmentSize: Int?, from remote: TransportAddress) {
        if !joinsReads {
            joinsReads = true
            if DatagramSystemCalls.hasReceiveOffload { DatagramSystemCalls.enableReceiveOffload(descriptor) }
        }
        deliver(bytes, segmentSize: segmentSize, from: remote)
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer, segmentSize: Int?, from remote: TransportAddress) {
        let size = segmentSize.map { min(max($0, 1), max(bytes.count, 1)) } ?? bytes.count
        statistics.countReceived(bytes.count, datagrams: bytes.isEmpty ? 1 : (bytes.count + size - 1) / size)
        let waitingTime = measuresWaiting ? DatagramSystemCalls.waitingTime(descriptor) : 0
        owner?.datagramSocket(
            self,
            received: ReceivedDatagrams(
                bytes: bytes, segmentSize: size, remote: remote, waitingTime: .nanoseconds(waitingTime)))
    }

    /// Reads the rest of a burst, and reports its end to the owner.
    fileprivate func finishBurst() {
        var reads = 1
        // The owner may close the socket during the burst.
        while reads < Self.maximumReadsPerBurst, descriptor >= 0 {
            let (count, isOver) = readsSeveral && !measuresWaiting ? readSeveral() : readOne()
            reads += count
            if isOver { break }
        }
        guard descriptor >= 0 else { return }
        owner?.datagramSocketDidReadBurst(self)
        if readsSeveral, !measuresWaiting { pace(after: reads) }
    }

    /// - Returns: The number of datagrams, and whether there are no more.
    private func readOne() -> (count: Int, isOver: Bool) {
        let result = DatagramSystemCalls.receive(descriptor, into: memory.receive)
        switch result {
        case .received(let count, let segmentSize, _):
            // After two single datagrams in a row, more of them are likely.
            let isJoined = segmentSize.map { $0 < count } ?? false
            singleReads = isJoined ? 0 : singleReads + 1
            if singleReads >= 2, memory.vectoredRead != nil { readsSeveral = true }
            take(result, from: UnsafeRawBufferPointer(memory.receive))
        case .empty: return (0, true)
        case .unusable, .failed: take(result, from: UnsafeRawBufferPointer(memory.receive))
        }
        return (1, false)
    }

    private func readSeveral() -> (count: Int, isOver: Bool) {
        guard let vectored = memory.vectoredRead else { return (0, true) }
        switch vectored.receive(descriptor) {
        case .received(let count):
            for index in 0..<count where descriptor >= 0 {
                let result = vectored.result(index)
                if case .received(let size, let segmentSize?, _) = result, segmentSize < size { readsSeveral = false }
                take(result, from: vectored.bytes(index, count: DatagramMemory.size))
            }
            return (count, count < VectoredRead.count)
        case .empty: return (0, true)
        case .failed(let code):
            statistics.countReceiveError(code)
            return (1, false)
        }
    }

    /// Gathers datagrams briefly if they arrive singly in quick succession, as network cards do: waking up for each
    /// costs more than its processing.
    private func pace(after count: Int) {
        let now = NIODeadline.now()
        defer { lastBurst = now }
        if isPaced {
            // Continues as long as it gathers more than one datagram.
            isPaced = count > 1
        } else {
            quickBursts = now - lastBurst < Self.pace ? quickBursts + 1 : 0
            isPaced = quickBursts >= 8
        }
        guard isPaced else { return }
        quickBursts = 0
        try? channel?.syncOptions?.setOption(.autoRead, value: false)
        eventLoop.assumeIsolated().scheduleTask(in: Self.pace) { [weak self] in
            try? self?.channel?.syncOptions?.setOption(.autoRead, value: true)
        }
    }

    private func take(_ result: DatagramSystemCalls.ReceiveResult, from memory: UnsafeRawBufferPointer) {
        switch result {
        case .received(let count, let segmentSize, let remote):
            deliver(
                UnsafeRawBufferPointer(rebasing: memory[0..<min(count, memory.count)]), segmentSize: segmentSize,
                from: remote)
        case .unusable: statistics.datagramsDropped &+= 1
        case .failed(let code): statistics.countReceiveError(code)
        case .empty: break
        }
    }

    fileprivate func report(_ error: any Error) {
        if let error = error as? IOError { statistics.countReceiveError(error.errnoCode) }
        lastError = error
    }

    fileprivate func channelDidClose() {
        guard descriptor >= 0 else { return }
        forget()
        channel = nil
        owner?.datagramSocket(self, didFailWith: lastError ?? SocketError(.closed, "The system has closed the socket."))
    }
}

/// Passes the channel's reads to its socket.
private final class DatagramReader: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let socket: DatagramSocket

    init(_ socket: DatagramSocket) {
        self.socket = socket
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let remote = TransportAddress(envelope.remoteAddress) else { return }
        envelope.data.withUnsafeReadableBytes {
            socket.deliverFirst($0, segmentSize: envelope.metadata?.segmentSize, from: remote)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        socket.finishBurst()
    }

    func channelInactive(context: ChannelHandlerContext) {
        socket.channelDidClose()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        socket.report(error)
    }
}

/// Allocates buffers for the channel's reads, such that an idle socket keeps little memory.
///
/// NIO keeps the first buffer of a channel, and allocates a new one for each later read as long as it is told that a
/// larger one may come. So the first buffer is small, which suffices until reads are joined, and later ones live for
/// one read.
private struct ReadAllocator: RecvByteBufferAllocator {
    private var capacity = 2_048

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: capacity)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        capacity = DatagramMemory.size
        return true
    }
}
