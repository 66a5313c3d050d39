public import RTCTransport
public import RTCWire

/// What a ``ConnectivityCheck`` has found.
public struct ConnectivityReport: Sendable, Hashable {
    /// An address of this machine's.
    public struct LocalAddress: Sendable, Hashable {
        /// The system's name for the interface, such as `eth0`.
        public var interface: String
        /// `wired`, `wifi`, `cellular`, `vpn`, `loopback` or `unknown`.
        public var kind: String
        public var address: IPAddress
        /// Whether calls offer it. What is down, deprecated, or leads nowhere they do not.
        public var isUsed: Bool
    }

    /// How NATs and firewalls treat what one local address sends.
    public struct NAT: Sendable, Hashable {
        public var local: IPAddress
        public var findings: NATFindings
    }

    /// How a server is reached.
    public enum Transport: String, Sendable, Hashable, CaseIterable {
        case udp, tcp, tls
    }

    /// One way to one server, tried.
    public struct Check: Sendable, Hashable {
        public var transport: Transport
        public var server: TransportAddress
        /// Whether the URL asks for this transport. The others are tried to know what else there would be.
        public var isStated: Bool
        /// How long TCP, and TLS, took to be set up.
        public var setupTime: TimeDelta?
        /// How long the server took to answer, or to give us an address, once it could be asked.
        public var answerTime: TimeDelta?
        /// Our address as the server sees it.
        public var mapped: TransportAddress?
        /// The addresses that the server relays for us at.
        public var relayed: [TransportAddress] = []
        /// The server that does it in place of this one, which sends its clients there (300).
        public var redirectedTo: TransportAddress?
        /// `nil` when all went well.
        public var failure: ConnectivityFailure?

        public var isSuccess: Bool { failure == nil }
    }

    /// A server, and all the ways to it.
    public struct Server: Sendable, Hashable {
        public var url: ICEServerURL
        /// Why its name has no address.
        public var lookupFailure: ConnectivityFailure?
        public var checks: [Check] = []

        /// Whether a call can use the server as its URL says.
        public var isUsable: Bool { checks.contains { $0.isStated && $0.isSuccess } }
    }

    /// A way that a call could take.
    public struct Route: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable {
            /// To peers of the same network.
            case local
            /// To peers elsewhere, from address to address.
            case direct
            /// To any peer, by way of a TURN server.
            case relay
        }

        public var kind: Kind
        /// `nil`: it cannot be said.
        public var isPossible: Bool?
        /// With whom, or why not, and what would mend it.
        public var explanation: String
    }

    public var addresses: [LocalAddress] = []
    public var nats: [NAT] = []
    public var servers: [Server] = []

    public init() {}

    /// Whether this machine is on a network, and every server can be used.
    public var isHealthy: Bool {
        addresses.contains { $0.isUsed && !$0.address.isLoopback } && servers.allSatisfy(\.isUsable)
    }
}

/// Something that did not work, and what to do about it.
public struct ConnectivityFailure: Error, Sendable, Hashable {
    /// One word for programs, which does not change: `noAnswer`, `expired`.
    public var code: String
    /// What happened.
    public var reason: String
    /// What to do.
    public var advice: String

    init(_ code: String, _ reason: String, _ advice: String) {
        self.code = code
        self.reason = reason
        self.advice = advice
    }
}
