internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import RTCCrypto
internal import Synchronization

/// One WebSocket to a server.
final class ClientSocket: Sendable {
    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    /// The channels that are being opened.
    private final class Opening: Sendable {
        let channels = Mutex<[any Channel]>([])
    }

    /// Connects; cancelling the task stops it.
    ///
    /// - Parameters:
    ///   - onMessage: Called on the event loop with each text message.
    ///   - onClose: Called on the event loop when the server closes with an error status.
    ///   - onTick: Called every second.
    static func connect(
        _ configuration: SignalingClient.Configuration, onMessage: @escaping @Sendable ([UInt8]) -> Void,
        onClose: @escaping @Sendable (SignalingErrorCode) -> Void, onTick: @escaping @Sendable () -> Void
    ) async throws(SignalingClientError) -> ClientSocket {
        let url = configuration.url
        let tls = url.isSecure ? try SecureSockets.client(configuration.trust) : nil
        let timeout = TimeAmount(configuration.connectTimeout)
        let opening = Opening()
        do {
            return try await withTaskCancellationHandler {
                let opened = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(timeout)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .channelOption(.socketOption(.so_keepalive), value: 1)
                    .channelOption(.writeBufferWaterMark, value: .init(low: 65_536, high: 1_048_576))
                    .connect(host: url.host, port: url.port) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            opening.channels.withLock { $0.append(channel) }
                            if let tls {
                                try channel.pipeline.syncOperations.addHandler(tls.handler(for: url.host))
                            }
                            // Covers TLS and the upgrade, which have no timeout of their own.
                            let expiry = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
                            let upgrade = try upgrade(channel, configuration) {
                                ClientSocketHandler(
                                    configuration, onMessage: onMessage, onClose: onClose, onTick: onTick)
                            }
                            upgrade.whenComplete { result in
                                expiry.cancel()
                                if case .failure = result { channel.close(promise: nil) }
                            }
                            return upgrade
                        }
                    }
                return ClientSocket(try await opened.get())
            } onCancel: {
                for channel in opening.channels.withLock({ $0 }) { channel.close(promise: nil) }
            }
        } catch {
            throw SignalingClientError(connecting: url, error)
        }
    }

    private static func upgrade(
        _ channel: any Channel, _ configuration: SignalingClient.Configuration,
        handler: @escaping @Sendable () -> ClientSocketHandler
    ) throws -> EventLoopFuture<any Channel> {
        let url = configuration.url
        let upgrader = NIOTypedWebSocketClientUpgrader<any Channel>(
            maxFrameSize: ClientSocketHandler.maximumMessageSize
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                let aggregator = NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
                    maxAccumulatedFrameSize: ClientSocketHandler.maximumMessageSize)
                // A server that sends and does not read would fill our memory with answers.
                try channel.pipeline.syncOperations.addHandlers([BackPressureHandler(), aggregator, handler()])
                return channel
            }
        }
        let headers = HTTPHeaders([
            ("Host", url.authority), ("Sec-WebSocket-Protocol", SignalingProtocol.subprotocol),
        ])
        let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.path, headers: headers)
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeFailedFuture(NotAWebSocket())
                }))
        pipeline.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline)
    }

    fileprivate struct NotAWebSocket: Error {}

    /// Sends messages, in the order of the calls, on whatever threads those are.
    func send(_ messages: [[UInt8]]) {
        guard !messages.isEmpty else { return }
        // Also from the event loop: written there at once, they would overtake what other threads have sent before.
        channel.eventLoop.execute { [channel] in
            for message in messages {
                let frame = WebSocketFrame(
                    fin: true, opcode: .text, maskKey: .random(), data: channel.allocator.buffer(bytes: message))
                channel.write(frame, promise: nil)
            }
            channel.flush()
        }
    }

    /// Waits until the socket is closed. Cancelling the task closes it.
    func closed() async {
        let channel = channel
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Closes the WebSocket, and waits for the server's close frame.
    func close(within time: Duration) async {
        let channel = channel
        var data = channel.allocator.buffer(capacity: 2)
        data.writeInteger(UInt16(1000))
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
        channel.writeAndFlush(frame, promise: nil)
        channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
        try? await channel.closeFuture.get()
    }

    /// Closes the connection after what was sent before.
    func drop() {
        channel.eventLoop.execute { [channel] in channel.close(promise: nil) }
    }

    /// Checks whether the server responds; otherwise the socket is closed.
    func probe() {
        channel.pipeline.fireUserInboundEventTriggered(Probe())
    }

    fileprivate struct Probe: Sendable {}
}

