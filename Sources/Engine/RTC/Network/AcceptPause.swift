internal import NIOCore

/// Pauses a listener for a second when a connection cannot be accepted.
///
/// Without free descriptors, the kernel reports the same connection again and again. NIO's own `AcceptBackoffHandler`
/// delays the next read only, and the listener stays registered after a failed read: it would spin after the first
/// second.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private var rest: Scheduled<Void>?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is IOError, rest == nil {
            let channel = context.channel
            try? channel.syncOptions?.setOption(.autoRead, value: false)
            rest = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
                self?.rest = nil
                try? channel.syncOptions?.setOption(.autoRead, value: true)
            }
        }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        rest?.cancel()
        rest = nil
        context.fireChannelInactive()
    }
}
