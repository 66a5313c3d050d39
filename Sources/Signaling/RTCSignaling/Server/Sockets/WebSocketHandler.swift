internal import NIOCore
internal import NIOWebSocket

/// Handles the frames of one socket (RFC 6455), and passes complete text messages to the server.
final class WebSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let core: ServerCore
    private let socket: ServerSocket
    /// The fragments of an incomplete message.
    private var unfinished: ByteBuffer? {
        didSet { socket.fragmentBytes = unfinished?.readableBytes ?? 0 }
    }

    init(_ core: ServerCore, _ socket: ServerSocket) {
        self.core = core
        self.socket = socket
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard socket.state != .closing else {
            if frame.opcode == .connectionClose { socket.drop() }
            return
        }
        // RFC 6455, section 5: a client's frames are masked, and without extensions no reserved bit is set.
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return core.close(socket, 1002)
        }
        let payload = frame.unmaskedData
        guard core.countReceived(payload.readableBytes, from: socket) else { return }
        switch frame.opcode {
        case .text where unfinished == nil, .continuation where unfinished != nil:
            assemble(payload, isLast: frame.fin)
        case .ping: socket.write(.pong, payload)
        case .pong: break
        case .connectionClose: core.peerCloses(payload, on: socket)
        case .binary: core.close(socket, 1003)
        default: core.close(socket, 1002)
        }
    }

    private func assemble(_ payload: ByteBuffer, isLast: Bool) {
        var payload = payload
        if unfinished == nil, isLast { return core.received(payload, on: socket) }
        unfinished.setOrWriteBuffer(&payload)
        guard let message = unfinished, message.readableBytes <= core.limits.messageSize else {
            unfinished = nil
            return core.fail(socket, .tooLarge, "The message is too long.")
        }
        guard isLast else { return }
        unfinished = nil
        core.received(message, on: socket)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        core.drain()
        socket.flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !context.channel.isWritable { core.isTooSlow(socket) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? NIOWebSocketError {
        case _ where socket.state == .closing: socket.drop()
        case .invalidFrameLength: core.fail(socket, .tooLarge, "The message is too long.")
        case .some: core.close(socket, 1002)
        case nil: socket.drop()
        }
        core.drain()
    }
}
