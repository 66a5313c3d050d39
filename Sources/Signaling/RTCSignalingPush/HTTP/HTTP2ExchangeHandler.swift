internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2
internal import OAuth

/// Sends a request when its stream of HTTP/2 is open, and collects the response.
///
/// It stands in place of the codec to HTTP/1 that NIOHTTP2 has: that one traps at a `:status` that is empty or negative, and lets the
/// fields of each request into HPACK's table, whose size the server chooses.
final class HTTP2ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let request: HTTPExchange.Request
    private let onEnd: (Result<HTTPExchange.Response, any Error>) -> Void
    private var isSent = false
    private var hasEnded = false
    private var status: Int?
    private var body: [UInt8] = []

    /// - Parameter onEnd: Called once, on the event loop.
    init(_ request: HTTPExchange.Request, onEnd: @escaping (Result<HTTPExchange.Response, any Error>) -> Void) {
        self.request = request
        self.onEnd = onEnd
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
        let head = HTTP2Frame.FramePayload.headers(.init(headers: Self.fields(of: request)))
        let body = HTTP2Frame.FramePayload.data(
            .init(data: .byteBuffer(ByteBuffer(bytes: request.body)), endStream: true))
        context.write(wrapOutboundOut(head), promise: nil)
        context.writeAndFlush(wrapOutboundOut(body), promise: nil)
    }

    /// The fields of a request. HPACK remembers only those that each request has, as Apple asks for: otherwise the tokens of
    /// devices would stay in its table, and a server could let that grow without end.
    static func fields(of request: HTTPExchange.Request) -> HPACKHeaders {
        var fields = HPACKHeaders()
        fields.add(name: ":method", value: "POST")
        fields.add(name: ":scheme", value: "https")
        fields.add(name: ":path", value: request.head.uri, indexing: .nonIndexable)
        if let host = request.head.headers.first(name: "host") { fields.add(name: ":authority", value: host) }
        for (name, value) in request.head.headers where name != "host" {
            fields.add(name: name, value: value, indexing: constantFields.contains(name) ? .indexable : .nonIndexable)
        }
        return fields
    }

    private static let constantFields: Set<String> = ["apns-topic", "apns-push-type", "apns-priority"]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let part):
            // What follows the head are trailers.
            if status == nil {
                guard let code = Self.status(of: part.headers) else {
                    return end(.failure(HTTPExchange.Failure.malformed), context)
                }
                // 1xx responses are informational.
                if code >= 200 { status = code }
            }
            if part.endStream { finish(context) }
        case .data(let part):
            guard case .byteBuffer(let bytes) = part.data else { return }
            guard body.count + bytes.readableBytes <= request.longestResponse else {
                return end(.failure(HTTPExchange.Failure.responseTooLong), context)
            }
            body.append(contentsOf: bytes.readableBytesView)
            if part.endStream { finish(context) }
        default: return
        }
    }

    /// Three digits, the first of which is not zero (RFC 9110, section 15).
    static func status(of fields: HPACKHeaders) -> Int? {
        guard let text = fields.first(name: ":status"), text.utf8.count == 3,
            text.utf8.allSatisfy({ (48...57).contains($0) }), let code = Int(text), code >= 100
        else { return nil }
        return code
    }

    private func finish(_ context: ChannelHandlerContext) {
        guard let status else { return end(.failure(HTTPExchange.Failure.malformed), context) }
        end(.success(HTTPExchange.Response(status: status, headers: [:], body: body)), context)
    }

    /// A handler that is added to a stream which closes at this moment is told nothing else.
    func handlerRemoved(context: ChannelHandlerContext) {
        end(.failure(HTTPExchange.Failure.closed), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(HTTPExchange.Failure.closed), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(error), context)
    }

    private func end(_ result: Result<HTTPExchange.Response, any Error>, _ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        hasEnded = true
        onEnd(result)
        context.close(promise: nil)
    }
}
