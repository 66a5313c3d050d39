public import CoreMetrics
public import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import RTCNetwork
public import Tracing

/// A signalling server: WebSockets at `/signal`, the call page and its files, `/healthz`, `/readyz` and `/metrics`.
///
/// docs/signaling.md specifies the protocol. One event loop owns the state, and the sockets too unless there are more loops
/// (``Configuration/eventLoops``). Stop a server before you release it.
public final class SignalingServer: Sendable {
    public struct Configuration: Sendable {
        /// The local address or host name to listen on. `0.0.0.0` and `::` mean all addresses.
        public var host = "127.0.0.1"
        /// The port; 0 lets the system choose.
        public var port = 0
        /// Whether it listens on ``host`` and ``port``. One that does not has the WebSockets that an HTTP server of the program's own hands
        /// over to it: see ``SignalingServer/webSocketUpgrader(at:)``.
        public var listens = true
        /// The certificate and its key; `nil` for a server without TLS, behind a proxy or on this machine.
        public var tls: TLS?
        /// The host names under which browsers may request the server, in addition to `host`, `localhost`, IP
        /// addresses, and the names in the certificate: `calls.example.org`, or `*` for all. Requests with another name
        /// are refused, to prevent DNS rebinding.
        public var names: Set<String> = []
        /// Decides who may sign in. By default everybody, under any name that is not in use.
        public var authenticator: any Authenticator = OpenAuthenticator()
        /// The ICE servers that every client receives when it signs in.
        public var iceServers: [SignalingICEServer] = []
        /// The credentials for TURN servers of `iceServers` without a username.
        public var relayCredentials: RelayCredentials?
        /// Origins whose web pages may connect, in addition to the server's own: `https://example.org`, or `*` for all.
        public var allowedOrigins: Set<String> = []
        /// The files for browsers, such as ``StaticPage/call``; by default none.
        public var page = StaticPage.none
        /// Whether `/metrics` is served, to everybody who reaches the server.
        public var servesMetrics = false
        /// The reverse proxies in front of the server. By default none, and nothing is believed.
        public var proxies = ProxyTrust()
        /// Called on one event loop for each request and each session that ends. It must not block.
        public var accessLog: (@Sendable (AccessRecord) -> Void)?
        public var limits = ServerLimits()
        /// The number of event loops, each with a thread. With one, it has everything; with more, the first has the state, and the others
        /// the sockets and TLS: docs/servers.md, “Event loops”. A server that does not listen has one.
        public var eventLoops = 1
        /// The service that wakes the devices of users without a connection; `nil` for none: such users are unavailable.
        public var pushes: PushService?
        public var logger = Logger(label: "duet.signaling.server")
        /// The back end of the server's metrics: docs/servers.md, “Metrics”. By default that of `MetricsSystem`.
        public var metrics: (any MetricsFactory)?
        /// The tracer of sessions and calls: docs/servers.md, “Traces”. By default that of `InstrumentationSystem`.
        public var tracer: (any Tracer)?
        /// The log through which the server shares its users and calls with other servers; `nil`: it keeps them alone.
        public var log: (any ExchangeLog)?

        public init() {}
    }

    /// A certificate and its private key, in PEM files.
    public struct TLS: Sendable {
        /// The file with the certificate, followed by those of intermediate authorities.
        package var certificateFile: String
        package var privateKeyFile: String

        public init(certificateFile: String, privateKeyFile: String) {
            self.certificateFile = certificateFile
            self.privateKeyFile = privateKeyFile
        }
    }

    /// The address on which it listens; the port is 0 if it does not listen.
    public let host: String
    public let port: Int
    package let isSecure: Bool

    let group: MultiThreadedEventLoopGroup
    /// The loops of the sockets, if they are others.
    private let sockets: SocketLoops?
    private let listener: (any Channel)?
    let core: NIOLoopBound<ServerCore>
    private let tasks: ServerTasks
    private let mail: Mailbox
    /// The most bytes of a WebSocket's frame.
    let frameSize: Int
    private let tls: TLS?
    /// The names of the configuration, without those of the certificate.
    private let names: Set<String>

    /// Starts a server.
    ///
    /// - Throws: ``SignalingServerError``
    public static func start(_ configuration: Configuration) async throws(SignalingServerError) -> SignalingServer {
        let context = try configuration.tls.map(SecureSockets.serverContext)
        var configuration = configuration
        configuration.names.insert(configuration.host)
        let names = configuration.names
        if let tls = configuration.tls { configuration.names.formUnion(SecureSockets.names(in: tls)) }
        return try await start(configuration, context, names)
    }

