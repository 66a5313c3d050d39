package import NIOCore
package import NIOHTTP1

/// Sends a request when its channel is open, and collects the response, over HTTP/1.
package final class HTTPExchange: ChannelInboundHandler {
    package typealias InboundIn = HTTPClientResponsePart
    package typealias OutboundOut = HTTPClientRequestPart

    package struct Request: Sendable {
        package let head: HTTPRequestHead
        package let body: [UInt8]
        package let longestResponse: Int

        /// - Parameters:
        ///   - headers: All of them, `host` and `content-length` too.
        ///   - longestResponse: The maximum length of the response's body in bytes.
        package init(
            _ method: HTTPMethod = .POST, path: String, headers: HTTPHeaders, body: [UInt8], longestResponse: Int
        ) {
            head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
            self.body = body
            self.longestResponse = longestResponse
        }
    }

    package struct Response: Sendable {
        package let status: Int
        package let headers: HTTPHeaders
        package let body: [UInt8]

        package init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// Why there is no response.
    package enum Failure: Error {
        case timedOut, closed, responseTooLong, malformed
    }

    private let request: Request
    private let response: EventLoopPromise<Response>
    private var isSent = false
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    /// Adds what has to be below it, to a channel that may have TLS already. The other end may send 48 KiB more than the body,
    /// whatever it is: endless informational responses, headers and trailers end with the connection.
    package static func addHTTP(to channel: any Channel, for request: Request) throws {
        try channel.pipeline.syncOperations.addHandler(InboundLimitHandler(request.longestResponse + 48 * 1_024))
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
    }

    package init(_ request: Request, _ response: EventLoopPromise<Response>) {
        self.request = request
        self.response = response
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { send(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        send(context)
        context.fireChannelActive()
    }

    private func send(_ context: ChannelHandlerContext) {
        guard !isSent else { return }
        isSent = true
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        if !request.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // 1xx responses are informational.
            self.head = head.status.code >= 200 ? head : nil
        case .body(let part):
            guard body.count + part.readableBytes <= request.longestResponse else {
                return fail(Failure.responseTooLong, context)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let head else { return }
            response.succeed(Response(status: Int(head.status.code), headers: head.headers, body: body))
            context.close(promise: nil)
        }
    }

    /// A handler that is added to a channel which closes at this moment is told nothing else.
    package func handlerRemoved(context: ChannelHandlerContext) {
        response.fail(Failure.closed)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        response.fail(Failure.closed)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error, context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        response.fail(error)
        context.close(promise: nil)
    }
}
