public import RTCWire

/// Which candidates an agent gathers and uses (W3C `RTCIceTransportPolicy`).
public enum ICECandidatePolicy: String, Sendable, Hashable {
    case all
    /// Only relayed candidates of our own: the peer never learns another address of ours.
    case relay
}

/// The settings of an agent. The defaults are the values that docs/ice.md lists.
public struct ICEConfiguration: Sendable, Hashable {
    public var candidatePolicy: ICECandidatePolicy = .all

    /// Ta: the least time between two new ordinary transactions (RFC 8445, section 14.2). 5 ms at least.
    public var checkInterval: TimeDelta = .milliseconds(50)
    /// RTO of the first transmission, which doubles with each further one (section 14.3). 500 ms at least.
    public var retransmissionTimeout: TimeDelta = .milliseconds(500)
    /// Rc: how often a server request is sent before it is given up (RFC 8489, section 6.2.1). A check is sent three
    /// times more, at its beginning.
    public var maximumTransmissions = 7
    /// How long the controlling agent waits, from its first valid pair, for a better one before it nominates.
    public var nominationDelay: TimeDelta = .milliseconds(100)
    /// The longest gathering after the last socket or server was added.
    public var gatheringTimeout: TimeDelta = .seconds(3)

    /// The mean time between consent checks on the selected pair; each wait is 0.8 to 1.2 times this (RFC 7675).
    public var consentInterval: TimeDelta = .seconds(5)
    /// The validity of consent after the last response (RFC 7675).
    public var consentTimeout: TimeDelta = .seconds(30)
    /// The mean time between checks that keep other valid pairs alive, as replacements.
    public var backupInterval: TimeDelta = .seconds(15)
    /// The same for the best two replacements while media or data flow, so that they can take over at once.
    public var warmBackupInterval: TimeDelta = .milliseconds(2_500)
    /// No answer on the selected pair for this long, and a check unanswered, is `disconnected`.
    public var disconnectedTimeout: TimeDelta = .seconds(5)
    /// How long checks may go on without any valid pair before the state is `failed` (RFC 8863).
    public var failedTimeout: TimeDelta = .seconds(30)
    /// How long the credentials of the generation before are still answered after a restart has succeeded.
    public var previousGenerationLifetime: TimeDelta = .seconds(30)

    /// The most pairs of the checklist (RFC 8445, section 6.1.2.5).
    public var maximumPairs = 100
    /// The most remote candidates, peer-reflexive ones included.
    public var maximumRemoteCandidates = 64

    public init() {}
}

/// Properties of a socket's network path that its owner knows.
public struct ICESocketProperties: Sendable, Hashable {
    /// For statistics and logs; never sent.
    public var interfaceName: String
    public var kind: ICEInterfaceKind
    /// The relay, if the socket stands for a relayed candidate and not for a local socket.
    public var relay: ICERelayProperties?

    public init(interfaceName: String = "", kind: ICEInterfaceKind = .unknown, relay: ICERelayProperties? = nil) {
        self.interfaceName = interfaceName
        self.kind = kind
        self.relay = relay
    }
}

/// The kind of network interface, in our order of preference (RFC 8421, section 4).
public enum ICEInterfaceKind: UInt8, Sendable, Hashable, CaseIterable {
    case wired
    case wifi
    case unknown
    case vpn
    case cellular
    case loopback
}

/// The relay behind a relayed candidate: the interface to TURN.
public struct ICERelayProperties: Sendable, Hashable {
    public enum Transport: UInt8, Sendable, Hashable {
        case udp, tcp, tls
    }

    /// The server, which the foundation depends on.
    public var server: TransportAddress
    /// Our address as the server sees it: `raddr` and `rport`.
    public var mappedAddress: TransportAddress
    /// The transport to the server. UDP is preferred to TCP, and TCP to TLS.
    public var transport: Transport
    /// The owner's number of the server; for statistics.
    public var serverID: TURNServerID?

    public init(
        server: TransportAddress, mappedAddress: TransportAddress, transport: Transport,
        serverID: TURNServerID? = nil
    ) {
        self.server = server
        self.mappedAddress = mappedAddress
        self.transport = transport
        self.serverID = serverID
    }
}