    private static func start(
        _ configuration: Configuration, _ context: NIOSSLContext?, _ names: Set<String>
    ) async throws(SignalingServerError) -> SignalingServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let count = configuration.listens ? configuration.eventLoops - 1 : 0
        let socketGroup = count > 0 ? MultiThreadedEventLoopGroup(numberOfThreads: count) : nil
        var begun: WayHome?
        do {
            let home = try await loop.submit {
                let core = ServerCore(configuration, on: loop)
                core.tls = context
                return WayHome(
                    core: NIOLoopBound(core, eventLoop: loop), tasks: core.tasks, mail: core.scheduler.mail)
            }.get()
            begun = home
            guard configuration.listens else {
                return SignalingServer(configuration, names, group: group, nil, listener: nil, home)
            }
            let sockets: SocketLoops?
            if let socketGroup {
                let size = configuration.limits.messageSize
                sockets = try await SocketLoops(socketGroup, home, messageSize: size)
            } else {
                sockets = nil
            }
            // With TLS, the beginning of a handshake is read at once.
            let isShort = sockets != nil && context == nil
            let first = isShort ? ReadAllocator.relayedCapacity : ReadAllocator.firstCapacity
            let listener = try await ServerBootstrap(group: group, childGroup: socketGroup ?? group)
                .serverChannelOption(.backlog, value: 1_024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AcceptPause())
                    }
                }
                .childChannelOption(.socketOption(.so_keepalive), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.recvAllocator, value: ReadAllocator(first: first))
                // Sockets on other loops are read when this one asks for more.
                .childChannelOption(.autoRead, value: sockets == nil)
                .childChannelInitializer { channel in
                    if let sockets { return sockets.accept(channel) }
                    return channel.eventLoop.makeCompletedFuture {
                        try home.core.value.accept(channel, tls: home.core.value.tls)
                    }
                }
                .bind(host: configuration.host, port: configuration.port).get()
            return SignalingServer(configuration, names, group: group, sockets, listener: listener, home)
        } catch {
            if let begun {
                await begun.tasks.end(within: .zero) { begun.core.value.exchange.stop() }
                begun.mail.close()
            }
            try? await group.shutdownGracefully()
            try? await socketGroup?.shutdownGracefully()
            throw SignalingServerError(binding: configuration, error)
        }
    }

    private init(
        _ configuration: Configuration, _ names: Set<String>, group: MultiThreadedEventLoopGroup,
        _ sockets: SocketLoops?, listener: (any Channel)?, _ home: WayHome
    ) {
        self.group = group
        self.sockets = sockets
        self.listener = listener
        core = home.core
        tasks = home.tasks
        mail = home.mail
        host = configuration.host
        port = listener.map { $0.localAddress?.port ?? configuration.port } ?? 0
        frameSize = configuration.limits.messageSize
        tls = configuration.tls
        self.names = names
        isSecure = configuration.tls != nil
    }

    /// The URL for clients, such as `ws://127.0.0.1:8080/signal`.
    public var url: String { url(at: reachable) }

    /// The URL of the call page, such as `http://127.0.0.1:8080/`.
    public var pageURL: String { "\(isSecure ? "https" : "http")://\(authority(of: reachable))/" }

    /// Returns the URL for clients that reach this machine under another address.
    ///
    /// - Parameter address: A host name, an IPv4 or an IPv6 address.
    public func url(at address: String) -> String {
        "\(isSecure ? "wss" : "ws")://\(authority(of: address))\(SignalingProtocol.path)"
    }

    /// An address to connect to, in place of “all addresses”.
    private var reachable: String { ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host }

    private func authority(of address: String) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// Prepares to stop: `/readyz` answers 503 from now on; after `notice`, new WebSockets are refused, and clients receive
    /// `goingAway`, one after the other. Connected calls continue.
    ///
    /// Call ``stop(grace:retryAfter:message:)`` afterwards.
    ///
    /// - Parameters:
    ///   - notice: The time in which a load balancer finds out, and everything still works.
    ///   - time: The time over which clients are sent away.
    ///   - retryAfter: When clients may expect a server again; each receives a random time between half of it and one
    ///     and a half times as much.
    public func drain(
        notice: Duration = .zero, over time: Duration = .zero, retryAfter: Duration = .seconds(2),
        message: String? = nil
    ) async {
        let core = core
        await work { $0.submit { core.value.phase.announceDrain() } }
        if notice > .zero { try? await Task.sleep(for: notice) }
        await work { loop in
            loop.flatSubmit { core.value.sendEverybodyAway(over: time, retryAfter: retryAfter, message: message) }
        }
    }

    /// Reads the certificate and its key again, if there are any, and replaces the authenticator. Connections and sessions
    /// remain; new ones use what is new.
    ///
    /// - Parameter authenticator: `nil` keeps the present one.
    /// - Throws: ``SignalingServerError`` if the certificate or its key is unusable; everything remains as it is then.
    public func reload(authenticator: (any Authenticator)? = nil) async throws(SignalingServerError) {
        let context = try tls.map(SecureSockets.serverContext)
        let names = names.union(tls.map(SecureSockets.names) ?? [])
        let core = core
        await work { $0.submit { core.value.reload(context, names: names, authenticator) } }
    }

    /// Sends `goingAway` to every client, and closes. Connected calls continue. May be called again, also at the same time: the
    /// shorter `grace` counts then.
    ///
    /// Calls of the authenticator that have not returned are cancelled, and so are pushes at the end of `grace`. They are awaited for
    /// a second.
    ///
    /// - Parameters:
    ///   - grace: How long clients have to receive what was sent to them, and pushes that have begun to be delivered.
    ///   - retryAfter: When clients may expect a server again; each receives a random time between half of it and one
    ///     and a half times as much.
    public func stop(
        grace: Duration = .seconds(2), retryAfter: Duration = .seconds(2), message: String? = nil
    ) async {
        let core = core
        // It listens until the last client has gone, so that “/readyz” says what happens.
        await work { loop in
            loop.flatSubmit {
                core.value.goAway(retryAfter: retryAfter, message: message, grace: TimeAmount(grace))
            }
        }
        await closeListener()
        await end(within: grace)
    }

    /// Closes every socket without a message and forgets everything, like a crash. For tests of clients.
    func crash() async {
        await closeListener()
        let core = core
        await work { $0.submit { core.value.dropAll() } }
        await end(within: .zero)
    }

    package func statistics() async -> ServerStatistics {
        let core = core
        return await work { $0.submit { core.value.statistics } } ?? ServerStatistics()
    }

    /// Waits for work on the event loop.
    ///
    /// - Returns: `nil` if the server has stopped.
    @discardableResult
    func work<Result: Sendable>(_ begin: (any EventLoop) -> EventLoopFuture<Result>) async -> Result? {
        // A future of a loop that is shut down would never complete.
        try? await tasks.enter(begin)?.get()
    }

    /// Takes no more connections. Fails, which does not matter, if that was done before.
    private func closeListener() async {
        guard let listener else { return }
        await work { _ in listener.close() }
    }

    /// Ends the tasks and the event loop. May be called again.
    private func end(within limit: Duration) async {
        let core = core
        if let sockets {
            // A connection may have come after the last one had gone, whose socket would not be closed by the end of this loop.
            await work { $0.submit { core.value.dropAll() } }
            // A socket that was accepted last goes to its own loop, to this one, back, and once more to both. If this loop ended before,
            // nobody would close it.
            for _ in 0..<3 {
                for loop in sockets.group.makeIterator() { await work { _ in loop.submit {} } }
                await work { $0.submit { core.value.scheduler.readMail() } }
            }
        }
        await tasks.end(within: limit) { core.value.exchange.stop() }
        // Nobody reads what other loops tell from now on.
        mail.close()
        try? await group.shutdownGracefully()
        // What the loop of the state has sent is written.
        try? await sockets?.group.shutdownGracefully()
    }
}

/// The reason why a server could not be started, or a setting of it cannot be used, in one line, with what to do about it.
public struct SignalingServerError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        case portInUse, addressNotAvailable, notPermitted, certificate, other
        /// A token, key, secret, address or network of the configuration cannot be used.
        case setting
    }

    public var code: Code
    public var message: String
    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package static func setting(_ message: String) -> SignalingServerError {
        SignalingServerError(.setting, message)
    }

    init(binding configuration: SignalingServer.Configuration, _ error: any Error) {
        if let error = error as? SignalingServerError {
            self = error
            return
        }
        let place = "\(configuration.host):\(configuration.port)"
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            self.init(.portInUse, "port \(configuration.port) is in use; choose another one with --port")
        case EADDRNOTAVAIL:
            self.init(.addressNotAvailable, "\(configuration.host) is not an address of this machine")
        case EACCES, EPERM:
            self.init(.notPermitted, "the system does not permit listening on \(place); use a port from 1024 upwards")
        default:
            if error is SocketAddressError {
                self.init(.addressNotAvailable, "the name \(configuration.host) cannot be found")
            } else {
                self.init(.other, "cannot listen on \(place): \(error)")
            }
        }
    }
}
