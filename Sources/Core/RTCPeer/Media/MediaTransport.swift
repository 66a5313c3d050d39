internal import RTCMedia
internal import RTCTransport
internal import RTCWire

/// The audio and video of one peer: RTP and RTCP under SRTP, for all transceivers of the bundle (RFC 9143).
///
/// Encoded frames go in and leave as datagrams; datagrams go in and leave as video frames in order and audio packets.
/// Starts with the keys of the DTLS handshake and the first answer that agrees on media.
///
/// A class although one peer owns it exclusively: as part of the peer's noncopyable value, its many fields would take
/// the compiler minutes.
final class MediaTransport {
    /// The size in bytes of a datagram with media.
    static let datagramSize = 1_200
    /// The longest round trip assumed.
    static let longestRoundTripTime = TimeDelta.seconds(2)
    /// The interval of lip-sync corrections.
    static let synchronizationInterval = TimeDelta.milliseconds(500)
    /// The most sources remembered, so that a peer cannot exhaust memory.
    static let maximumRoutes = 256

    let random: any RandomSource
    /// Maps our clock to wall-clock time, for sender reports.
    let clock: NTPClock
    /// The CNAME of all our sources (RFC 7022), as in descriptions.
    let cname: [UInt8]
    /// The SSRC of reports while nothing is sent.
    let reportingSource: SynchronizationSource

    /// `nil` before DTLS is connected, or if no SRTP profile was negotiated.
    var srtp: SRTPSession?
    private(set) var hasKeys = false
    /// The bytes that SRTP and SRTCP add to a packet: the most of any profile until one is negotiated.
    private(set) var rtpOverhead = 16
    private(set) var rtcpOverhead = 20
    var outgoing: [OutgoingMedia] = []
    var incoming: [IncomingMedia] = []
    /// The audio sinks, including those of transceivers not yet negotiated.
    var audioSinks: [TransceiverID: any AudioPacketSink] = [:]
    /// The transceiver of each source.
    var routes: [SynchronizationSource: TransceiverID] = [:] {
        // Must not read the old value, so that the dictionary is changed in place.
        didSet { latestRoute = nil }
    }
    /// The source of the last packet, and its media: packets arrive in trains.
    var latestRoute: (source: SynchronizationSource, media: IncomingMedia)?
    /// The IDs of the header extensions, common to the whole bundle.
    var extensionMap = RTPHeaderExtensionMap()
    /// Whether an extension ID has changed during the call. Some implementations keep sending the old one.
    var areExtensionsRenumbered = false

    var congestion: CongestionControl
    var reports: RTCPScheduler
    private var areReportsScheduled = false
    /// The index of our first stream in the next report.
    var reportTurn = 0
    var hasSentBye = false
    var lipSync = LipSync()
    var nextSynchronization = Instant.zero
    /// When the device's delay is looked at next.
    var nextFollowing = Instant.zero
    /// The packets to be sent on the backup path too.
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

    /// The size in bytes of an RTP packet before protection.
    var packetSize: Int { Self.datagramSize - rtpOverhead }

    func outgoing(_ transceiver: TransceiverID) -> OutgoingMedia? {
        outgoing.first { $0.transceiver == transceiver }
    }

    func incoming(_ transceiver: TransceiverID) -> IncomingMedia? {
        incoming.first { $0.transceiver == transceiver }
    }

    // MARK: Results of negotiation

    /// Adds a source for a transceiver that may send.
    func addOutgoing(_ transceiver: TransceiverID, kind: MediaKind) -> MediaSender {
        if let known = outgoing(transceiver) {
            return MediaSender(ssrc: known.ssrc, retransmissionSSRC: known.retransmissionSSRC)
        }
        let ssrc = newSSRC()
        let retransmission = kind == .video ? newSSRC() : nil
        outgoing.append(
            OutgoingMedia(transceiver: transceiver, kind: kind, ssrc: ssrc, retransmissionSSRC: retransmission))
        return MediaSender(ssrc: ssrc, retransmissionSSRC: retransmission)
    }

    private func newSSRC() -> SynchronizationSource {
        SynchronizationSource(UInt32(truncatingIfNeeded: random.next()) | 1)
    }

