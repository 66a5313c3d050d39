internal import NIOCore
internal import NIOTLS
internal import Synchronization

/// A connection on the loop of the server's state whose socket is on another loop. What its client sends arrives here, and what it is sent
/// goes there, by value and in order. The parsers and limits are behind this channel, as if the socket were here.
///
/// Nothing piles up between the loops: the socket is read when somebody here asks for more, and what was sent counts as unsent until the
/// socket has taken it.
///
/// Except for the two counters, all of it is used on its event loop.
final class RelayChannel: Channel, ChannelCore, @unchecked Sendable {
    let eventLoop: any EventLoop
    let remoteAddress: SocketAddress?
    private(set) lazy var pipeline = ChannelPipeline(channel: self)
    private(set) var isActive = false
    /// The bytes sent that the socket has not taken.
    let unsent = Atomic<Int>(0)
    /// The bytes received that have not arrived here.
    let unheard = Atomic<Int>(0)

    private let end: NIOLoopBound<RelayHandler>
    private let closePromise: EventLoopPromise<Void>
    private let mostUnsent: Int
    /// Whether the socket was told to close.
    private var isClosing = false
    private var isClosed = false
    /// Whether the socket was told to read.
    private var isReading = false
    /// What was written since the last flush.
    private var unflushed: [ByteBuffer] = []
    private var unflushedPromises: [EventLoopPromise<Void>] = []
    /// The promises of flushes by their number.
    private var flushes: [UInt64: [EventLoopPromise<Void>]] = [:]
    private var lastFlush: UInt64 = 0
    /// The bytes received.
    private var arrived = 0
    /// The messages among those received last that were decoded at the socket.
    private var messages: [MessageReader.Message] = []

    /// - Parameters:
    ///   - end: The handler at the socket.
    ///   - mostUnsent: The number of unsent bytes beyond which it is not writable.
    init(on loop: any EventLoop, _ end: NIOLoopBound<RelayHandler>, remote: SocketAddress?, mostUnsent: Int) {
        eventLoop = loop
        self.end = end
        remoteAddress = remote
        self.mostUnsent = mostUnsent
        closePromise = loop.makePromise(of: Void.self)
    }

    private func tell(_ action: @escaping @Sendable (RelayHandler) -> Void) {
        let end = end
        end.eventLoop.execute { action(end.value) }
    }

    // MARK: What the socket tells

    /// The socket is connected.
    func activate() {
        guard !isClosing, !isActive else { return }
        isActive = true
        pipeline.syncOperations.fireChannelActive()
        askForMore()
    }

    /// - Parameter messages: Those in the bytes that were decoded.
    func receive(_ bytes: ByteBuffer, _ messages: [MessageReader.Message]) {
        unheard.subtract(bytes.readableBytes, ordering: .relaxed)
        arrived += bytes.readableBytes
        // It is read again when all that came before was served.
        self.messages = messages
        isReading = false
        guard !isClosing else { return }
        pipeline.syncOperations.fireChannelRead(NIOAny(bytes))
        pipeline.syncOperations.fireChannelReadComplete()
        askForMore()
    }

    /// As a channel of NIO does by itself.
    private func askForMore() {
        if !isClosing { pipeline.syncOperations.read() }
    }

    func handshakeCompleted() {
        guard !isClosing else { return }
        pipeline.syncOperations.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
    }

    /// A flush with promises was written, or failed.
    func flushed(_ number: UInt64, isWritten: Bool) {
        let promises = flushes.removeValue(forKey: number) ?? []
        // An idle connection keeps no storage.
        if flushes.isEmpty { flushes = [:] }
        for promise in promises {
            if isWritten { promise.succeed(()) } else { promise.fail(ChannelError.ioOnClosedChannel) }
        }
    }

