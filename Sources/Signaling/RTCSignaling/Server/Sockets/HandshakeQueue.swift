internal import NIOCore

/// Makes TLS handshakes take turns: it holds the client's bytes until then, and reads no more before.
///
/// A handshake costs as much as some dozens of messages, and one network may start hundreds at once. This handler is in front of
/// TLS, and passes everything through after the handshake.
final class HandshakeQueue: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    private let scheduler: InputScheduler
    private let socket: ServerSocket
    private var context: ChannelHandlerContext?
    private var waiting = ByteBuffer()
    private var wantsRead = false
    private var isOver = false

    init(_ scheduler: InputScheduler, _ socket: ServerSocket) {
        self.scheduler = scheduler
        self.socket = socket
    }

    /// Whether there are bytes to pass on.
    var isReady: Bool { waiting.readableBytes > 0 }

    /// The held bytes.
    var heldBytes: Int { isReady ? waiting.storageCapacity : 0 }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        end()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        // More arrives at once only from a client that has closed its side.
        guard waiting.readableBytes <= InboundQueue.capacity else { return }
        if waiting.readableBytes == 0 { waiting = bytes } else { waiting.writeBuffer(&bytes) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        waiting.fit()
        if isReady { scheduler.add(socket) } else { context.fireChannelReadComplete() }
    }

    func read(context: ChannelHandlerContext) {
        if isReady { wantsRead = true } else { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting = ByteBuffer()
        context.fireChannelInactive()
    }

    /// Passes on the held bytes.
    func serve() {
        guard let context, isReady else { return }
        let bytes = waiting
        waiting = ByteBuffer()
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        guard wantsRead, self.context != nil else { return }
        wantsRead = false
        context.read()
    }

    /// The handshake is complete: from now on, messages take turns after decryption.
    func end() {
        isOver = true
        if socket.handshake === self { socket.handshake = nil }
    }
}
