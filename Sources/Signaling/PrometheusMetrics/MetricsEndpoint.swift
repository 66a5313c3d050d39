internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// Serves the metrics of a factory at `/metrics`, over HTTP on a port and a thread of their own: it answers when the server does not.
///
/// Each connection has one request, and 10 seconds for it. Metrics have no names of users and no addresses, but nobody asks for a
/// password here: listen where only the monitoring reaches.
package final class MetricsEndpoint: Sendable {
    package struct Limits: Sendable {
        /// The maximum number of connections at the same time. Another one takes the place of the one that has waited for longest
        /// without a complete request, so that nobody shuts the monitoring out by connecting and saying nothing.
        package var connections = 32
        /// How long a connection may last.
        package var time: Duration = .seconds(10)
        /// The maximum length of a request's head in bytes.
        package var headSize = 8 * 1024
        /// How old an answer may be: who asks all the time costs no more than that.
        package var age: Duration = .milliseconds(100)

        package init() {}
    }

    /// The reason why it cannot listen.
    package struct StartError: Error, CustomStringConvertible {
        package var description: String
    }

    package let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - address: An address of this machine.
    ///   - port: 0 lets the system choose.
    package static func start(
        _ factory: PrometheusMetricsFactory, address: String = "127.0.0.1", port: Int, limits: Limits = Limits()
    ) async throws(StartError) -> MetricsEndpoint {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let shared = Shared(factory, limits, startTime: ProcessFigures.time())
        do {
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try shared.accept(channel) }
                }
                .bind(host: address, port: port).get()
            return MetricsEndpoint(group, listener, port)
        } catch {
            try? await group.shutdownGracefully()
            throw StartError(description: "cannot listen on \(address):\(port): \(error)")
        }
    }

    private init(_ group: MultiThreadedEventLoopGroup, _ listener: any Channel, _ port: Int) {
        self.group = group
        self.listener = listener
        self.port = listener.localAddress?.port ?? port
    }

    /// Closes everything.
    package func stop() async {
        try? await listener.close().get()
        try? await group.shutdownGracefully()
    }
}

/// What all connections share.
private final class Shared: Sendable {
    private let factory: PrometheusMetricsFactory
    private let limits: MetricsEndpoint.Limits
    private let startTime: Double
    private let state = Mutex(State())

    private struct State {
        /// The connections, without those that are being closed in favour of others.
        var open: Set<ObjectIdentifier> = []
        /// Those without a complete request, earliest first.
        var waiting: [any Channel] = []
        /// The last answers.
        var texts: [MetricText: (text: String, time: NIODeadline)] = [:]
    }

    init(_ factory: PrometheusMetricsFactory, _ limits: MetricsEndpoint.Limits, startTime: Double) {
        self.factory = factory
        self.limits = limits
        self.startTime = startTime
    }

    /// - Throws: If there are too many connections; this one is closed then.
    func accept(_ channel: any Channel) throws {
        let count = admit(channel)
        channel.closeFuture.whenComplete { [self] _ in
            hasRequest(channel)
            state.withLock { _ = $0.open.remove(ObjectIdentifier(channel)) }
        }
        guard count <= limits.connections else { throw ChannelError.operationUnsupported }
        let end = channel.eventLoop.scheduleTask(in: TimeAmount(limits.time)) {
            channel.close(mode: .all, promise: nil)
        }
        channel.closeFuture.whenComplete { _ in end.cancel() }
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.headSize
        decoding.maxHeaderListSize = limits.headSize
        decoding.maxHeaderFieldCount = 100
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: decoding)
        try channel.pipeline.syncOperations.addHandler(MetricsHandler(self))
    }

    /// Counts a connection.
    ///
    /// - Returns: The number of connections, without one that is closed in favour of this one.
    private func admit(_ channel: any Channel) -> Int {
        let (count, displaced) = state.withLock { state -> (Int, (any Channel)?) in
            let isFull = state.open.count >= limits.connections
            let displaced = isFull && !state.waiting.isEmpty ? state.waiting.removeFirst() : nil
            if let displaced { state.open.remove(ObjectIdentifier(displaced)) }
            state.open.insert(ObjectIdentifier(channel))
            state.waiting.append(channel)
            return (state.open.count, displaced)
        }
        displaced?.close(mode: .all, promise: nil)
        return count
    }

    /// A connection's request is complete, or the connection has ended.
    func hasRequest(_ channel: any Channel) {
        state.withLock { state in state.waiting.removeAll { $0 === channel } }
    }

    func text(_ format: MetricText) -> String {
        let now = NIODeadline.now()
        let age = TimeAmount.nanoseconds(Int64(limits.age / .nanoseconds(1)))
        if let last = state.withLock({ $0.texts[format] }), now - last.time < age { return last.text }
        let text = newText(format)
        state.withLock { $0.texts[format] = (text, now) }
        return text
    }

    private func newText(_ format: MetricText) -> String {
        var registry = factory.snapshot
        ProcessFigures.current().add(to: &registry, startTime: startTime)
        return format.text(of: registry)
    }
}

/// Answers the first request of a connection, and closes.
private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let shared: Shared
    private var head: HTTPRequestHead?
    private var isAnswered = false

    init(_ shared: Shared) {
        self.shared = shared
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        // No request needs a body.
        case .body: context.close(promise: nil)
        case .end:
            guard let head else { return }
            isAnswered = true
            shared.hasRequest(context.channel)
            // What else comes is not even read.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            answer(head, context)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let isMetrics = head.uri.prefix { $0 != "?" } == "/metrics"
        guard isMetrics else { return respond(.notFound, "metrics are at /metrics\n", "text/plain", head, context) }
        guard head.method == .GET || head.method == .HEAD else {
            return respond(.methodNotAllowed, "only GET and HEAD\n", "text/plain", head, context)
        }
        let format = MetricText(accept: head.headers["accept"])
        respond(.ok, shared.text(format), format.contentType, head, context)
    }

    private func respond(
        _ status: HTTPResponseStatus, _ text: String, _ contentType: String, _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let body = ByteBuffer(string: text)
        var fields = HTTPHeaders([
            ("Content-Type", contentType), ("Content-Length", "\(body.readableBytes)"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), ("Connection", "close"),
        ])
        if status == .methodNotAllowed { fields.add(name: "Allow", value: "GET, HEAD") }
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))), promise: nil)
        if head.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
