package import RTCWire

/// Which candidates an agent gathers and uses (W3C `RTCIceTransportPolicy`).
public enum ICECandidatePolicy: String, Sendable, Hashable {
    case all
    /// Only relayed candidates of our own: the peer never learns another address of ours.
    case relay
}

/// The settings of an agent. The defaults are the values that docs/ice.md lists.
package struct ICEConfiguration: Sendable, Hashable {
    package var candidatePolicy: ICECandidatePolicy = .all

    /// Ta: the least time between two new ordinary transactions (RFC 8445, section 14.2). 5 ms at least.
    package var checkInterval: TimeDelta = .milliseconds(50)
    /// RTO of the first transmission, which doubles with each further one (section 14.3). 500 ms at least.
    package var retransmissionTimeout: TimeDelta = .milliseconds(500)
    /// Rc: how often a server request is sent before it is given up (RFC 8489, section 6.2.1). A check is sent three
    /// times more, at its beginning.
    package var maximumTransmissions = 7
    /// How long the controlling agent waits, from its first valid pair, for a better one before it nominates.
    package var nominationDelay: TimeDelta = .milliseconds(100)
    /// The longest gathering after the last socket or server was added.
    package var gatheringTimeout: TimeDelta = .seconds(3)

    /// The mean time between consent checks on the selected pair; each wait is 0.8 to 1.2 times this (RFC 7675).
    package var consentInterval: TimeDelta = .seconds(5)
    /// The validity of consent after the last response (RFC 7675).
    package var consentTimeout: TimeDelta = .seconds(30)
    /// The mean time between checks that keep other valid pairs alive, as replacements.
    package var backupInterval: TimeDelta = .seconds(15)
    /// The same for the best two replacements while media or data flow, so that they can take over at once.
    package var warmBackupInterval: TimeDelta = .milliseconds(2_500)
    /// No answer on the selected pair for this long, and a check unanswered, is `disconnected`.
    package var disconnectedTimeout: TimeDelta = .seconds(5)
    /// How long checks may go on without any valid pair before the state is `failed` (RFC 8863).
    package var failedTimeout: TimeDelta = .seconds(30)
    /// How long the credentials of the generation before are still answered after a restart has succeeded.
    package var previousGenerationLifetime: TimeDelta = .seconds(30)

    /// The most pairs of the checklist (RFC 8445, section 6.1.2.5).
    package var maximumPairs = 100
    /// The most remote candidates, peer-reflexive ones included.
    package var maximumRemoteCandidates = 64

    package init() {}
}

/// Properties of a socket's network path that its owner knows.
package struct ICESocketProperties: Sendable, Hashable {
    /// For statistics and logs; never sent.
    package var interfaceName: String
    package var kind: ICEInterfaceKind
    /// The relay, if the socket stands for a relayed candidate and not for a local socket.
    package var relay: ICERelayProperties?

    package init(interfaceName: String = "", kind: ICEInterfaceKind = .unknown, relay: ICERelayProperties? = nil) {
        self.interfaceName = interfaceName
        self.kind = kind
        self.relay = relay
    }
}

/// The kind of network interface, in our order of preference (RFC 8421, section 4).
package enum ICEInterfaceKind: UInt8, Sendable, Hashable, CaseIterable {
    case wired
    case wifi
    case unknown
    case vpn
    case cellular
    case loopback
}

/// The relay behind a relayed candidate: the interface to TURN.
package struct ICERelayProperties: Sendable, Hashable {
    package enum Transport: UInt8, Sendable, Hashable {
        case udp, tcp, tls
    }

    /// The server, which the foundation depends on.
    package var server: TransportAddress
    /// Our address as the server sees it: `raddr` and `rport`.
    package var mappedAddress: TransportAddress
    /// The transport to the server. UDP is preferred to TCP, and TCP to TLS.
    package var transport: Transport
    /// The owner's number of the server; for statistics.
    package var serverID: TURNServerID?

    package init(
        server: TransportAddress, mappedAddress: TransportAddress, transport: Transport,
        serverID: TURNServerID? = nil
    ) {
        self.server = server
        self.mappedAddress = mappedAddress
        self.transport = transport
        self.serverID = serverID
    }
}
