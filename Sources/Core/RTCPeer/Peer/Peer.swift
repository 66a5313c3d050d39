public import RTCTransport
public import RTCWire

/// A whole WebRTC peer as one value, without a clock, a socket or a thread.
///
/// Hand in what happens, with the time at which it happens: datagrams by ``receive(_:on:at:)``, time by
/// ``handleTimeout(at:)``, wishes by the other methods. After each, or after a burst of them, drain it:
///
/// ```swift
/// while peer.pollTransmit(into: &batch, at: now) { send(batch); batch.removeAll() }
/// while let event = peer.pollEvent() { handle(event) }
/// let wakeUp = peer.nextDeadline
/// ```
///
/// One peer has one transport: all sections of its descriptions are bundled (RFC 9143) and multiplexed (RFC 7983).
public struct Peer: ~Copyable {
    let configuration: PeerConfiguration
    let crypto: any CryptoProvider
    let random: any RandomSource
    /// Working memory, which all peers of one thread may share.
    public var scratch: PeerScratch

    @Boxed var negotiator: Negotiator
    @Boxed var ice: ICEAgent
    @Boxed var relays: TURNRelays
    @Boxed var dtls: DTLSTransport
    @Boxed var channels: DataChannelTransport
    let media: MediaTransport

    /// Events that are ready to be polled.
    var events = RingBuffer<PeerEvent>()
    var phase = Phase.new
    /// The state that the owner was told last, so that only changes are told.
    var announcedState = ConnectionState.new
    /// Why the connection is `failed`.
    public internal(set) var failure: ConnectionFailure?
    /// The STUN servers' numbers, by their addresses.
    var serverIDs: [TransportAddress: TURNServerID] = [:]
    /// Our candidates of the present generation, as they were announced.
    var localCandidates: [String] = []
    /// What our restart offer announced, until it is answered or withdrawn.
    var restartCredentials: ICECredentials?
    /// The generation that this restart replaces, to go back to it when the offer is withdrawn.
    var replaced: ReplacedGeneration?
    /// The other side of the data section, once agreed upon.
    var remoteData: DataDescription?
    var hasStartedChannels = false
    /// Whether the association that ``channels`` holds has ended together with its data section.
    var areChannelsRetired = false
    /// How many associations there were before the present one, and what their channels counted.
    var association: UInt32 = 0
    var pastChannelStatistics = DataChannelTransportCounters()
    /// Where the last words go after ``close(at:)``.
    var lastPath: TransportPath?
    /// Datagrams that came before their path was proved, the oldest first.
    var earlyDatagrams: [(path: TransportPath, bytes: [UInt8])] = []
    /// A packet that was composed but did not fit into the last batch.
    var composed: [UInt8] = []
    var composedCount = 0
    /// Set while more wishes may follow at once: an offer waits for ``releaseNegotiation(at:)``, and speaks of all.
    public var isNegotiationHeld = false
    /// Whether the owner collects changes: ``suspendNegotiation()``.
    var isNegotiationSuspended = false
    /// Who drives the exchange of descriptions, and which side gives way.
    var negotiation: NegotiationMode
    /// Set while the socket of the selected path takes no more: then only connectivity checks are polled.
    public var isDataPaused = false
    public internal(set) var counters = PeerCounters()
    /// Shows every packet in the clear, for a capture. `nil` costs nothing.
    public var tap: (any PacketTap)?

    /// - Parameters:
    ///   - configuration: See ``PeerConfiguration``.
    ///   - crypto: Digests, message authentication and DTLS.
    ///   - random: Passwords, tags and tie-breakers. Must be unpredictable outside of simulations.
    ///   - scratch: Working memory, which all peers of one thread may share.
    public init(
        configuration: PeerConfiguration, crypto: any CryptoProvider, random: any RandomSource,
        scratch: PeerScratch = PeerScratch()
    ) {
        self.configuration = configuration
        negotiation = configuration.negotiation
        self.crypto = crypto
        self.random = random
        self.scratch = scratch
        let negotiator = Negotiator(
            configuration: .init(
                data: DataDescription(maximumMessageSize: configuration.sctp.maximumMessageSize),
                media: configuration.media),
            random: random)
        self.negotiator = negotiator
        media = MediaTransport(
            random: random, clock: configuration.clock, startBitrate: configuration.startBitrate,
            dataShare: configuration.dataShare, cname: negotiator.cname)
        ice = ICEAgent(configuration: configuration.ice, crypto: crypto, random: random)
        relays = TURNRelays(crypto: crypto, random: random)
        var dtlsConfiguration = DTLSConfiguration(certificate: configuration.certificate)
        dtlsConfiguration.minimumVersion = configuration.dtlsVersions.lowerBound
        dtlsConfiguration.maximumVersion = configuration.dtlsVersions.upperBound
        dtlsConfiguration.handshakeTimeout = configuration.handshakeTimeout
        dtlsConfiguration.srtpProfiles = configuration.srtpProfiles
        dtls = DTLSTransport(configuration: dtlsConfiguration, crypto: crypto)
        channels = DataChannelTransport(configuration: configuration.sctp, random: random)
    }

    struct ReplacedGeneration {
        var local: ICECredentials
        var remote: ICECredentials?
        var localCandidates: [String]
    }

    /// How far the life of the connection has come. What ICE and DTLS know themselves is not repeated here.
    enum Phase {
        case new
        /// A local description was set, and sockets were asked for.
        case gathering
        case closed
    }
}

/// Keeps a part of the peer in memory of its own.
///
/// The compiler follows each field of a value that cannot be copied, down to the last one, through every function. With
/// all parts inside, compiling the peer took many minutes; and a peer is moved about as a few words now.
@propertyWrapper
final class Boxed<Value> {
    final var wrappedValue: Value

    init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

/// Memory that a peer uses while it works and does not need between two calls.
///
/// An idle peer should hold little: peers that live on one thread share one of these.
public final class PeerScratch {
    /// The largest record that DTLS may carry, and what the library wants beside it.
    var record: UnsafeMutableRawBufferPointer {
        if let memory { return memory }
        let new = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384 + 256, alignment: 16)
        memory = new
        return new
    }

    private var memory: UnsafeMutableRawBufferPointer?

    public init() {}

    deinit { memory?.deallocate() }
}

/// Sees the packets of a peer in the clear, before they are protected and after they were unprotected.
public protocol PacketTap: AnyObject {
    /// - Parameters:
    ///   - packet: An SCTP, RTP or RTCP packet, or a STUN or DTLS datagram.
    ///   - isOutgoing: Whether this side sends it.
    func packet(
        _ packet: UnsafeRawBufferPointer, kind: PacketKind, path: TransportPath, isOutgoing: Bool, at now: Instant)
}

public enum PacketKind: Sendable {
    case stun, dtls, sctp, rtp, rtcp
}

/// What a peer dropped and why; noise is counted, never an error.
public struct PeerCounters: Sendable, Hashable {
    /// Datagrams whose first byte belongs to no protocol of WebRTC (RFC 7983).
    public var unknownDatagrams = 0
    /// Datagrams from addresses that no connectivity check had proved.
    public var unprovedDatagrams = 0
    public var datagramsSent = 0
    public var datagramsReceived = 0
    public var bytesSent = 0
    public var bytesReceived = 0

    public init() {}
}
