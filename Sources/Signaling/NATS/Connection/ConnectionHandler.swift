internal import NIOCore
internal import NIOTLS

/// Passes on what happens to one channel.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private weak var driver: ConnectionDriver?
    private let attempt: Int
    private let isSecuredFirst: Bool
    private var error: (any Error)?

    init(_ driver: ConnectionDriver, attempt: Int, isSecuredFirst: Bool) {
        self.driver = driver
        self.attempt = attempt
        self.isSecuredFirst = isSecuredFirst
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isSecuredFirst { driver?.opened(attempt, context.channel) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            if isSecuredFirst { driver?.opened(attempt, context.channel) } else { driver?.secured(attempt) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        driver?.received(attempt, unwrapInboundIn(data))
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        driver?.writabilityChanged(attempt)
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.error == nil { self.error = error }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        driver?.channelClosed(attempt, error)
        context.fireChannelInactive()
    }
}
