public import RTCWire

/// A full ICE agent (RFC 8445, RFC 8838, RFC 8839) for one component, as a value without sockets and without a clock.
///
/// The owner opens sockets, hands in STUN datagrams and time, and drains the agent after each input:
/// ``pollTransmit(into:at:)`` until it answers `false`, ``pollEvent()`` until it answers `nil`, then a timer for
/// ``nextDeadline``. docs/ice.md lists what is implemented, every time constant, and what is left out.
public struct ICEAgent {
    public init(configuration: ICEConfiguration, crypto: any CryptoProvider, random: any RandomSource) {
        self.localCredentials = .random(from: random)
    }

    /// Our credentials of the current generation.
    public private(set) var localCredentials: ICECredentials
    /// The peer's credentials of the current generation, once known.
    public var remoteCredentials: ICECredentials? { nil }
    public var state: ICEConnectionState { .new }
    public var gatheringState: ICEGatheringState { .new }
    public var isControlling: Bool { false }

    /// Decides the role at the start (RFC 8445, section 6.1.1). A conflict may change it later.
    public mutating func setControlling(_ isControlling: Bool) {}

    /// Starts to announce candidates for the sockets there are and for those that come.
    public mutating func startGathering(at now: Instant) {}

    /// Adds a socket: a host candidate, and one transaction with each STUN server of the same address family. Allowed
    /// at any time, also long after gathering, when an interface appears.
    ///
    /// - Parameter address: The socket's own address, never unspecified; a link-local one with its zone. For a socket
    ///   that stands for a relay, the relayed address.
    public mutating func addSocket(
        _ id: SocketID, address: TransportAddress, properties: ICESocketProperties, at now: Instant
    ) {}

    /// Forgets a socket whose interface is gone, with its candidates and pairs.
    public mutating func removeSocket(_ id: SocketID, at now: Instant) {}

    /// Adds a resolved STUN server, before or after the sockets.
    public mutating func addSTUNServer(_ address: TransportAddress, at now: Instant) {}

    /// Says that no more sockets and servers will come in this generation: gathering may complete.
    public mutating func endOfSockets(at now: Instant) {}

    /// Takes the peer's credentials and starts checking. Credentials other than those known begin a new generation.
    public mutating func setRemote(_ credentials: ICECredentials, isLite: Bool, at now: Instant) {}

    /// Takes a candidate of the peer's. Before ``setRemote(_:isLite:at:)`` it is held.
    public mutating func addRemoteCandidate(_ candidate: ICECandidate, at now: Instant) {}

    /// The answer to ``ICEEvent/resolve(name:)``; empty when the name has no address.
    public mutating func resolved(name: String, to addresses: [IPAddress], at now: Instant) {}

    /// The peer will signal no more candidates in this generation.
    public mutating func endOfRemoteCandidates(at now: Instant) {}

    /// ICE restart (RFC 8445, section 9): new local credentials, and gathering anew from the sockets and servers there
    /// are. The selected pair carries data until the new generation has one.
    public mutating func restart(at now: Instant) {}

    /// Takes one STUN datagram; the owner has told it from DTLS and RTP by its first byte (RFC 7983).
    public mutating func receive(
        _ datagram: RawSpan, from source: TransportAddress, on socket: SocketID, at now: Instant
    ) {}

    /// Does what is due by ``nextDeadline``.
    public mutating func handleTimeout(at now: Instant) {}

    /// When ``handleTimeout(at:)`` is due, or `nil` when nothing is. Constant time.
    public var nextDeadline: Instant? { nil }

    /// Writes the next STUN message into an empty `batch` and sets its path.
    ///
    /// - Returns: `false` when nothing waits or the batch is not empty.
    public mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool { false }

    /// The next event, or `nil`.
    public mutating func pollEvent() -> ICEEvent? { nil }

    /// Where data may be sent: the nominated pair, else the best valid one.
    public var selectedPath: TransportPath? { nil }

    /// Whether data that arrived on `path` may be taken: its far end has proved, in this or the previous generation,
    /// that it knows our password or the peer's.
    public func isValid(_ path: TransportPath) -> Bool { false }

    /// Stops everything. Only ``statistics()`` still works.
    public mutating func close(at now: Instant) {}

    /// A snapshot for `getStats()`.
    public func statistics() -> ICEStatistics { ICEStatistics() }

    /// The smoothed round-trip time of the selected pair's last answer, or `nil` before the first.
    public var currentRoundTripTime: TimeDelta? { nil }
}
