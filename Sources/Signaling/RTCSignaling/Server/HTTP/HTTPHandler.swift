internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import PrometheusMetrics

/// Answers requests for pages and metrics, and upgrades `/signal` to a WebSocket.
final class HTTPHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let core: ServerCore
    private let socket: ServerSocket
    private var request: HTTPRequestHead?
    /// Host and scheme of the request that is being read.
    private var origin: RequestOrigin?

    private init(_ core: ServerCore, _ socket: ServerSocket) {
        self.core = core
        self.socket = socket
    }

    static func addHTTP(to channel: any Channel, _ core: ServerCore, _ socket: ServerSocket) throws {
        let handler = HTTPHandler(core, socket)
        let own = NIOLoopBound((core: core, socket: socket, handler: handler), eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: core.limits.messageSize, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(own.value.handler.headersForUpgrade(head))
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let (core, socket, handler) = own.value
                    core.opened(socket)
                    try channel.pipeline.syncOperations.addHandler(WebSocketHandler(core, socket))
                    channel.pipeline.syncOperations.removeHandler(handler, promise: nil)
                }
            })
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }), withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: decoderLimits)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    /// More than browsers and proxies send, and little to keep for each of many sockets.
    private static var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 * 1024
        limits.maxHeaderListSize = 16 * 1024
        limits.maxHeaderFieldCount = 100
        return limits
    }

    /// Accepts an upgrade: from then on, what the client sends are frames.
    ///
    /// - Returns: `nil` if the request may not be upgraded; it is then answered like any other.
    private func headersForUpgrade(_ head: HTTPRequestHead) -> HTTPHeaders? {
        let origin = core.origin(of: head, on: socket)
        self.origin = origin
        guard head.path == SignalingProtocol.path, core.mayUpgrade(head, origin, socket) else { return nil }
        return core.beginUpgrade(head, socket)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = head
            if origin == nil { origin = core.origin(of: head, on: socket) }
        // No request needs a body; its bytes are dropped, up to the limits of a request.
        case .body: return
        case .end:
            guard let head = request, let origin else { return }
            request = nil
            self.origin = nil
            // A client that sends requests without reading responses gets no more.
            guard context.channel.isWritable else { return context.close(promise: nil) }
            core.countRequest(socket)
            answer(head, origin, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The request arrives here next, and is answered like any other.
        if error as? NIOWebSocketUpgradeError == .unsupportedWebSocketTarget { return }
        context.close(promise: nil)
    }

    private func answer(_ head: HTTPRequestHead, _ origin: RequestOrigin, _ context: ChannelHandlerContext) {
        guard origin.hasRoom else {
            return respond(
                .tooManyRequests, "too many connections of this network\n", head, context,
                [("Retry-After", "5"), ("Connection", "close")])
        }
        guard core.isHostKnown(origin) else {
            core.countRefusal(.host)
            return respond(
                .misdirectedRequest, "this server does not have this name (duet serve --server-name)\n", head, context)
        }
        guard head.method == .GET || head.method == .HEAD else {
            return respond(.methodNotAllowed, "only GET and HEAD\n", head, context, [("Allow", "GET, HEAD")])
        }
        switch head.path {
        case SignalingProtocol.path where !core.isOriginAllowed(head, origin):
            core.countRefusal(.origin)
            respond(.forbidden, "this origin is not allowed\n", head, context)
        case SignalingProtocol.path where core.phase.refusesWebSockets:
            core.countRefusal(.draining)
            respond(.serviceUnavailable, "stopping\n", head, context, [("Retry-After", "2")])
        case SignalingProtocol.path:
            respond(.upgradeRequired, "this is for WebSockets\n", head, context, [("Upgrade", "websocket")])
        case "/healthz":
            respond(.ok, "ok\n", head, context)
        case "/readyz":
            let reason = core.reasonAgainstClients
            respond(reason == nil ? .ok : .serviceUnavailable, "\(reason ?? "ready")\n", head, context)
        case "/metrics" where core.configuration.servesMetrics:
            let format = MetricText(accept: head.headers["accept"])
            respond(.ok, ByteBuffer(string: core.statistics.text(format)), format.contentType, head, context)
        default:
            guard let file = core.configuration.page.file(for: head.uri) else {
                return respond(.notFound, "there is nothing here\n", head, context)
            }
            let body = core.pageBuffers.buffer(of: file, at: head.uri)
            if head.method == .GET { core.chargeFile(file.body.count, to: socket) }
            respond(.ok, body, file.contentType, head, context, core.configuration.page.headers)
        }
    }

    private func respond(
        _ status: HTTPResponseStatus, _ text: String, _ head: HTTPRequestHead, _ context: ChannelHandlerContext,
        _ headers: [(name: String, value: String)] = []
    ) {
        respond(status, ByteBuffer(string: text), "text/plain; charset=utf-8", head, context, headers)
    }

    private func respond(
        _ status: HTTPResponseStatus, _ body: ByteBuffer, _ contentType: String, _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext, _ headers: [(name: String, value: String)] = []
    ) {
        var fields = HTTPHeaders([
            ("Content-Type", contentType), ("Content-Length", "\(body.readableBytes)"), ("Cache-Control", "no-cache"),
            ("X-Content-Type-Options", "nosniff"),
        ])
        for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
        core.record(head, status: Int(status.code), bytes: body.readableBytes, on: socket)
        // A draining server keeps no connection of HTTP.
        let isKept =
            head.isKeepAlive && !core.phase.isStopping && !core.phase.refusesWebSockets
            && fields.first(name: "connection") != "close"
        if !isKept { fields.replaceOrAdd(name: "Connection", value: "close") }
        let answer = HTTPResponseHead(version: head.version, status: status, headers: fields)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let end = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if !isKept {
            let channel = context.channel
            end.whenComplete { _ in channel.close(mode: .all, promise: nil) }
        }
    }
}

extension ServerCore {
    /// Counts a complete request; the next one has a time limit of its own.
    func countRequest(_ socket: ServerSocket) {
        socket.deadline = now + limits.signInTimeout
        socket.requestBytes = 0
        socket.hasAnswered = true
        charge(socket, messages: 1)
        countRequest()
    }
}
