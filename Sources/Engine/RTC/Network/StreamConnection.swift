internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import RTCCrypto
internal import RTCNetwork
internal import RTCWire

/// Receives the events of a ``StreamConnection``, on its event loop.
protocol StreamConnectionOwner: AnyObject {
    /// Called when the connection is open and its addresses are known.
    func streamConnectionDidOpen(_ connection: StreamConnection)
    /// Called when bytes have arrived. They are valid during the call only.
    func streamConnection(_ connection: StreamConnection, received bytes: UnsafeRawBufferPointer)
    /// Called after everything that had arrived was delivered: the time to respond, once for the whole burst.
    func streamConnectionDidReadBurst(_ connection: StreamConnection)
    /// Called when there is room again, after ``StreamConnection/isWritable`` was `false`.
    func streamConnectionDidBecomeWritable(_ connection: StreamConnection)
    /// Called when the connection failed or has ended. Not called after ``StreamConnection/close()``.
    func streamConnection(_ connection: StreamConnection, didCloseWith reason: StreamFailure)
}

/// A TCP connection, with TLS or without, on its owner's event loop.
///
/// Bytes are accepted entirely or not at all: once a slow peer has let ``maximumPendingBytes`` accumulate, more are
/// dropped and counted, like datagrams. So frames are never sent partially.
///
/// Not `Sendable`: all members are used on the event loop. Releasing a connection closes it.
final class StreamConnection {
    /// The most pending bytes for the kernel: 2 s of a megabit per second.
    static let maximumPendingBytes = 256 * 1024
    /// The pending bytes from which the owner is asked to hold back.
    private static let highWaterMark = 64 * 1024

    enum State: Hashable, Sendable {
        case connecting, open, closed
    }

    /// The traffic, and what was dropped because too much was pending for a slow peer.
    struct Statistics: Hashable, Sendable {
        var bytesSent: UInt64 = 0
        var bytesReceived: UInt64 = 0
        var sendsDropped: UInt64 = 0
        var bytesDropped: UInt64 = 0
    }

    /// The owner's identifier of this connection.
    var id = SocketID(0)
    /// Receives all events. Held weakly.
    weak var owner: (any StreamConnectionOwner)?

    let eventLoop: any EventLoop
    /// The remote address.
    let remoteAddress: TransportAddress
    /// The local address; `nil` until the connection is open.
    private(set) var localAddress: TransportAddress?
    /// The address to connect from; `nil` leaves it to the system.
    let source: IPAddress?
    private(set) var state = State.connecting
    private(set) var statistics = Statistics()

    /// The expected certificate name, also for error messages.
    private let serverName: String
    private var isToPeer = false
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    private var buffer = ByteBuffer()

    private init(
        to remote: TransportAddress, from source: IPAddress? = nil, serverName: String, on eventLoop: any EventLoop
    ) {
        eventLoop.preconditionInEventLoop()
        remoteAddress = remote
        self.source = source
        self.serverName = serverName
        self.eventLoop = eventLoop
    }

    deinit {
        timer?.cancel()
        // Thread-safe, and without further events, since the channel's handler references this weakly.
        channel?.close(promise: nil)
    }

    // MARK: Sending

    /// Bytes accepted that the kernel has not taken yet.
    var pendingBytes: Int {
        guard let channel, state == .open else { return 0 }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Whether to send more now. If not, hold data back until
    /// ``StreamConnectionOwner/streamConnectionDidBecomeWritable(_:)``; small, urgent messages may still be sent.
    var isWritable: Bool { state == .open && channel?.isWritable == true }

    /// Sends `bytes`, or drops them all: before the connection is open, or when too much is pending.
    ///
    /// - Returns: Whether they were accepted.
    @discardableResult
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let channel, state == .open, pendingBytes + bytes.count <= Self.maximumPendingBytes else {
            statistics.sendsDropped &+= 1
            statistics.bytesDropped &+= UInt64(bytes.count)
            return false
        }
        // Usually the kernel has taken the last write, so its memory is reused.
        buffer.clear()
        buffer.writeBytes(bytes)
        channel.writeAndFlush(buffer, promise: nil)
        statistics.bytesSent &+= UInt64(bytes.count)
        return true
    }

    // MARK: Closing

    /// Closes the connection. The kernel still delivers what it has taken; the owner gets no more events.
    func close() {
        owner = nil
        end()
    }

    private func end() {
        state = .closed
        timer?.cancel()
        timer = nil
        let channel = channel
        self.channel = nil
        channel?.close(promise: nil)
    }

    func fail(_ error: any Error) {
        guard state != .closed else { return }
        let reason = StreamFailure(error, leaf: peerCertificate)
        end()
        owner?.streamConnection(self, didCloseWith: reason)
    }

    private var peerCertificate: NIOSSLCertificate? {
        (try? channel?.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self))?.peerCertificate
    }
}

// MARK: - Opening

extension StreamConnection {
    /// The TLS settings of a connection.
    struct TLS: Hashable, Sendable {
        var trust = ServerTrust.system
        /// The host in the server's URL, a name or an address, which the certificate must match.
        var serverName: String
    }

