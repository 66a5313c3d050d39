internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

// MARK: - WebSockets of another HTTP server

/// A channel of the program's own HTTP server is a socket of this server from the request of its upgrade on, or is none. The same rules
/// hold for it as for one that was accepted here.
extension ServerCore {
    /// Decides about a request to upgrade a channel.
    ///
    /// - Returns: The fields of the answer, besides those of RFC 6455; `nil` if the request is refused: then the channel is none of
    ///   this server's.
    func mount(_ channel: any Channel, _ head: HTTPRequestHead) -> HTTPHeaders? {
        guard mounting[ObjectIdentifier(channel)] == nil, let socket = try? count(channel) else { return nil }
        let origin = self.origin(of: head, on: socket)
        guard mayUpgrade(head, origin, socket) else {
            countRefusal(of: head, origin)
            closed(socket)
            return nil
        }
        // Only now: a channel that is refused remains as it was.
        guard (try? boundUnsent(of: channel)) != nil else {
            closed(socket)
            return nil
        }
        watch(socket)
        mounting[ObjectIdentifier(channel)] = socket
        return beginUpgrade(head, socket)
    }

    private func countRefusal(of head: HTTPRequestHead, _ origin: RequestOrigin) {
        if !isHostKnown(origin) {
            countRefusal(.host)
        } else if !isOriginAllowed(head, origin) {
            countRefusal(.origin)
        } else if phase.refusesWebSockets {
            countRefusal(.draining)
        }
    }

    /// Serves a channel whose upgrade is complete, and whose last handlers encode and decode frames.
    ///
    /// - Throws: If its upgrade was not accepted before.
    func serveMounted(_ channel: any Channel) throws {
        guard let socket = mounting.removeValue(forKey: ObjectIdentifier(channel)) else {
            throw ChannelError.operationUnsupported
        }
        let options = channel.syncOptions
        try options?.setOption(.maxMessagesPerRead, value: 1)
        try options?.setOption(.recvAllocator, value: ReadAllocator())
        // A client that has closed its side has left.
        try options?.setOption(.allowRemoteHalfClosure, value: false)
        let own = NIOLoopBound((core: self, socket: socket), eventLoop: loop)
        let inbound = InboundQueue(scheduler, socket) { [unowned self] in isFrameCountAllowed($0, on: own.value.socket)
        }
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
        socket.inbound = inbound
        try pipeline.addHandler(inbound, position: .before(decoder))
        try pipeline.addHandlers(WebSocketHandler(self, socket), QuiescingHandler(self, socket))
        opened(socket)
        // What came with the request is passed on when this returns, without the end of a read.
        loop.execute { own.value.socket.inbound?.resume() }
    }
}

/// Sends a client away when the HTTP server that accepted its connection is about to end.
final class QuiescingHandler: ChannelInboundHandler {
    typealias InboundIn = Never

    private let core: ServerCore
    private let socket: ServerSocket

    init(_ core: ServerCore, _ socket: ServerSocket) {
        self.core = core
        self.socket = socket
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            core.sendAway(socket, retryAfter: .seconds(2), message: nil)
            core.drain()
        }
        context.fireUserInboundEventTriggered(event)
    }
}
