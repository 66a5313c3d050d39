internal import NIOCore

/// Reads the header of the PROXY protocol at the beginning of a connection of a trusted proxy, and is removed then.
///
/// It is in front of everything else, TLS included.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let core: ServerCore
    private let socket: ServerSocket
    private var waiting = ByteBuffer()
    private var isOver = false
    private var isRefused = false

    init(_ core: ServerCore, _ socket: ServerSocket) {
        self.core = core
        self.socket = socket
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return context.fireChannelRead(data) }
        guard !isRefused else { return }
        var bytes = unwrapInboundIn(data)
        waiting.writeBuffer(&bytes)
        switch ProxyHeader.read(Array(waiting.readableBytesView.prefix(ProxyHeader.maximumLength))) {
        case .incomplete: waiting.fit()
        case .header(let header):
            waiting.moveReaderIndex(forwardBy: min(header.length, waiting.readableBytes))
            goOn(header, context)
        case .absent where core.configuration.proxies.proxyProtocol != .required: goOn(nil, context)
        case .absent, .malformed:
            core.countMalformedForwarding(1)
            refuse(context)
        }
    }

    private func goOn(_ header: ProxyHeader?, _ context: ChannelHandlerContext) {
        guard core.identify(socket, by: header) else { return refuse(context) }
        isOver = true
        let rest = waiting
        waiting = ByteBuffer()
        if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        waiting = ByteBuffer()
        context.close(promise: nil)
    }
}
