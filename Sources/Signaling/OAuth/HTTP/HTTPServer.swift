package import NIOCore
package import NIOPosix
package import RTCCrypto

/// A server to which requests are sent, with TLS 1.2 or newer if it is secure.
package struct HTTPServer: Sendable {
    private let host: String
    private let port: Int
    private let tls: ClientTLS?
    private let resolver: (any Resolver & Sendable)?

    /// - Parameters:
    ///   - trustedFile: Certificate authorities in PEM, in place of the system's.
    ///   - protocols: Those that ALPN offers.
    ///   - resolver: Looks up the host's addresses, in place of the system.
    /// - Throws: If the trusted certificates cannot be read.
    package init(
        _ host: String, port: Int, isSecure: Bool, trustedFile: String?, protocols: [String] = ["http/1.1"],
        resolver: (any Resolver & Sendable)? = nil
    ) throws(ClientTLS.UnreadableTrust) {
        self.host = host
        self.port = port
        self.resolver = resolver
        tls = isSecure ? try ClientTLS(trustedFile: trustedFile, protocols: protocols) : nil
    }

    /// Connects, and adds handlers behind those of TLS to each channel: there may be one for each address of the host, of which
    /// the result is connected.
    ///
    /// - Parameter timeout: The time limit for the connection, in which TLS is not included.
    package func connect(
        on loop: any EventLoop, timeout: TimeAmount, addHandlers: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let (host, tls) = (host, tls)
        return ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .resolver(resolver)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(tls.handler(for: host)) }
                    try addHandlers(channel)
                }
            }
            .connect(host: host, port: port)
    }

    /// Sends a request over a connection of its own, which ends when the task is cancelled. No redirect is followed.
    ///
    /// - Parameter timeout: The time limit of all of it.
    /// - Throws: ``HTTPExchange/Failure``, `CancellationError`, and errors of SwiftNIO.
    package func response(
        to request: HTTPExchange.Request, within timeout: Duration
    ) async throws -> HTTPExchange.Response {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let response = loop.makePromise(of: HTTPExchange.Response.self)
        let limit = TimeAmount(timeout)
        let expiry = loop.scheduleTask(in: limit) { response.fail(HTTPExchange.Failure.timedOut) }
        defer { expiry.cancel() }
        connect(on: loop, timeout: limit) { try HTTPExchange.addHTTP(to: $0, for: request) }
            .flatMapThrowing { channel in
                response.futureResult.whenComplete { _ in channel.close(promise: nil) }
                try channel.pipeline.syncOperations.addHandler(HTTPExchange(request, response))
            }
            .whenFailure { response.fail($0) }
        return try await withTaskCancellationHandler {
            try await response.futureResult.get()
        } onCancel: {
            response.fail(CancellationError())
        }
    }
}
