public import Logging
internal import RTCWire

extension NATSClient {
    /// How a server is recognized.
    public struct TLS: Hashable, Sendable {
        public enum Trust: Hashable, Sendable {
            case system
            /// A file of certificates in PEM.
            case file(String)
        }

        public var trust: Trust
        /// Whether TLS begins before the server says anything (`handshake_first`, from version 2.10.4 on). Otherwise the server's
        /// INFO comes first, in the clear.
        public var isHandshakeFirst: Bool
        /// The name in the server's certificate, if it is not the one in its address.
        public var serverName: String?

        public init(trust: Trust = .system, isHandshakeFirst: Bool = false, serverName: String? = nil) {
            self.trust = trust
            self.isHandshakeFirst = isHandshakeFirst
            self.serverName = serverName
        }
    }

    /// How much a subscription keeps for its reader.
    package struct BufferLimits: Hashable, Sendable {
        package var messages: Int
        package var bytes: Int

        package init(messages: Int = 4_096, bytes: Int = 8_388_608) {
            self.messages = messages
            self.bytes = bytes
        }
    }

    public struct Configuration: Sendable {
        /// The servers of one cluster.
        public var servers: [NATSServer]
        /// Whether servers that a server names are connected to as well. With TLS after INFO only those count that it names when the
        /// connection is secured.
        public var acceptsAdvertisedServers = false
        /// With it, the connection is secured or fails: a server that offers no TLS gets no credentials.
        public var tls: TLS?
        public var credentials = NATSCredentials.none
        /// A name for the server's own lists.
        public var name: String?
        /// Whether this client's subscriptions receive what it publishes itself.
        public var receivesOwn = true
        /// The largest message in bytes that is sent or delivered, whatever the server allows.
        public var maximumPayload = 1_048_576
        /// For TCP, TLS and NATS's own greeting together.
        public var connectTimeout: Duration = .seconds(5)
        /// Two pings without an answer end a connection.
        public var pingInterval: Duration = .seconds(20)
        /// The delay before the first attempt after a loss; it doubles with each round through the servers.
        public var firstDelay: Duration = .milliseconds(100)
        public var longestDelay: Duration = .seconds(5)
        /// How much is published while there is no connection, in bytes.
        public var maximumBuffered = 1_048_576
        public var maximumSubscriptions = 10_000
        public var maximumRequests = 10_000
        public var logger = Logger(label: "nats", factory: { _ in SwiftLogNoOpLogHandler() })

        public init(servers: [NATSServer]) {
            self.servers = servers
        }

        func check() throws(NATSError) {
            guard !servers.isEmpty else { throw NATSError(.invalidArgument, "the list of servers is empty") }
            let times = [connectTimeout, pingInterval, firstDelay, longestDelay]
            let sizes = [maximumPayload, maximumBuffered, maximumSubscriptions, maximumRequests]
            guard times.allSatisfy({ $0 > .zero }), sizes.allSatisfy({ $0 > 0 }), maximumPayload <= 1 << 30 else {
                throw NATSError(.invalidArgument, "times and limits are above zero")
            }
        }

        var options: ConnectionOptions {
            var options = ConnectionOptions(servers: servers)
            options.acceptsAdvertisedServers = acceptsAdvertisedServers
            options.tls = tls.map { $0.isHandshakeFirst ? .first : .afterInfo } ?? .none
            options.credentials = credentials
            options.name = name
            options.echo = receivesOwn
            options.limits.payload = maximumPayload
            options.connectTimeout = TimeDelta(connectTimeout)
            options.pingInterval = TimeDelta(pingInterval)
            options.firstDelay = TimeDelta(firstDelay)
            options.longestDelay = TimeDelta(longestDelay)
            options.maximumBuffered = maximumBuffered
            options.maximumSubscriptions = maximumSubscriptions
            options.maximumRequests = maximumRequests
            return options
        }
    }
}
