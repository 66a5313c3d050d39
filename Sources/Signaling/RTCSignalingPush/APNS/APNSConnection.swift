internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import OAuth

/// A connection to Apple's push service, which stays open, and is made again when it is lost. One event loop owns it.
///
/// Apple takes connections that come and go for an attack.
final class APNSConnection {
    private let loop: any EventLoop
    private let server: HTTPServer
    private let timeout: TimeAmount
    private let log: FailureLog
    private var state = State.closed
    /// No attempt to connect before that.
    private var nextAttempt: NIODeadline = .now()
    private var delay = APNSConnection.firstDelay

    private enum State {
        case closed
        case opening(EventLoopFuture<Open>)
        case open(Open)
    }

    private struct Open: Sendable {
        var channel: any Channel
        var streams: NIOHTTP2Handler.StreamMultiplexer
    }

    /// There was a failure a moment ago, and another attempt comes later.
    struct Pause: Error {
        var rest: Duration
    }

    private static let firstDelay = TimeAmount.milliseconds(250)
    private static let longestDelay = TimeAmount.seconds(8)

    /// - Parameter timeout: The time limit of a request, the connection included.
    init(
        _ server: HTTPServer, timeout: Duration, _ log: FailureLog, on loop: any EventLoop
    ) {
        self.loop = loop
        self.log = log
        self.server = server
        self.timeout = TimeAmount(timeout)
    }

    func send(_ request: HTTPExchange.Request) -> EventLoopFuture<HTTPExchange.Response> {
        let response = loop.makePromise(of: HTTPExchange.Response.self)
        let own = NIOLoopBound(self, eventLoop: loop)
        let used = open()
        let expiry = loop.scheduleTask(in: timeout) {
            response.fail(HTTPExchange.Failure.timedOut)
            // A path that has died in silence would take the next request too.
            used.whenSuccess { own.value.leave($0.channel) }
        }
        response.futureResult.whenComplete { _ in expiry.cancel() }
        used.whenComplete { result in
            switch result {
            case .failure(let error): response.fail(error)
            case .success(let open):
                open.streams.createStreamChannel { stream in
                    stream.eventLoop.makeCompletedFuture {
                        let pipeline = stream.pipeline.syncOperations
                        try pipeline.addHandler(HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https))
                        try pipeline.addHandler(HTTPExchange(request, response))
                    }
                }
                .whenComplete { result in
                    switch result {
                    case .success(let stream): response.futureResult.whenComplete { _ in stream.close(promise: nil) }
                    case .failure(let error):
                        response.fail(error)
                        own.value.leave(open.channel)
                    }
                }
            }
        }
        return response.futureResult
    }

    /// Opens another connection for requests that follow.
    func leave() {
        if case .open(let open) = state { leave(open.channel) }
    }

    func close() {
        switch state {
        case .closed: break
        case .opening(let future): future.whenSuccess { $0.channel.close(promise: nil) }
        case .open(let open): open.channel.close(promise: nil)
        }
        state = .closed
    }

    private func open() -> EventLoopFuture<Open> {
        switch state {
        case .open(let open): return loop.makeSucceededFuture(open)
        case .opening(let future): return future
        case .closed: break
        }
        let rest = nextAttempt - .now()
        guard rest <= .nanoseconds(0) else {
            return loop.makeFailedFuture(Pause(rest: .nanoseconds(rest.nanoseconds)))
        }
        let future = connect()
        state = .opening(future)
        let own = NIOLoopBound(self, eventLoop: loop)
        future.whenComplete { own.value.opened($0) }
        return future
    }

    private func connect() -> EventLoopFuture<Open> {
        let log = log
        let own = NIOLoopBound(self, eventLoop: loop)
        return server.connect(on: loop, timeout: timeout) { channel in
            let pipeline = channel.pipeline.syncOperations
            // Apple's service speaks nothing else.
            _ = try pipeline.configureHTTP2Pipeline(
                mode: .client, connectionConfiguration: .init(), streamConfiguration: .init()
            ) { $0.close() }
            let handler = APNSConnectionHandler {
                own.value.leave(channel)
            } onError: {
                log.report("Apple's push service cannot be reached: \(WebhookSender.cause($0))")
            }
            try pipeline.addHandler(handler)
        }
        .flatMapThrowing { channel in
            let http = try channel.pipeline.syncOperations.handler(type: NIOHTTP2Handler.self)
            return Open(channel: channel, streams: try http.syncMultiplexer())
        }
    }

    private func opened(_ result: Result<Open, any Error>) {
        guard case .opening = state else {
            // It was closed meanwhile.
            if case .success(let open) = result { open.channel.close(promise: nil) }
            return
        }
        switch result {
        case .success(let open):
            state = .open(open)
            let (own, channel) = (NIOLoopBound(self, eventLoop: loop), open.channel)
            // Counted from the beginning: one that ends at once was no success.
            nextAttempt = .now() + delay
            channel.closeFuture.whenComplete { _ in own.value.lost(channel) }
        case .failure:
            state = .closed
            pause()
        }
    }

    /// A connection has ended.
    private func lost(_ channel: any Channel) {
        guard case .open(let open) = state, open.channel === channel else { return }
        state = .closed
        pause()
    }

    /// Requests that follow use another connection; this one ends with its last request.
    private func leave(_ channel: any Channel) {
        guard case .open(let open) = state, open.channel === channel else { return }
        state = .closed
        loop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    }

    private func pause() {
        nextAttempt = .now() + delay
        delay = min(delay + delay, Self.longestDelay)
    }

    /// Notes that the service has answered.
    func noteAnswer() {
        delay = Self.firstDelay
        nextAttempt = .now()
    }
}

/// Sees what concerns the whole connection: that it is about to end, or that nobody is there any more.
private final class APNSConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let onGoAway: () -> Void
    private let onError: (any Error) -> Void
    private var pings: RepeatedTask?
    private var isPinged = false

    /// Apple recommends a ping now and then. A NAT forgets a silent connection after a few minutes.
    private static let pingInterval = TimeAmount.seconds(60)

    /// - Parameters:
    ///   - onGoAway: Called on the event loop.
    ///   - onError: Called with the error that ends the connection.
    init(onGoAway: @escaping () -> Void, onError: @escaping (any Error) -> Void) {
        self.onGoAway = onGoAway
        self.onError = onError
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let own = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        pings = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.pingInterval, delay: Self.pingInterval) { _ in
            own.value.handler.ping(own.value.context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        pings?.cancel()
    }

    private func ping(_ context: ChannelHandlerContext) {
        guard !isPinged else { return context.close(promise: nil) }
        isPinged = true
        let frame = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: 1), ack: false))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .goAway: onGoAway()
        case .ping(_, ack: true): isPinged = false
        default: break
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An error of one stream concerns that stream.
        if error is NIOHTTP2Errors.StreamError { return }
        onError(error)
        context.close(promise: nil)
    }
}
