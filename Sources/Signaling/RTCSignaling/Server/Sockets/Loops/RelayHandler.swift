internal import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import Synchronization

/// The end of a socket's pipeline whose connection is handled on another loop: ``RelayChannel``. TLS and the header of the PROXY protocol
/// are in front of it.
final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A connection that was admitted.
    struct Connection: Sendable {
        let relay: RelayChannel
        let id: ConnectionID
        let tls: NIOSSLContext?
        /// Whether it begins with a header of the PROXY protocol, or may; `nil` if not.
        let proxyHeader: ProxyTrust.ProxyProtocol?
        /// The client's widest network, by which TLS handshakes take turns; `nil` if it has no limits or is unknown.
        let network: AddressTable.Key?
    }

    private let loop: SocketLoop
    private var relay: RelayChannel?
    private var context: ChannelHandlerContext?
    private var handshake: HandshakeQueue?
    /// What was received since the last time that it was passed on.
    private var received = ByteBuffer()
    private var wantsRead = false
    private var isDiscarding = false
    /// Whether the connection was closed.
    private var isClosed = false
    /// The number of bytes that were passed on.
    private var passed = 0
    /// Decodes messages; `nil` before there are frames.
    private var reader: MessageReader?

    /// The most bytes that are on their way to the other loop. More arrive at once only from a client that has closed its side, and are
    /// discarded.
    private static let mostUnheard = 131_072

    init(_ loop: SocketLoop) {
        self.loop = loop
    }

    /// Prepares the socket of a connection that was admitted, before it is connected.
    func begin(on channel: any Channel, _ connection: Connection) throws {
        relay = connection.relay
        do {
            // It may have been closed while its socket was not prepared.
            guard !isClosed else { throw ChannelError.ioOnClosedChannel }
            try addHandlers(to: channel, connection)
        } catch {
            tell { $0.finish() }
            relay = nil
            throw error
        }
    }

    private func addHandlers(to channel: any Channel, _ connection: Connection) throws {
        let pipeline = channel.pipeline.syncOperations
        if let use = connection.proxyHeader {
            try pipeline.addHandler(
                proxyHeaderHandler(connection.id, isRequired: use == .required, on: channel.eventLoop))
        }
        if let tls = connection.tls {
            let (home, id) = (loop.home, connection.id)
            let handshake = HandshakeQueue { count in
                home.tell { home.core.value.handshakeWaits(of: id, count) }
            }
            handshake.network = connection.network
            self.handshake = handshake
            try pipeline.addHandlers(handshake, NIOSSLServerHandler(context: tls))
        }
        try pipeline.addHandler(self)
    }

    /// The address in the header is looked at where the addresses are counted.
    private func proxyHeaderHandler(
        _ id: ConnectionID, isRequired: Bool, on eventLoop: any EventLoop
    ) -> ProxyHeaderHandler {
        let home = loop.home
        let own = NIOLoopBound(self, eventLoop: eventLoop)
        return ProxyHeaderHandler(isRequired: isRequired) { header, then in
            let then = NIOLoopBound(then, eventLoop: eventLoop)
            home.tell {
                let (isAdmitted, network) = home.core.value.identify(id, by: header)
                eventLoop.execute {
                    own.value.handshake?.network = network
                    then.value(isAdmitted)
                }
            }
        } countMalformed: {
            home.tell { home.core.value.countMalformedForwarding(1) }
        }
    }

    private func tell(_ event: @escaping @Sendable (RelayChannel) -> Void) {
        guard let relay else { return }
        loop.home.tell { event(relay) }
    }

    // MARK: What the connection tells

    func read() {
        wantsRead = true
        context?.read()
    }

    /// - Parameter number: That of the flush, if somebody wants to know when it is written.
    func write(_ buffers: [ByteBuffer], number: UInt64?) {
        guard let context, let relay, let last = buffers.last else { return }
        let count = buffers.reduce(0) { $0 + $1.readableBytes }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let home = loop.home
        promise.futureResult.whenComplete { result in
            relay.unsent.subtract(count, ordering: .relaxed)
            guard let number else { return }
            let isWritten = if case .success = result { true } else { false }
            home.tell { relay.flushed(number, isWritten: isWritten) }
        }
        for buffer in buffers.dropLast() { context.write(wrapOutboundOut(buffer), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(last), promise: promise)
    }

    func close() {
        isClosed = true
        // TLS waits for the end that the client sends, which has to be read.
        read()
        context?.close(promise: nil)
    }

    /// - Parameter place: The number of bytes before the first frame.
    func beginFrames(at place: Int) {
        // A client that did not wait for the answer to its request is read as before.
        guard passed == place, !isDiscarding else { return }
        reader = MessageReader(from: place, limit: loop.messageSize)
    }

    func passHandshake() {
        if let handshake { loop.turns.add(handshake) }
    }

    // MARK: What the socket tells

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // The socket is closed.
        tell { $0.finish() }
        self.context = nil
        (relay, handshake) = (nil, nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        tell { $0.activate() }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard !isDiscarding else { return }
        if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passOn()
        // Nothing has come of what was read: a part of TLS, or of the PROXY header.
        if wantsRead { context.read() }
    }

    private func passOn() {
        let count = received.readableBytes
        guard count > 0, let relay else { return }
        let bytes = received
        received = ByteBuffer()
        wantsRead = false
        guard relay.unheard.add(count, ordering: .relaxed).newValue <= Self.mostUnheard else {
            isDiscarding = true
            return
        }
        passed += count
        let messages = reader?.read(bytes, loop.budget) ?? []
        tell { $0.receive(bytes, messages) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            handshake?.end()
            handshake = nil
            tell { $0.handshakeCompleted() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        passOn()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