    /// The socket is closed, or does not matter any more: nothing comes or goes.
    func finish() {
        guard !isClosed else { return }
        (isClosing, isClosed) = (true, true)
        let promises = flushes.values.flatMap { $0 } + unflushedPromises
        (flushes, unflushed, unflushedPromises) = ([:], [], [])
        for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
        if isActive {
            isActive = false
            pipeline.syncOperations.fireChannelInactive()
        }
        pipeline.syncOperations.fireChannelUnregistered()
        eventLoop.execute {
            self.removeHandlers(pipeline: self.pipeline)
            self.closePromise.succeed(())
        }
    }

    /// From now on, frames come, whose messages may be decoded at the socket.
    ///
    /// - Parameter waiting: The number of bytes among those received that are frames.
    func beginFrames(waiting: Int) {
        let place = arrived - waiting
        tell { $0.beginFrames(at: place) }
    }

    /// Returns a message that was decoded at the socket; `nil` if it was not.
    ///
    /// - Parameters:
    ///   - waiting: The number of received bytes behind its frame.
    ///   - length: The length of its text.
    func decodedMessage(
        before waiting: Int, length: Int
    ) -> Result<Envelope<ClientMessage>, MalformedMessage>? {
        guard let index = messages.firstIndex(where: { $0.end == arrived - waiting && $0.length == length }) else {
            return nil
        }
        let result = messages.remove(at: index).result
        if messages.isEmpty { messages = [] }
        return result
    }

    /// Lets the bytes of the TLS handshake that wait at the socket pass.
    func passHandshake() {
        tell { $0.passHandshake() }
    }

    // MARK: Channel

    var allocator: ByteBufferAllocator { ByteBufferAllocator() }
    var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
    var parent: (any Channel)? { nil }
    /// Nobody here needs it.
    var localAddress: SocketAddress? { nil }
    var isWritable: Bool { unsent.load(ordering: .relaxed) <= mostUnsent }
    var _channelCore: any ChannelCore { self }
    var syncOptions: (any NIOSynchronousChannelOptions)? { Options(channel: self) }

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    /// The only option is the number of unsent bytes.
    private struct Options: NIOSynchronousChannelOptions {
        let channel: RelayChannel

        func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
            throw ChannelError.operationUnsupported
        }

        func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
            guard option is ChannelOptions.Types.BufferedWritableBytesOption,
                let value = channel.unsent.load(ordering: .relaxed) as? Option.Value
            else { throw ChannelError.operationUnsupported }
            return value
        }
    }

    // MARK: ChannelCore

    func localAddress0() throws -> SocketAddress {
        throw ChannelError.operationUnsupported
    }

    func remoteAddress0() throws -> SocketAddress {
        guard let remoteAddress else { throw ChannelError.operationUnsupported }
        return remoteAddress
    }

    func register0(promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func channelRead0(_ data: NIOAny) {}

    func errorCaught0(error: any Error) {}

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        guard case .byteBuffer(let buffer) = unwrapData(data, as: IOData.self) else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        unflushed.append(buffer)
        if let promise { unflushedPromises.append(promise) }
        let wasWritable = isWritable
        unsent.add(buffer.readableBytes, ordering: .relaxed)
        if wasWritable, !isWritable { pipeline.syncOperations.fireChannelWritabilityChanged() }
    }

    func flush0() {
        guard !isClosing, !unflushed.isEmpty else { return }
        let (buffers, number) = (unflushed, numberOfFlush())
        unflushed = []
        tell { $0.write(buffers, number: number) }
    }

    /// - Returns: `nil` if nobody wants to know when it is written.
    private func numberOfFlush() -> UInt64? {
        guard !unflushedPromises.isEmpty else { return nil }
        lastFlush += 1
        flushes[lastFlush] = unflushedPromises
        unflushedPromises = []
        return lastFlush
    }

    func read0() {
        guard !isClosing, !isReading else { return }
        isReading = true
        tell { $0.read() }
    }

    /// The connection counts until the socket is closed, which may take a while with TLS.
    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        guard !isClosing else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        isClosing = true
        tell { $0.close() }
        promise?.succeed(())
    }
}