/// Handles the frames of a server, and detects a dead connection.
private final class ClientSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Larger than a client's messages, since a server may combine those of several clients.
    static let maximumMessageSize = 4 * SignalingProtocol.maximumMessageSize
    private static let patience: TimeAmount = .seconds(10)
    private static let probeTimeout: TimeAmount = .seconds(3)

    private let configuration: SignalingClient.Configuration
    private let onMessage: @Sendable ([UInt8]) -> Void
    private let onClose: @Sendable (SignalingErrorCode) -> Void
    private let onTick: @Sendable () -> Void
    private var lastReceived = NIODeadline.now()
    private var isAnswered = false
    private var isPinged = false
    private var probed: NIODeadline?
    private var ticks: RepeatedTask?

    init(
        _ configuration: SignalingClient.Configuration, onMessage: @escaping @Sendable ([UInt8]) -> Void,
        onClose: @escaping @Sendable (SignalingErrorCode) -> Void, onTick: @escaping @Sendable () -> Void
    ) {
        self.configuration = configuration
        self.onMessage = onMessage
        self.onClose = onClose
        self.onTick = onTick
    }

    func handlerAdded(context: ChannelHandlerContext) {
        lastReceived = .now()
        let own = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            own.value.handler.tick(own.value.context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ticks?.cancel()
        ticks = nil
    }

    private func tick(_ context: ChannelHandlerContext) {
        onTick()
        let silence = NIODeadline.now() - lastReceived
        let interval = TimeAmount(configuration.pingInterval)
        let limit = isAnswered ? interval + Self.patience : TimeAmount(configuration.connectTimeout)
        if let probed, lastReceived >= probed { self.probed = nil }
        if silence >= limit || probed.map({ NIODeadline.now() - $0 >= Self.probeTimeout }) ?? false {
            context.close(promise: nil)
        } else if silence >= interval, !isPinged {
            isPinged = true
            ping(context)
        }
    }

    private func ping(_ context: ChannelHandlerContext) {
        send(.text, ByteBuffer(bytes: Envelope(ClientMessage.ping(Ping(id: ClientSession.probeID))).json()), context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ClientSocket.Probe else { return context.fireUserInboundEventTriggered(event) }
        probed = .now()
        ping(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastReceived = .now()
        isPinged = false
        switch frame.opcode {
        case .text:
            isAnswered = true
            onMessage(Array(frame.unmaskedData.readableBytesView))
        case .ping: send(.pong, frame.unmaskedData, context)
        case .connectionClose:
            var data = frame.unmaskedData
            if let status = data.readInteger(as: UInt16.self),
                let code = SignalingErrorCode(closeCode: status, reason: String(buffer: data))
            {
                onClose(code)
            }
            send(.connectionClose, frame.unmaskedData, context)
            context.close(promise: nil)
        default: return
        }
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

extension SignalingClientError {
    fileprivate init(connecting url: SignalingURL, _ error: any Error) {
        switch error {
        case let error as SignalingClientError: self = error
        case is ClientSocket.NotAWebSocket:
            self.init(.unreachable, "there is no signalling server at \(url)")
        case is NIOConnectionError:
            self.init(.unreachable, "no server answers at \(url)")
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
            self.init(.untrusted, "the certificate of \(url.authority) is not trusted, or it does not speak TLS")
        default: self.init(.unreachable, "the connection to \(url) failed: \(error)")
        }
    }
}
