internal import NIOCore

/// Reads the header of the PROXY protocol at the beginning of a connection of a trusted proxy, and is removed then.
///
/// It is in front of everything else, TLS included.
final class ProxyHeaderHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    private enum State {
        case reading
        /// Whether there is room for the client is being found out.
        case asking
        case over
        case refused
    }

    private let isRequired: Bool
    private let identify: (ProxyHeader?, @escaping (Bool) -> Void) -> Void
    private let countMalformed: () -> Void
    private var waiting = ByteBuffer()
    private var state = State.reading
    private var wantsRead = false

    /// The most bytes that wait. More arrive only from a client that has closed its side.
    private static let most = 131_072

    /// - Parameters:
    ///   - isRequired: Whether a connection without a header is closed.
    ///   - identify: Takes the address in the header, or notes that there is none, and says whether there is room for the client: at once
    ///     or later, on the event loop.
    init(
        isRequired: Bool, identify: @escaping (ProxyHeader?, @escaping (Bool) -> Void) -> Void,
        countMalformed: @escaping () -> Void
    ) {
        self.isRequired = isRequired
        self.identify = identify
        self.countMalformed = countMalformed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .over else { return context.fireChannelRead(data) }
        guard state != .refused, waiting.readableBytes <= Self.most else { return }
        var bytes = unwrapInboundIn(data)
        waiting.writeBuffer(&bytes)
        guard state == .reading else { return }
        switch ProxyHeader.read(Array(waiting.readableBytesView.prefix(ProxyHeader.maximumLength))) {
        case .incomplete: waiting.fit()
        case .header(let header):
            waiting.moveReaderIndex(forwardBy: min(header.length, waiting.readableBytes))
            ask(header, context)
        case .absent where !isRequired: ask(nil, context)
        case .absent, .malformed:
            countMalformed()
            refuse(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if state == .asking { wantsRead = true } else { context.read() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if state == .asking { state = .refused }
        waiting = ByteBuffer()
    }

    private func ask(_ header: ProxyHeader?, _ context: ChannelHandlerContext) {
        state = .asking
        identify(header) { [self] isAdmitted in
            guard state == .asking else { return }
            if isAdmitted { goOn(context) } else { refuse(context) }
        }
    }

    private func goOn(_ context: ChannelHandlerContext) {
        state = .over
        let rest = waiting
        waiting = ByteBuffer()
        if rest.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(rest))
            context.fireChannelReadComplete()
        }
        if wantsRead {
            wantsRead = false
            context.read()
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        state = .refused
        waiting = ByteBuffer()
        context.close(promise: nil)
    }
}
