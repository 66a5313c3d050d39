package import RTCTransport
package import RTCWire

/// The result of a ``ConnectivityCheck``.
public struct ConnectivityReport: Sendable, Hashable {
    /// An IP address of this machine.
    package struct LocalAddress: Sendable, Hashable {
        /// The name of the network interface, such as `eth0`.
        package var interface: String
        /// `wired`, `wifi`, `cellular`, `vpn`, `loopback` or `unknown`.
        package var kind: String
        package var address: IPAddress
        /// Whether calls use the address as a candidate. Not if it is down, deprecated, or has no route.
        package var isUsed: Bool
    }

    /// The behaviour of NATs and firewalls for one local address.
    package struct NAT: Sendable, Hashable {
        package var local: IPAddress
        package var findings: NATFindings
    }

    /// The transport to a server.
    package enum Transport: String, Sendable, Hashable, CaseIterable {
        case udp, tcp, tls
    }

    /// The check of one transport to one server.
    package struct Check: Sendable, Hashable {
        package var transport: Transport
        package var server: TransportAddress
        /// Whether the server's URL names this transport. The others are checked to find alternatives.
        package var isStated: Bool
        /// The time to set up TCP and TLS.
        package var setupTime: TimeDelta?
        /// The time from the request to the server's response, or to its allocation.
        package var answerTime: TimeDelta?
        /// The local address as the server sees it (server-reflexive).
        package var mapped: TransportAddress?
        /// The relayed addresses that the server has allocated.
        package var relayed: [TransportAddress] = []
        /// The alternate server to which this server redirects (error code 300).
        package var redirectedTo: TransportAddress?
        /// The reason why the check failed; `nil` if it succeeded.
        package var failure: ConnectivityFailure?

        package var isSuccess: Bool { failure == nil }
    }

    /// The checks of one server.
    package struct Server: Sendable, Hashable {
        package var url: ICEServerURL
        /// The reason why the host name could not be resolved.
        package var lookupFailure: ConnectivityFailure?
        package var checks: [Check] = []

        /// Whether calls can use the server as its URL says.
        package var isUsable: Bool { checks.contains { $0.isStated && $0.isSuccess } }
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

    package var addresses: [LocalAddress] = []
    package var nats: [NAT] = []
    package var servers: [Server] = []

    package init() {}

    /// Whether this machine is on a network and all servers can be used.
    public var isHealthy: Bool {
        addresses.contains { $0.isUsed && !$0.address.isLoopback } && servers.allSatisfy(\.isUsable)
    }
}

/// A failed check, and what to do about it.
package struct ConnectivityFailure: Error, Sendable, Hashable {
    /// A stable identifier of the failure for programs, such as `noAnswer` or `expired`.
    package var code: String
    /// What happened.
    package var reason: String
    /// What to do about it.
    package var advice: String

    init(_ code: String, _ reason: String, _ advice: String) {
        self.code = code
        self.reason = reason
        self.advice = advice
    }
}
