internal import NIOCore

/// A TLS handshake that waits for its turn.
protocol HandshakeTurn: AnyObject {
    /// Whether there are bytes to pass on.
    var isReady: Bool { get }

    /// The held bytes.
    var heldBytes: Int { get }

    /// Passes on the held bytes.
    func serve()

    /// The handshake is complete: from now on, messages take turns after decryption.
    func end()
}

/// Makes TLS handshakes take turns: it holds the client's bytes until then, and reads no more before.
///
/// A handshake costs as much as some dozens of messages, and one network may start hundreds at once. This handler is in front of
/// TLS, and passes everything through after the handshake.
final class HandshakeQueue: ChannelDuplexHandler, HandshakeTurn {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    private let onReady: (Int) -> Void
    private let onEnd: () -> Void
    private var context: ChannelHandlerContext?
    private var waiting = ByteBuffer()
    private var wantsRead = false
    private var isOver = false
    /// The client's widest network, if the handshakes of a loop take turns by it.
    var network: AddressTable.Key?

    /// - Parameters:
    ///   - onReady: Called when bytes wait, with their number. They pass with ``serve()``.
    ///   - onEnd: Called when everything passes.
    init(onReady: @escaping (Int) -> Void, onEnd: @escaping () -> Void = {}) {
        self.onReady = onReady
        self.onEnd = onEnd
    }

    var isReady: Bool { waiting.readableBytes > 0 }

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
        if isReady { onReady(waiting.readableBytes) } else { context.fireChannelReadComplete() }
    }

    func read(context: ChannelHandlerContext) {
        if isReady { wantsRead = true } else { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting = ByteBuffer()
        context.fireChannelInactive()
    }

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

    func end() {
        guard !isOver else { return }
        isOver = true
        onEnd()
    }
}
