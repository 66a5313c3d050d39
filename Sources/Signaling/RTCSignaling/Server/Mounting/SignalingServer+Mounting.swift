public import NIOCore
internal import NIOHTTP1
public import NIOWebSocket

/// A server within a program that has an HTTP server of its own: docs/servers.md, “In an HTTP server of your own”.
extension SignalingServer {
    /// The event loop with the server's state, as a group of one. A channel that the server is to take over has to be on it, so let the
    /// program's HTTP server use this group. It ends when the server stops: stop the HTTP server before.
    public var eventLoopGroup: any EventLoopGroup { group }

    /// Whether new clients are welcome, as `/readyz` says.
    public var isReady: Bool {
        get async {
            let core = core
            return await work { $0.submit { core.value.reasonAgainstClients == nil } } ?? false
        }
    }

    /// Returns an upgrader for `configureHTTPServerPipeline(withServerUpgrade:)`, by which this server takes WebSockets over from another
    /// HTTP server.
    ///
    /// It looks at the request as this server does at its own: the host name, the origin, what trusted proxies report, the limits of the
    /// client's network, and whether the server stops. What it refuses is not upgraded, and is for the HTTP server to answer. From the
    /// upgrade on, the channel belongs to this server: its limits, deadlines and authentication hold, and it closes it. The handlers of
    /// the program's own routes must be gone by then: remove them in the upgrade's completion handler.
    ///
    /// There is none for `configureUpgradableHTTPServerPipeline(configuration:)`, which keeps the head of a request that asked for an
    /// upgrade in vain from the handlers that are to answer it.
    ///
    /// - Parameter path: The path of the WebSocket; other requests are refused. Clients find the server at `/signal`, unless their URL has
    ///   another path.
    public func webSocketUpgrader(at path: String = "/signal") -> NIOWebSocketServerUpgrader {
        let mount = WebSocketMount(core: core, loop: group.any(), path: path)
        return NIOWebSocketServerUpgrader(
            maxFrameSize: frameSize, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in mount.decide(head, channel) },
            upgradePipelineHandler: { channel, _ in mount.serve(channel) })
    }
}

/// The way of another HTTP server's channels to the server.
private struct WebSocketMount: Sendable {
    let core: NIOLoopBound<ServerCore>
    let loop: any EventLoop
    let path: String

    func decide(_ head: HTTPRequestHead, _ channel: any Channel) -> EventLoopFuture<HTTPHeaders?> {
        guard head.path == path else { return channel.eventLoop.makeSucceededFuture(nil) }
        guard channel.eventLoop === loop else {
            return channel.eventLoop.makeFailedFuture(
                SignalingServerError.setting(
                    "the HTTP server has to use the signalling server's event loops (SignalingServer.eventLoopGroup)"))
        }
        return channel.eventLoop.makeSucceededFuture(core.value.mount(channel, head))
    }

    func serve(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            do {
                try core.value.serveMounted(channel)
            } catch {
                channel.close(promise: nil)
                throw error
            }
        }
    }
}