    /// Adopts the negotiated parameters.
    func apply(_ parameters: MediaSectionParameters, at now: Instant) {
        // Modifies a copy: without in-place changes, each packet's access needs no exclusivity check.
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

    /// Starts the reports once there are keys and a section.
    private func startReports(at now: Instant) {
        guard hasKeys, !incoming.isEmpty, !areReportsScheduled else { return }
        areReportsScheduled = true
        reports.start(at: now, random: random)
    }

    /// Ends sending and receiving of a transceiver.
    func remove(_ transceiver: TransceiverID, at now: Instant) {
        for each in outgoing where each.transceiver == transceiver { congestion.removeAll(of: each.ssrc) }
        outgoing.removeAll { $0.transceiver == transceiver }
        incoming.removeAll { $0.transceiver == transceiver }
        audioSinks[transceiver] = nil
        routes = routes.filter { $0.value != transceiver }
        congestion.apply(outgoing: outgoing, incoming: incoming)
        announceBitrates(at: now)
    }

    /// Starts SRTP after the DTLS handshake.
    ///
    /// - Throws: `CryptoError` if the provider refuses the keys.
    func start(
        _ material: SRTPKeyingMaterial, crypto: any CryptoProvider, at now: Instant
    ) throws(CryptoError) {
        guard !hasKeys else { return }
        srtp = try SRTPSession(keyingMaterial: material, crypto: crypto)
        rtpOverhead = material.profile.rtpOverhead
        rtcpOverhead = material.profile.rtcpOverhead
        hasKeys = true
        for media in outgoing {
            if let parameters = media.parameters {
                media.apply(parameters, packetSize: packetSize, random: random)
            }
        }
        startReports(at: now)
    }

    /// Whether frames of a transceiver are sent.
    func isSending(_ transceiver: TransceiverID) -> Bool {
        hasKeys && outgoing.contains { $0.transceiver == transceiver && $0.isAgreed }
    }

    // MARK: Time

    /// The time of the next packet, if there is a path.
    var nextTransmission: Instant {
        guard hasKeys else { return .distantFuture }
        var earliest = hasMedia ? min(congestion.nextDeadline, reports.nextReport) : congestion.nextDeadline
        for media in incoming {
            if let deadline = media.stream?.nextDeadline { earliest = min(earliest, deadline) }
        }
        return earliest
    }

    /// The time at which ``handleTimeout(at:)`` is due, with or without a path.
    var nextDeadline: Instant {
        var earliest = Instant.distantFuture
        for media in incoming {
            if let deadline = media.video?.nextDeadline { earliest = min(earliest, deadline) }
        }
        return earliest
    }

    /// Does what is due, except for what ``pollTransmit(into:at:tap:)`` writes.
    func handleTimeout(at now: Instant) {
        for media in incoming where media.kind == .video { pollFrames(of: media, at: now) }
    }

    /// Emits the frames that are due, and requests a key frame if needed.
    func pollFrames(of media: IncomingMedia, at now: Instant) {
        var isReleased = false
        while let picture = media.pollFrame(at: now) {
            events.append(.videoFrame(media.transceiver, picture))
            isReleased = true
        }
        if isReleased { followPlayoutDelay(at: now) }
        media.pollKeyFrameRequest(at: now)
    }

    /// Restarts the congestion control on another path.
    func pathChanged(at now: Instant) {
        congestion.pathChanged(at: now)
        announceBitrates(at: now)
    }

    /// Tells each sender its share of the bandwidth.
    func announceBitrates(at now: Instant) {
        for (transceiver, bitrate) in congestion.takeChangedVideoBitrates(at: now) {
            events.append(.targetBitrate(transceiver, bitrate))
        }
        for (transceiver, bitrate) in congestion.takeChangedAudioBitrates() {
            events.append(.targetBitrate(transceiver, bitrate))
        }
    }
}

/// Media that was dropped, and why.
@usableFromInline package struct MediaCounters: Sendable, Hashable {
    /// Packets of a source that belongs to no transceiver, or of a payload type that was not agreed upon (RFC 9143,
    /// section 9.2).
    @usableFromInline package var unmappedPackets = 0
    /// Packets that came before there were keys, or for a direction that was not agreed upon.
    @usableFromInline package var unexpectedPackets = 0
    /// Packets that were not RTP or RTCP after all, or redundant audio (RFC 2198) that contradicts itself.
    @usableFromInline package var malformedPackets = 0

    @usableFromInline package init() {}
}
