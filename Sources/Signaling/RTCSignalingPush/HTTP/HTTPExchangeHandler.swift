internal import NIOCore
internal import NIOHTTP1

/// A request of the method POST.
struct HTTPRequest: Sendable {
    var path: String
    var headers: HTTPHeaders
    var body: [UInt8]
}

struct HTTPResponse: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
}

/// Why there is no response.
enum HTTPFailure: Error {
    case timedOut
    case closed
    case responseTooLong
    case malformed
}

/// Sends a request when its channel is open, and collects the response, over HTTP/1.
final class HTTPExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequest
    private let response: EventLoopPromise<HTTPResponse>
    private var isSent = false
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    /// The maximum length of a response's body in bytes.
    static let longestBody = 16 * 1024
    /// The maximum length of all that is answered in bytes, whatever is in it.
    private static let longestResponse = 64 * 1024

    /// Adds what has to be below it, to a channel that may have TLS already.
    static func addHTTP(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(InboundLimitHandler(longestResponse))
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
    }

    init(_ request: HTTPRequest, _ response: EventLoopPromise<HTTPResponse>) {
        self.request = request
        self.response = response
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { send(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        send(context)
        context.fireChannelActive()
    }

    private func send(_ context: ChannelHandlerContext) {
        guard !isSent else { return }
        isSent = true
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: request.path, headers: request.headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // 1xx responses are informational.
            self.head = head.status.code >= 200 ? head : nil
        case .body(let part):
            guard body.count + part.readableBytes <= Self.longestBody else {
                return fail(HTTPFailure.responseTooLong, context)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let head else { return }
            response.succeed(HTTPResponse(status: Int(head.status.code), headers: head.headers, body: body))
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        response.fail(HTTPFailure.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error, context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        response.fail(error)
        context.close(promise: nil)
    }
}
