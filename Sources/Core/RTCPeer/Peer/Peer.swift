package import RTCTransport
package import RTCWire

/// A whole WebRTC peer as one value, without a clock, a socket or a thread.
///
/// Pass inputs together with their time: datagrams with ``receive(_:on:at:)``, time with ``handleTimeout(at:)``,
/// requests with the other methods. After each input, or a burst of them, drain the peer:
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
    package var scratch: PeerScratch

    @Boxed var negotiator: Negotiator
    @Boxed var ice: ICEAgent
    @Boxed var relays: TURNRelays
    @Boxed var dtls: DTLSTransport
    @Boxed var channels: DataChannelTransport
    let media: MediaTransport

    /// Events to be polled.
    var events = RingBuffer<PeerEvent>()
    var phase = Phase.new
    /// The last announced state, so that only changes are announced.
    var announcedState = ConnectionState.new
    /// Why the connection is `failed`.
    package internal(set) var failure: ConnectionFailure?
    /// For tests: a debug build goes on after ``failInternally(_:at:)``.
    var isBugExpected = false
    /// The identifiers of the STUN servers, by address.
    var serverIDs: [TransportAddress: TURNServerID] = [:]
    /// Our candidates of the current generation, as announced.
    var localCandidates: [String] = []
    /// The credentials in our restart offer, until it is answered or rolled back.
    var restartCredentials: ICECredentials?
    /// The generation that the restart replaces, for a rollback.
    var replaced: ReplacedGeneration?
    /// The remote data section, once agreed upon.
    var remoteData: DataDescription?
    var hasStartedChannels = false
    /// Whether the association that ``channels`` holds has ended together with its data section.
    var areChannelsRetired = false
    /// The number of earlier associations, and the counters of their channels.
    var association: UInt32 = 0
    var pastChannelStatistics = DataChannelTransportCounters()
    /// The path for the last packets after ``close(at:)``.
    var lastPath: TransportPath?
    /// Datagrams that arrived before their path was valid, oldest first.
    var earlyDatagrams: [(path: TransportPath, bytes: [UInt8])] = []
    /// An SCTP packet that did not fit into the last batch.
    var composed: [UInt8] = []
    var composedCount = 0
    /// Set while more requests may follow immediately: an offer waits for ``releaseNegotiation(at:)``, and includes
    /// them all.
    @usableFromInline package var isNegotiationHeld = false
    /// Whether offers are suspended by ``suspendNegotiation()``.
    var isNegotiationSuspended = false
    /// The mode of negotiation, and in perfect negotiation whether this side is polite.
    var negotiation: NegotiationMode
    /// Set while ``selectedSocket`` takes no more: then no DTLS, media or data are polled for the selected path.
    @usableFromInline package var isDataPaused = false
    /// Set while ``backupSocket`` takes no more: then no copies are polled for the backup path, and no media.
    @usableFromInline package var isBackupPaused = false
    package internal(set) var counters = PeerCounters()
    /// Shows every packet in the clear, for a capture. `nil` costs nothing.
    package var tap: (any PacketTap)?

    /// - Parameters:
    ///   - configuration: See ``PeerConfiguration``.
    ///   - crypto: Digests, message authentication and DTLS.
    ///   - random: Passwords, tags and tie-breakers. Must be unpredictable outside of simulations.
    ///   - scratch: Working memory, which all peers of one thread may share.
    package init(
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

    /// The phase of the connection, without what ICE and DTLS track themselves.
    enum Phase {
        case new
        /// A local description was set, and sockets were requested.
        case gathering
        case closed
    }
}

/// Stores a part of the peer in separate memory.
///
/// The compiler tracks every field of a noncopyable value through every function. With all parts inline, compiling the
/// peer took many minutes; this also keeps a peer cheap to move.
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
package final class PeerScratch {
    /// The buffer for the largest DTLS record plus the room that the library needs.
    var record: UnsafeMutableRawBufferPointer {
        if let memory { return memory }
        let new = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384 + 256, alignment: 16)
        memory = new
        return new
    }

    private var memory: UnsafeMutableRawBufferPointer?

    package init() {}

    deinit { memory?.deallocate() }
}

/// Sees the packets of a peer in the clear, before they are protected and after they were unprotected.
package protocol PacketTap: AnyObject {
    /// - Parameters:
    ///   - packet: An SCTP, RTP or RTCP packet, or a STUN or DTLS datagram.
    ///   - isOutgoing: Whether this side sends it.
    func packet(
        _ packet: UnsafeRawBufferPointer, kind: PacketKind, path: TransportPath, isOutgoing: Bool, at now: Instant)
}

package enum PacketKind: Sendable {
    case stun, dtls, sctp, rtp, rtcp
}

/// The inputs that a peer dropped, by reason; invalid input is counted, never an error.
package struct PeerCounters: Sendable, Hashable {
    /// Datagrams whose first byte belongs to no protocol of WebRTC (RFC 7983).
    package var unknownDatagrams = 0
    /// Datagrams from addresses that no connectivity check had proved.
    package var unprovedDatagrams = 0
    package var datagramsSent = 0
    package var datagramsReceived = 0
    package var bytesSent = 0
    package var bytesReceived = 0

    package init() {}
}
