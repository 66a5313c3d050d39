internal import RTCMedia
internal import RTCTransport
internal import RTCWire

/// The audio and video of one peer: RTP and RTCP under SRTP, for all transceivers of the bundle (RFC 9143).
///
/// Encoded frames go in and leave as datagrams, datagrams go in and come out as pictures in order and packets of sound.
/// It begins with the keys of the DTLS handshake and the first answer that agrees on media.
///
/// A class, though one peer owns it and nobody else sees it: as a part of the peer's value, which cannot be copied, its many
/// fields would make the compiler work for minutes.
final class MediaTransport {
    /// Bytes of a datagram that carries media.
    static let datagramSize = 1_200
    /// The longest round trip that is reckoned with.
    static let longestRoundTripTime = TimeDelta.seconds(2)
    /// How often sound and picture are brought together.
    static let synchronizationInterval = TimeDelta.milliseconds(500)
    /// Sources that are remembered, so that nobody can make us remember without end.
    static let maximumRoutes = 256

    let random: any RandomSource
    /// Our clock's relation to the time of day, for sender reports.
    let clock: NTPClock
    /// Names all our sources as one endpoint's (RFC 7022), as descriptions do.
    let cname: [UInt8]
    /// From whom reports are while nothing is sent.
    let reportingSource: SynchronizationSource

    /// `nil` before DTLS is connected, and for a peer with which no profile was agreed upon.
    var srtp: SRTPSession?
    private(set) var hasKeys = false
    /// What SRTP and SRTCP add to a packet, in bytes: the most that any profile adds, until one is agreed upon.
    private(set) var rtpOverhead = 16
    private(set) var rtcpOverhead = 20
    var outgoing: [OutgoingMedia] = []
    var incoming: [IncomingMedia] = []
    /// Where sound goes, also of transceivers about which nothing was agreed yet.
    var audioSinks: [TransceiverID: any AudioPacketSink] = [:]
    /// Which transceiver a source belongs to.
    var routes: [SynchronizationSource: TransceiverID] = [:] {
        // Without looking at the old value, so that it is still changed in place.
        didSet { latestRoute = nil }
    }
    /// Which source the packet before was of, and where it went: packets come in trains.
    var latestRoute: (source: SynchronizationSource, media: IncomingMedia)?
    /// The numbers of the header extensions: one space for the whole bundle.
    var extensionMap = RTPHeaderExtensionMap()
    /// Whether an extension got another number in mid-call. Some go on sending the old one.
    var areExtensionsRenumbered = false

    var congestion: CongestionControl
    var reports: RTCPScheduler
    private var areReportsScheduled = false
    /// Which of our streams is the first in a report.
    var reportTurn = 0
    var hasSaidGoodbye = false
    var lipSync = LipSync()
    var nextSynchronization = Instant.zero
    /// What is to leave once more, on another path.
    var copies = PacketCopies()
    var events = RingBuffer<PeerEvent>()
    var counters = MediaCounters()

    init(random: any RandomSource, clock: NTPClock, startBitrate: Bitrate, dataShare: Double, cname: String) {
        self.random = random
        self.clock = clock
        self.cname = Array(cname.utf8)
        reportingSource = SynchronizationSource(UInt32(truncatingIfNeeded: random.next()))
        congestion = CongestionControl(startBitrate: startBitrate, dataShare: dataShare)
        reports = RTCPScheduler(sessionBandwidth: startBitrate)
    }

    /// Bytes of an RTP packet before it is protected.
    var packetSize: Int { Self.datagramSize - rtpOverhead }

    func outgoing(_ transceiver: TransceiverID) -> OutgoingMedia? {
        outgoing.first { $0.transceiver == transceiver }
    }

    func incoming(_ transceiver: TransceiverID) -> IncomingMedia? {
        incoming.first { $0.transceiver == transceiver }
    }

    // MARK: What negotiation decided

    /// A source for a transceiver that may send.
    func addOutgoing(_ transceiver: TransceiverID, kind: MediaKind) -> MediaSender {
        if let known = outgoing(transceiver) {
            return MediaSender(ssrc: known.ssrc, retransmissionSSRC: known.retransmissionSSRC)
        }
        let ssrc = freshSource()
        let retransmission = kind == .video ? freshSource() : nil
        outgoing.append(
            OutgoingMedia(transceiver: transceiver, kind: kind, ssrc: ssrc, retransmissionSSRC: retransmission))
        return MediaSender(ssrc: ssrc, retransmissionSSRC: retransmission)
    }

    private func freshSource() -> SynchronizationSource {
        SynchronizationSource(UInt32(truncatingIfNeeded: random.next()) | 1)
    }

