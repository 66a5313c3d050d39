#if os(Linux)
    internal import NIOCore
    internal import NIOHTTP1
    internal import Synchronization

    /// A request, with the promise of its response.
    struct HTTPExchange: Sendable {
        let head: HTTPRequestHead
        let body: [UInt8]
        let answer: EventLoopPromise<OAuthResponse>

        struct TimedOut: Error {}
        struct TooLong: Error {}
        struct Closed: Error {}

        init(_ request: OAuthRequest, host: String, port: Int, _ answer: EventLoopPromise<OAuthResponse>) {
            let address = request.address
            var headers = HTTPHeaders([
                ("Host", address.authority ?? host), ("User-Agent", "duet"), ("Connection", "close"),
            ])
            for header in request.headers { headers.add(name: header.name, value: header.value) }
            if request.method == .post { headers.add(name: "Content-Length", value: "\(request.body.count)") }
            let path = (address.path.isEmpty ? "/" : address.path) + (address.query.map { "?" + $0 } ?? "")
            head = HTTPRequestHead(
                version: .http1_1, method: request.method == .post ? .POST : .GET, uri: path, headers: headers)
            body = request.body
            self.answer = answer
        }
    }

    /// The channel of a request once there is one, so that it can be closed on cancellation.
    final class OpenChannel: Sendable {
        private let state = Mutex((channel: (any Channel)?.none, isClosed: false))

        func keep(_ channel: any Channel) {
            let isClosed = state.withLock { state in
                state.channel = channel
                return state.isClosed
            }
            if isClosed { channel.close(promise: nil) }
        }

        func close() {
            let channel = state.withLock { state in
                state.isClosed = true
                return state.channel
            }
            channel?.close(promise: nil)
        }
    }

    /// Sends the request when the connection is open, and collects the response, up to a limit.
    final class HTTPExchangeHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundOut = HTTPClientRequestPart

        private let exchange: HTTPExchange
        private var head: HTTPResponseHead?
        private var body: [UInt8] = []

        init(_ exchange: HTTPExchange) {
            self.exchange = exchange
        }

        func channelActive(context: ChannelHandlerContext) {
            context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
            if !exchange.body.isEmpty {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: exchange.body)))), promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                // 1xx responses are informational.
                self.head = head.status.code >= 200 ? head : nil
            case .body(let part):
                guard body.count + part.readableBytes <= OAuthRequest.longestResponse else {
                    return fail(HTTPExchange.TooLong(), context)
                }
                body.append(contentsOf: part.readableBytesView)
            case .end:
                guard let head else { return }
                exchange.answer.succeed(
                    OAuthResponse(
                        status: Int(head.status.code), body: body,
                        lifetime: OAuthResponse.lifetime(head.headers["cache-control"].joined(separator: ","))))
                context.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            exchange.answer.fail(HTTPExchange.Closed())
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            fail(error, context)
        }

        private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
            exchange.answer.fail(error)
            context.close(promise: nil)
        }
    }
#endif
