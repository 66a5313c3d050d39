import NIOCore
import NIOHTTP1

/// Waits for the first request that the signalling server does not take, and lets the connection become one of the HTTP server's.
///
/// Closes a connection that has sent no request in time, or none when the HTTP server is about to end: until the first request, nobody
/// else does, and a server that waits for the end of its connections would wait for as long as a client likes.
final class FirstRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private static let limit = TimeAmount.seconds(10)
    private let becomeHTTP: (any Channel) -> Void
    private let leave: () -> Void
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - becomeHTTP: Adds the HTTP server's handlers. Called when the first part of a request has come.
    ///   - leave: Called when the connection has ended, or is no HTTP server's any more.
    init(becomeHTTP: @escaping (any Channel) -> Void, leave: @escaping () -> Void) {
        self.becomeHTTP = becomeHTTP
        self.leave = leave
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: Self.limit) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        leave()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        becomeHTTP(context.channel)
        var part = unwrapInboundIn(data)
        if case .head(var head) = part, head.headers.contains(name: "Upgrade") {
            // SwiftNIO reads nothing after a request that asked for an upgrade.
            head.headers.remove(name: "Upgrade")
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            part = .head(head)
        }
        context.fireChannelRead(wrapInboundOut(part))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
