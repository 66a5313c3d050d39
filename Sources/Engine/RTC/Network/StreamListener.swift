internal import NIOCore
internal import NIOPosix
internal import RTCNetwork
internal import RTCWire

/// Receives the events of a ``StreamListener``, on its event loop.
protocol StreamListenerOwner: StreamConnectionOwner {
    /// Called when a peer has connected. The connection, whose owner is the receiver, opens next.
    func streamListener(_ listener: StreamListener, accepted connection: StreamConnection)
    /// Called when the system has closed the listener, as it does in a suspended app. Not called after
    /// ``StreamListener/close()``.
    func streamListener(_ listener: StreamListener, didFailWith reason: StreamFailure)
}

/// Accepts TCP connections of peers: a passive host candidate (RFC 6544).
///
/// Anybody can connect, so the number of connections is limited, and each has to be confirmed with ``confirm(_:)``
/// within a time limit, or it is closed. The owner keeps confirmed connections; the listener keeps the others.
final class StreamListener {
    /// The maximum number of unconfirmed connections. One more closes the oldest, so that an attacker cannot block others.
    static let maximumUnconfirmed = 16
    /// The maximum number of connections.
    static let maximumConnections = 64

    /// Receives the events. Held weakly.
    weak var owner: (any StreamListenerOwner)?
    let eventLoop: any EventLoop
    let localAddress: TransportAddress
    private(set) var isOpen = true
    /// The number of connections that were refused because there were too many, or closed because they were not confirmed.
    private(set) var refusedCount: UInt64 = 0

    private let patience: TimeAmount
    private var channel: (any Channel)?
    /// The unconfirmed connections, oldest first.
    private var unconfirmed: [UnconfirmedConnection] = []
    private var confirmed: [ConfirmedConnection] = []

    private struct UnconfirmedConnection {
        let connection: StreamConnection
        let timer: Scheduled<Void>
    }

    private struct ConfirmedConnection {
        weak var connection: StreamConnection?
    }

    /// Opens a listener. Call it on `eventLoop`: it is ready when the call returns.
    ///
    /// - Parameters:
    ///   - address: A local address.
    ///   - ports: Ports to choose from, in random order; `nil` lets the system choose.
    ///   - patience: The time limit for the confirmation of a connection.
    /// - Throws: ``SocketError``.
    static func listen(
        on address: IPAddress, ports: ClosedRange<UInt16>? = nil, patience: TimeAmount = .seconds(10),
        on eventLoop: any EventLoop, random: any RandomSource
    ) throws -> StreamListener {
        let bound = try DatagramBinding.openListener(address, ports: ports, random: random)
        return StreamListener(
            adopting: bound.descriptor, localAddress: bound.address, patience: patience, on: eventLoop)
    }

    /// The descriptor listens already: connections that arrive before NIO has taken it over wait in the kernel.
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
                    // The listener was released: close what is being opened.
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
        for pending in unconfirmed { pending.timer.cancel() }
        channel?.close(promise: nil)
    }

    /// Confirms a connection, which has proved to be a peer: it stays open, and its owner keeps it.
    func confirm(_ connection: StreamConnection) {
        guard let index = unconfirmed.firstIndex(where: { $0.connection === connection }) else { return }
        unconfirmed.remove(at: index).timer.cancel()
        confirmed.append(ConfirmedConnection(connection: connection))
    }

    /// Stops listening, and closes unconfirmed connections.
    func close() {
        owner = nil
        end()
    }

    private func end() {
        isOpen = false
        for pending in unconfirmed {
            pending.timer.cancel()
            pending.connection.close()
        }
        unconfirmed = []
        let channel = channel
        self.channel = nil
        channel?.close(promise: nil)
    }

    fileprivate func accept(_ channel: any Channel) throws {
        confirmed.removeAll { ($0.connection?.state ?? .closed) == .closed }
        unconfirmed.removeAll { pending in
            guard pending.connection.state == .closed else { return false }
            pending.timer.cancel()
            return true
        }
        let remote = channel.remoteAddress.flatMap { $0.withSockAddr { TransportAddress($0, length: $1) } }
        guard let owner, isOpen, let remote, confirmed.count + unconfirmed.count < Self.maximumConnections else {
            refusedCount &+= 1
            throw ChannelError.ioOnClosedChannel
        }
        if unconfirmed.count >= Self.maximumUnconfirmed { dismiss(unconfirmed[0].connection) }
        let connection = try StreamConnection.accept(channel, from: remote)
        connection.owner = owner
        let timer = eventLoop.assumeIsolated().scheduleTask(in: patience) { [weak self, weak connection] in
            guard let connection else { return }
            self?.dismiss(connection)
        }
        unconfirmed.append(UnconfirmedConnection(connection: connection, timer: timer))
        owner.streamListener(self, accepted: connection)
    }

    /// Closes an unconfirmed connection.
    func dismiss(_ connection: StreamConnection) {
        guard let index = unconfirmed.firstIndex(where: { $0.connection === connection }) else { return }
        unconfirmed.remove(at: index).timer.cancel()
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

/// Passes a connection to the listener once its addresses are known.
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
            // Passes the event to the handler added behind this one.
            context.fireChannelActive()
        } catch {
            context.close(promise: nil)
        }
    }
}

/// Reports the end of the listening socket.
private final class ListenerEnd: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let weakly: StreamListener.Weakly
    private var lastError: any Error = StreamFailure.failed("the system closed it")

    init(_ weakly: StreamListener.Weakly) {
        self.weakly = weakly
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Too many descriptors, or a peer that left before it was accepted: the listener itself continues.
        lastError = error
    }

    func channelInactive(context: ChannelHandlerContext) {
        weakly.listener?.fail(lastError)
        context.fireChannelInactive()
    }
}
