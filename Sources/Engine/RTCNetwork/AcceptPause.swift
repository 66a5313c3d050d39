package import NIOCore

/// Pauses a listener for a second when a connection cannot be accepted.
///
/// Without free file descriptors, the kernel reports the same connection again and again. NIO's `AcceptBackoffHandler` delays the
/// next read only, while the listener stays registered after a failed read: it would spin once the first second is over.
package final class AcceptPause: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private var rest: Scheduled<Void>?

    package init() {}

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
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

    package func channelInactive(context: ChannelHandlerContext) {
        rest?.cancel()
        rest = nil
        context.fireChannelInactive()
    }
}
