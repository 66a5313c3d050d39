public import RTCTransport
public import RTCWire

/// The result of a ``ConnectivityCheck``.
public struct ConnectivityReport: Sendable, Hashable {
    /// An IP address of this machine.
    public struct LocalAddress: Sendable, Hashable {
        /// The name of the network interface, such as `eth0`.
        public var interface: String
        /// `wired`, `wifi`, `cellular`, `vpn`, `loopback` or `unknown`.
        public var kind: String
        public var address: IPAddress
        /// Whether calls use the address as a candidate. Not if it is down, deprecated, or has no route.
        public var isUsed: Bool
    }

    /// The behaviour of NATs and firewalls for one local address.
    public struct NAT: Sendable, Hashable {
        public var local: IPAddress
        public var findings: NATFindings
    }

    /// The transport to a server.
    public enum Transport: String, Sendable, Hashable, CaseIterable {
        case udp, tcp, tls
    }

    /// The check of one transport to one server.
    public struct Check: Sendable, Hashable {
        public var transport: Transport
        public var server: TransportAddress
        /// Whether the server's URL names this transport. The others are checked to find alternatives.
        public var isStated: Bool
        /// The time to set up TCP and TLS.
        public var setupTime: TimeDelta?
        /// The time from the request to the server's response, or to its allocation.
        public var answerTime: TimeDelta?
        /// The local address as the server sees it (server-reflexive).
        public var mapped: TransportAddress?
        /// The relayed addresses that the server has allocated.
        public var relayed: [TransportAddress] = []
        /// The alternate server to which this server redirects (error code 300).
        public var redirectedTo: TransportAddress?
        /// The reason why the check failed; `nil` if it succeeded.
        public var failure: ConnectivityFailure?

        public var isSuccess: Bool { failure == nil }
    }

    /// The checks of one server.
    public struct Server: Sendable, Hashable {
        public var url: ICEServerURL
        /// The reason why the host name could not be resolved.
        public var lookupFailure: ConnectivityFailure?
        public var checks: [Check] = []

        /// Whether calls can use the server as its URL says.
        public var isUsable: Bool { checks.contains { $0.isStated && $0.isSuccess } }
    }

    /// A path that calls could use.
    public struct Route: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable {
            /// Between peers on the same network.
            case local
            /// Between peers on different networks, without a relay.
            case direct
            /// Through a TURN server.
            case relay
        }

        public var kind: Kind
        /// Whether calls can use the path; `nil` if that is unknown.
        public var isPossible: Bool?
        /// An explanation: with which peers the path works, or why not and what to do about it.
        public var explanation: String
    }

    public var addresses: [LocalAddress] = []
    public var nats: [NAT] = []
    public var servers: [Server] = []

    package init() {}

    /// Whether this machine is on a network and all servers can be used.
    public var isHealthy: Bool {
        addresses.contains { $0.isUsed && !$0.address.isLoopback } && servers.allSatisfy(\.isUsable)
    }
}

/// A failed check, and what to do about it.
public struct ConnectivityFailure: Error, Sendable, Hashable {
    /// A stable identifier of the failure for programs, such as `noAnswer` or `expired`.
    public var code: String
    /// What happened.
    public var reason: String
    /// What to do about it.
    public var advice: String

    init(_ code: String, _ reason: String, _ advice: String) {
        self.code = code
        self.reason = reason
        self.advice = advice
    }
}
