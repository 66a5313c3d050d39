package import NIOCore

/// Ends a connection whose other end says more than its requests ask for, whatever the protocol above makes of it: endless
/// informational responses, headers, trailers, frames.
package final class InboundLimitHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    private var rest: Int

    /// The maximum of what is granted at a time, in bytes: answers are shorter than they may be, and that is not saved up.
    private static let most = 2 * 1_048_576

    /// - Parameter bytes: The number of bytes that are accepted before anything was granted.
    package init(_ bytes: Int) {
        rest = bytes
    }

    /// Accepts more bytes.
    package func grant(_ bytes: Int) {
        rest = min(rest + bytes, Self.most)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        guard count <= rest else {
            rest = 0
            context.fireErrorCaught(HTTPExchange.Failure.responseTooLong)
            return context.close(promise: nil)
        }
        rest -= count
        context.fireChannelRead(data)
    }
}