    /// Takes up what both sides agreed upon.
    func apply(_ parameters: MediaSectionParameters, at now: Instant) {
        // Changed in a copy: where nothing is changed in place, each packet's look at it needs no check of access.
        var map = extensionMap
        for each in parameters.receiveExtensions {
            guard let known = RTPHeaderExtension(uri: each.uri), map.id(of: known) != each.id else { continue }
            areExtensionsRenumbered = areExtensionsRenumbered || map.contains(known)
            map.set(known, id: each.id)
        }
        extensionMap = map
        outgoing(parameters.transceiver)?.apply(parameters, packetSize: packetSize, random: random)
        latestRoute = nil
        if let known = incoming(parameters.transceiver) {
            known.apply(parameters)
        } else {
            let new = IncomingMedia(parameters)
            new.audio = audioSinks[parameters.transceiver]
            incoming.append(new)
        }
        for source in parameters.remoteSources where routes.count < Self.maximumRoutes {
            routes[source.ssrc] = parameters.transceiver
            if let retransmission = source.retransmissionSSRC { routes[retransmission] = parameters.transceiver }
        }
        congestion.apply(outgoing: outgoing, incoming: incoming)
        announceBitrates(at: now)
        startReports(at: now)
    }

    /// Reports begin with the keys and the first section.
    private func startReports(at now: Instant) {
        guard hasKeys, !incoming.isEmpty, !areReportsScheduled else { return }
        areReportsScheduled = true
        reports.start(at: now, random: random)
    }

    /// Ends what a transceiver sends and receives.
    func remove(_ transceiver: TransceiverID, at now: Instant) {
        for each in outgoing where each.transceiver == transceiver { congestion.removeAll(of: each.ssrc) }
        outgoing.removeAll { $0.transceiver == transceiver }
        incoming.removeAll { $0.transceiver == transceiver }
        audioSinks[transceiver] = nil
        routes = routes.filter { $0.value != transceiver }
        congestion.apply(outgoing: outgoing, incoming: incoming)
        announceBitrates(at: now)
    }

    /// DTLS is connected: packets can be protected.
    func start(_ material: SRTPKeyingMaterial, crypto: any CryptoProvider, at now: Instant) {
        guard !hasKeys else { return }
        do throws(CryptoError) {
            srtp = try SRTPSession(keyingMaterial: material, crypto: crypto)
            rtpOverhead = material.profile.rtpOverhead
            rtcpOverhead = material.profile.rtcpOverhead
            hasKeys = true
        } catch {
            // The provider offered the profile: it has the cipher.
            assertionFailure(error.message)
        }
        for media in outgoing {
            if let parameters = media.parameters {
                media.apply(parameters, packetSize: packetSize, random: random)
            }
        }
        startReports(at: now)
    }

    /// Whether a transceiver's frames leave.
    func isSending(_ transceiver: TransceiverID) -> Bool {
        hasKeys && outgoing.contains { $0.transceiver == transceiver && $0.isAgreed }
    }

    // MARK: Time

    /// When something is to be sent, if there is a path for it.
    var nextTransmission: Instant {
        guard hasKeys else { return .distantFuture }
        var earliest = hasMedia ? min(congestion.nextDeadline, reports.nextReport) : congestion.nextDeadline
        for media in incoming {
            if let deadline = media.stream?.nextDeadline { earliest = min(earliest, deadline) }
        }
        return earliest
    }

    /// When ``handleTimeout(at:)`` has something to do, with or without a path.
    var nextDeadline: Instant {
        var earliest = Instant.distantFuture
        for media in incoming {
            if let deadline = media.video?.nextDeadline { earliest = min(earliest, deadline) }
        }
        return earliest
    }

    /// Does what is due, other than what ``pollTransmit(into:at:tap:)`` writes.
    func handleTimeout(at now: Instant) {
        for media in incoming where media.kind == .video { pollFrames(of: media, at: now) }
    }

    /// Gives out the pictures that are due, and asks for what they lack.
    func pollFrames(of media: IncomingMedia, at now: Instant) {
        while let picture = media.pollFrame(at: now) { events.append(.videoFrame(media.transceiver, picture)) }
        media.pollKeyFrameRequest(at: now)
    }

    /// The path is another one.
    func pathChanged(at now: Instant) {
        congestion.pathChanged(at: now)
        announceBitrates(at: now)
    }

    /// Tells each sender its share of what the path bears.
    func announceBitrates(at now: Instant) {
        for (transceiver, bitrate) in congestion.takeChangedShares(at: now) {
            events.append(.targetBitrate(transceiver, bitrate))
        }
        for (transceiver, bitrate) in congestion.takeChangedSoundShares() {
            events.append(.targetBitrate(transceiver, bitrate))
        }
    }
}

/// Media that was dropped, and why.
public struct MediaCounters: Sendable, Hashable {
    /// Packets of a source that belongs to no transceiver, or of a payload type that was not agreed upon (RFC 9143,
    /// section 9.2).
    public var unmappedPackets = 0
    /// Packets that came before there were keys, or for a direction that was not agreed upon.
    public var unexpectedPackets = 0
    /// Packets that were not RTP or RTCP after all, or redundant audio (RFC 2198) that contradicts itself.
    public var malformedPackets = 0

    public init() {}
}
