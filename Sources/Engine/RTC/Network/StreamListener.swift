internal import NIOCore
internal import NIOPosix
internal import RTCWire

/// What a ``StreamListener`` tells its owner. Every call comes on the listener's event loop.
protocol StreamListenerOwner: StreamConnectionOwner {
    /// A peer has connected. The connection opens next; its owner is this one.
    func streamListener(_ listener: StreamListener, accepted connection: StreamConnection)
    /// The system has closed the listener, as it does to a suspended app. Not called after ``StreamListener/close()``.
    func streamListener(_ listener: StreamListener, didFailWith reason: StreamFailure)
}

/// Waits for TCP connections of peers: a passive host candidate (RFC 6544).
///
/// Anybody can connect, so few may, and each has to show soon that it belongs here: who has sent nothing that counts, as
/// ``confirm(_:)`` says, is closed. The owner holds those that it has confirmed; the others are held here.
final class StreamListener {
    /// Strangers at a time. One more closes the oldest: whoever fills the places keeps nobody out for long.
    static let maximumUnconfirmed = 16
    /// Connections at a time.
    static let maximumConnections = 64

    /// Told of everything that happens. Held weakly.
    weak var owner: (any StreamListenerOwner)?
    let eventLoop: any EventLoop
    let localAddress: TransportAddress
    private(set) var isOpen = true
    /// Connections that were turned away because there were too many, or closed because they sent nothing that counts.
    private(set) var refusedCount: UInt64 = 0

    private let patience: TimeAmount
    private var channel: (any Channel)?
    /// Those that have shown nothing yet, the oldest first.
    private var strangers: [Stranger] = []
    private var acquaintances: [Acquaintance] = []

    private struct Stranger {
        let connection: StreamConnection
        let timer: Scheduled<Void>
    }

    private struct Acquaintance {
        weak var connection: StreamConnection?
    }

    /// Opens a listener. Call it on `eventLoop`: it is ready when the call returns.
    ///
    /// - Parameters:
    ///   - address: A local address.
    ///   - ports: Ports to choose from, in random order; `nil` lets the system choose.
    ///   - patience: How long a connection may take to send something that counts.
    /// - Throws: ``SocketError``.
    static func listen(
        on address: IPAddress, ports: ClosedRange<UInt16>? = nil, patience: TimeAmount = .seconds(10),
        on eventLoop: any EventLoop, random: any RandomSource
    ) throws -> StreamListener {
        let bound = try DatagramBinding.openListener(address, ports: ports, random: random)
        return StreamListener(
            adopting: bound.descriptor, localAddress: bound.address, patience: patience, on: eventLoop)
    }

    /// The descriptor listens already: who connects before NIO has taken it over waits in the kernel.
    private init(
        adopting descriptor: CInt, localAddress: TransportAddress, patience: TimeAmount, on eventLoop: any EventLoop
    ) {
        eventLoop.preconditionInEventLoop()
        self.eventLoop = eventLoop
        self.localAddress = localAddress
        self.patience = patience
        let weakly = NIOLoopBound(Weakly(self), eventLoop: eventLoop)
        ServerBootstrap(group: eventLoop, childGroup: eventLoop)
            .serverChannelOption(.maxMessagesPerRead, value: 4)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Whoever has let go of the listener closes what is being opened.
                    guard let listener = weakly.value.listener, listener.isOpen else {
                        throw ChannelError.ioOnClosedChannel
                    }
                    listener.channel = channel
                    try channel.pipeline.syncOperations.addHandlers([AcceptPause(), ListenerEnd(weakly.value)])
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: StreamConnection.waterMark)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: StreamConnection.peerReadAllocator)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Arrival(weakly.value))
                }
            }
            .withBoundSocket(descriptor)
            .assumeIsolated()
            .whenFailure { weakly.value.listener?.fail($0) }
    }

    deinit {
        for stranger in strangers { stranger.timer.cancel() }
        channel?.close(promise: nil)
    }

    /// The connection has sent something that counts: it stays, and its owner holds it from now on.
    func confirm(_ connection: StreamConnection) {
        guard let index = strangers.firstIndex(where: { $0.connection === connection }) else { return }
        strangers.remove(at: index).timer.cancel()
        acquaintances.append(Acquaintance(connection: connection))
    }

    /// Stops listening. Strangers are closed, acquaintances are not.
    func close() {
        owner = nil
        end()
    }

    private func end() {
        isOpen = false
        for stranger in strangers {
            stranger.timer.cancel()
            stranger.connection.close()
        }
        strangers = []
        let channel = channel
        self.channel = nil
        channel?.close(promise: nil)
    }

    fileprivate func accept(_ channel: any Channel) throws {
        acquaintances.removeAll { ($0.connection?.state ?? .closed) == .closed }
        strangers.removeAll { stranger in
            guard stranger.connection.state == .closed else { return false }
            stranger.timer.cancel()
            return true
        }
        let remote = channel.remoteAddress.flatMap { $0.withSockAddr { TransportAddress($0, length: $1) } }
        guard let owner, isOpen, let remote, acquaintances.count + strangers.count < Self.maximumConnections else {
            refusedCount &+= 1
            throw ChannelError.ioOnClosedChannel
        }
        if strangers.count >= Self.maximumUnconfirmed { dismiss(strangers[0].connection) }
        let connection = try StreamConnection.accept(channel, from: remote)
        connection.owner = owner
        let timer = eventLoop.assumeIsolated().scheduleTask(in: patience) { [weak self, weak connection] in
            guard let connection else { return }
            self?.dismiss(connection)
        }
        strangers.append(Stranger(connection: connection, timer: timer))
        owner.streamListener(self, accepted: connection)
    }

    /// Closes a connection that has not been confirmed.
    func dismiss(_ connection: StreamConnection) {
        guard let index = strangers.firstIndex(where: { $0.connection === connection }) else { return }
        strangers.remove(at: index).timer.cancel()
        refusedCount &+= 1
        connection.fail(StreamFailure.idle)
    }

    fileprivate func fail(_ error: any Error) {
        guard isOpen else { return }
        end()
        owner?.streamListener(self, didFailWith: StreamFailure(error))
    }

    fileprivate final class Weakly {
        weak var listener: StreamListener?
        init(_ listener: StreamListener) { self.listener = listener }
    }
}

/// Introduces a connection to the listener, as soon as its addresses are known.
private final class Arrival: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let weakly: StreamListener.Weakly

    init(_ weakly: StreamListener.Weakly) {
        self.weakly = weakly
    }

    func channelActive(context: ChannelHandlerContext) {
        do {
            guard let listener = weakly.listener else { throw ChannelError.ioOnClosedChannel }
            try listener.accept(context.channel)
            // On to the handler that this has put behind.
            context.fireChannelActive()
        } catch {
            context.close(promise: nil)
        }
    }
}

/// Tells when the listening socket is gone.
private final class ListenerEnd: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let weakly: StreamListener.Weakly
    private var lastError: any Error = StreamFailure.failed("the system closed it")

    init(_ weakly: StreamListener.Weakly) {
        self.weakly = weakly
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Too many descriptors, or a peer that was gone before it was accepted: the listener itself goes on.
        lastError = error
    }

    func channelInactive(context: ChannelHandlerContext) {
        weakly.listener?.fail(lastError)
        context.fireChannelInactive()
    }
}
