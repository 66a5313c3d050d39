internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import RTCCrypto
internal import RTCWire

/// What a ``StreamConnection`` tells its owner. Every call comes on the connection's event loop.
protocol StreamConnectionOwner: AnyObject {
    /// Bytes can be sent from now on; addresses are known.
    func streamConnectionDidOpen(_ connection: StreamConnection)
    /// Bytes have arrived. They are gone when the call returns.
    func streamConnection(_ connection: StreamConnection, received bytes: UnsafeRawBufferPointer)
    /// All that had arrived has been delivered: the moment to answer, once for the whole burst.
    func streamConnectionDidReadBurst(_ connection: StreamConnection)
    /// There is room again, after ``StreamConnection/isWritable`` was `false`.
    func streamConnectionDidBecomeWritable(_ connection: StreamConnection)
    /// The connection did not come about, or is over. Not called after ``StreamConnection/close()``.
    func streamConnection(_ connection: StreamConnection, didCloseWith reason: StreamFailure)
}

/// A TCP connection, with TLS or without, on its owner's event loop.
///
/// What is sent is taken whole or not at all: when a slow peer has let ``maximumPendingBytes`` pile up, more is dropped and
/// counted, as a datagram would be. So whoever sends frames never leaves half of one in the stream.
///
/// Not `Sendable`: all members are used on the event loop. Letting go of a connection closes it.
final class StreamConnection {
    /// What may wait here for the kernel, in bytes. Of two connections with a megabit each, 2 s.
    static let maximumPendingBytes = 256 * 1024
    /// From here on the owner is asked to hold back.
    private static let highWaterMark = 64 * 1024

    enum State: Hashable, Sendable {
        case connecting, open, closed
    }

    /// What has been carried, and what was dropped because a slow peer had let too much pile up.
    struct Statistics: Hashable, Sendable {
        var bytesSent: UInt64 = 0
        var bytesReceived: UInt64 = 0
        var sendsDropped: UInt64 = 0
        var bytesDropped: UInt64 = 0
    }

    /// The number that the owner knows this connection by.
    var id = SocketID(0)
    /// Told of everything that happens. Held weakly.
    weak var owner: (any StreamConnectionOwner)?

    let eventLoop: any EventLoop
    /// Where the connection goes to, or came from.
    let remoteAddress: TransportAddress
    /// Where it comes from; `nil` until it is open.
    private(set) var localAddress: TransportAddress?
    private(set) var state = State.connecting
    private(set) var statistics = Statistics()

    /// The name in the certificate, or for the words of an error.
    private let serverName: String
    private var isToPeer = false
    private var channel: (any Channel)?
    private var timer: Scheduled<Void>?
    private var buffer = ByteBuffer()

    private init(to remote: TransportAddress, serverName: String, on eventLoop: any EventLoop) {
        eventLoop.preconditionInEventLoop()
        remoteAddress = remote
        self.serverName = serverName
        self.eventLoop = eventLoop
    }

    deinit {
        timer?.cancel()
        // Thread-safe, and nothing is called any more: the channel's handler holds this weakly.
        channel?.close(promise: nil)
    }

    // MARK: Sending

    /// Bytes that have been taken and that the kernel has not.
    var pendingBytes: Int {
        guard let channel, state == .open else { return 0 }
        return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Whether there is good reason to send now. While there is not, hold data back until
    /// ``StreamConnectionOwner/streamConnectionDidBecomeWritable(_:)``; small and urgent things may go all the same.
    var isWritable: Bool { state == .open && channel?.isWritable == true }

    /// Sends `bytes`, or drops all of them: before the connection is open, or when too much is waiting.
    ///
    /// - Returns: Whether they were taken.
    @discardableResult
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let channel, state == .open, pendingBytes + bytes.count <= Self.maximumPendingBytes else {
            statistics.sendsDropped &+= 1
            statistics.bytesDropped &+= UInt64(bytes.count)
            return false
        }
        // The kernel has taken the last write as a rule, and then its memory is used again.
        buffer.clear()
        buffer.writeBytes(bytes)
        channel.writeAndFlush(buffer, promise: nil)
        statistics.bytesSent &+= UInt64(bytes.count)
        return true
    }

    // MARK: Ending

    /// Closes the connection. What the kernel has taken is still delivered; the owner is told nothing more.
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
    /// Encryption of a connection.
    struct TLS: Hashable, Sendable {
        var trust = ServerTrust.system
        /// The host of the server's URL, which the certificate has to be for: a name or an address.
        var serverName: String
    }

    /// Begins to connect. Call it on `eventLoop`; the owner is called later, never before this returns.
    ///
    /// - Parameters:
    ///   - local: The local address to connect from; `nil` leaves it to the system.
    ///   - tls: `nil` for plain TCP.
    ///   - isToPeer: Whether the other peer is there, which takes its turn with what else the loop has to do: a burst of
    ///     tiny packets must not hold up every other call.
    ///   - timeout: For TCP and TLS together.
    static func connect(
        to remote: TransportAddress, from local: IPAddress? = nil, tls: TLS? = nil, isToPeer: Bool = false,
        timeout: TimeAmount = .seconds(10), on eventLoop: any EventLoop, owner: any StreamConnectionOwner
    ) -> StreamConnection {
        let connection = StreamConnection(
            to: remote, serverName: tls?.serverName ?? remote.ip.description, on: eventLoop)
        connection.owner = owner
        connection.isToPeer = isToPeer
        let weakly = NIOLoopBound(Weakly(connection), eventLoop: eventLoop)
        connection.timer = eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            weakly.value.connection?.fail(StreamFailure.timedOut)
        }
        eventLoop.execute {
            guard let tls else { return open(weakly, from: local, context: nil) }
            tls.trust.makeContext(on: eventLoop) { result in
                switch result {
                case .success(let context): open(weakly, from: local, context: context)
                case .failure(let error): weakly.value.connection?.fail(error)
                }
            }
        }
        return connection
    }

    /// Takes a connection that a peer has made. Call it on the channel's event loop, as the channel becomes active.
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

    private static func open(_ weakly: NIOLoopBound<Weakly>, from local: IPAddress?, context: NIOSSLContext?) {
        guard let connection = weakly.value.connection, connection.state == .connecting else { return }
        var bootstrap = ClientBootstrap(group: connection.eventLoop)
            // Our own timer counts TLS too.
            .connectTimeout(.hours(1))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Whoever has let go of the connection closes what is being opened.
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
        if let local {
            bootstrap = bootstrap.bind(to: SocketAddress(TransportAddress(ip: local, port: 0)))
        }
        bootstrap.connect(to: SocketAddress(connection.remoteAddress)).assumeIsolated().whenFailure { error in
            weakly.value.connection?.fail(error)
        }
    }

    /// What is read from a peer at once, before other connections have their turn.
    static var peerReadAllocator: AdaptiveRecvByteBufferAllocator {
        .init(minimum: 2_048, initial: 2_048, maximum: 16_384)
    }

    static var waterMark: ChannelOptions.Types.WriteBufferWaterMark {
        .init(low: highWaterMark / 2, high: highWaterMark)
    }

    /// The name goes into the ClientHello; an address may not (RFC 6066, section 3).
    private static func tlsHandler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return try NIOSSLClientHandler(context: context, serverHostname: IPAddress(name) == nil ? name : nil)
    }

    /// TLS stands, and the certificate's chain with it.
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

/// The end of a channel's pipeline.
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