    /// Starts to connect. Call it on `eventLoop`; the owner's methods are never called before this returns.
    ///
    /// - Parameters:
    ///   - local: The local address to connect from; `nil` leaves it to the system.
    ///   - tls: `nil` for plain TCP.
    ///   - isToPeer: Whether it connects to a remote peer, whose reads are limited so that others get their turn: a
    ///     burst of tiny packets must not delay all other calls.
    ///   - timeout: The limit for TCP and TLS together.
    static func connect(
        to remote: TransportAddress, from local: IPAddress? = nil, tls: TLS? = nil, isToPeer: Bool = false,
        timeout: TimeAmount = .seconds(10), on eventLoop: any EventLoop, owner: any StreamConnectionOwner
    ) -> StreamConnection {
        let connection = StreamConnection(
            to: remote, from: local, serverName: tls?.serverName ?? remote.ip.description, on: eventLoop)
        connection.owner = owner
        connection.isToPeer = isToPeer
        let weakly = NIOLoopBound(Weakly(connection), eventLoop: eventLoop)
        connection.timer = eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            weakly.value.connection?.fail(StreamFailure.timedOut)
        }
        eventLoop.execute {
            guard let tls else { return open(weakly, context: nil) }
            tls.trust.makeContext(on: eventLoop) { result in
                switch result {
                case .success(let context): open(weakly, context: context)
                case .failure(let error): weakly.value.connection?.fail(error)
                }
            }
        }
        return connection
    }

    /// Adopts a connection from a peer. Call it on the channel's event loop when the channel becomes active.
    static func accept(_ channel: any Channel, from remote: TransportAddress) throws -> StreamConnection {
        let connection = StreamConnection(to: remote, serverName: "\(remote)", on: channel.eventLoop)
        connection.channel = channel
        let weakly = Weakly(connection)
        try channel.pipeline.syncOperations.addHandler(StreamHandler(weakly, opensAfterTLS: false))
        return connection
    }

    fileprivate final class Weakly {
        weak var connection: StreamConnection?
        init(_ connection: StreamConnection) { self.connection = connection }
    }

    private static func open(_ weakly: NIOLoopBound<Weakly>, context: NIOSSLContext?) {
        guard let connection = weakly.value.connection, connection.state == .connecting else { return }
        var bootstrap = ClientBootstrap(group: connection.eventLoop)
            // Disabled in favour of our own timer, which includes TLS.
            .connectTimeout(.hours(1))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // If the connection was released, its channel is closed.
                    guard let connection = weakly.value.connection, connection.state == .connecting else {
                        throw ChannelError.ioOnClosedChannel
                    }
                    connection.channel = channel
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            tlsHandler(context, host: connection.serverName))
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        StreamHandler(weakly.value, opensAfterTLS: context != nil))
                }
            }
        if connection.isToPeer {
            bootstrap =
                bootstrap
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelOption(.recvAllocator, value: peerReadAllocator)
        }
        if let source = connection.source {
            bootstrap = bootstrap.bind(to: SocketAddress(TransportAddress(ip: source, port: 0)))
        }
        bootstrap.connect(to: SocketAddress(connection.remoteAddress)).assumeIsolated().whenFailure { error in
            weakly.value.connection?.fail(error)
        }
    }

    /// Limits each read from a peer, so that other connections get their turn.
    static var peerReadAllocator: AdaptiveRecvByteBufferAllocator {
        .init(minimum: 2_048, initial: 2_048, maximum: 16_384)
    }

    static var waterMark: ChannelOptions.Types.WriteBufferWaterMark {
        .init(low: highWaterMark / 2, high: highWaterMark)
    }

    /// A name goes into the ClientHello; an address must not (RFC 6066, section 3).
    private static func tlsHandler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return try NIOSSLClientHandler(context: context, serverHostname: IPAddress(name) == nil ? name : nil)
    }

    /// Handles the end of the TLS handshake, with a verified certificate chain.
    fileprivate func didSecure() {
        let certificate = (try? peerCertificate?.toDERBytes()) ?? []
        guard CertificateName.matches(certificate, host: serverName) else {
            return fail(StreamFailure.wrongName(expected: serverName))
        }
        didOpen()
    }

    fileprivate func didOpen() {
        guard state == .connecting else { return }
        timer?.cancel()
        timer = nil
        localAddress = channel?.localAddress.flatMap { address in
            address.withSockAddr { TransportAddress($0, length: $1) }
        }
        state = .open
        owner?.streamConnectionDidOpen(self)
    }

    fileprivate func received(_ buffer: ByteBuffer) {
        guard state == .open else { return }
        buffer.withUnsafeReadableBytes { bytes in
            statistics.bytesReceived &+= UInt64(bytes.count)
            owner?.streamConnection(self, received: bytes)
        }
    }

    fileprivate func didReadBurst() {
        guard state == .open else { return }
        owner?.streamConnectionDidReadBurst(self)
    }

    fileprivate func writabilityChanged(to isWritable: Bool) {
        guard state == .open, isWritable else { return }
        owner?.streamConnectionDidBecomeWritable(self)
    }
}

/// The last handler of a channel's pipeline.
private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let weakly: StreamConnection.Weakly
    private let opensAfterTLS: Bool

    init(_ weakly: StreamConnection.Weakly, opensAfterTLS: Bool) {
        self.weakly = weakly
        self.opensAfterTLS = opensAfterTLS
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let connection = weakly.connection else { return context.close(promise: nil) }
        if !opensAfterTLS { connection.didOpen() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { weakly.connection?.didSecure() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        weakly.connection?.received(unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        weakly.connection?.didReadBurst()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        weakly.connection?.writabilityChanged(to: context.channel.isWritable)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        weakly.connection?.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        weakly.connection?.fail(StreamFailure.closedByPeer)
    }
}
