internal import Logging
internal import NIOCore
internal import NIOPosix
internal import RTCCrypto
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

/// What a connection keeps on its event loop: the sans-IO peer, the sockets that feed it, and the timer that wakes it.
///
/// Everything here runs on the loop. Datagrams, time and the application's wishes go into the peer; then it is drained:
/// datagrams to the sockets, events to the application, the next deadline to the timer. After a burst of reads, and after
/// any number of calls that the loop has queued, it is drained once.
final class Engine {
    /// Whose engine this is. The connection owns the engine.
    private(set) weak var connection: PeerConnection?

    var peer: Peer
    let loop: any EventLoop
    let configuration: PeerConnection.Configuration
    let random = SystemRandom()
    let crypto = BoringCrypto()
    let log: Logger
    let events: EventFeed
    let signals: Broadcast<Signal>

    /// The sockets, by the number that the peer knows them by.
    var sockets: [SocketID: DatagramSocket] = [:]
    /// The connections over TCP and TLS: to TURN servers, and to the other peer.
    var streams: [SocketID: StreamConnection] = [:]
    /// The local addresses for TCP, and their listeners.
    var tcpSockets: [SocketID: (ip: IPAddress, listener: StreamListener?)] = [:]
    /// The listener of each accepted connection that no connectivity check has confirmed yet.
    var unconfirmedStreams: [SocketID: SocketID] = [:]
    var nextSocket: UInt32 = 0
    var interfaceObservation: InterfaceMonitor.Observation?
    var mailboxes: [Peer.ChannelID: ChannelMailbox] = [:]
    /// Channels whose readers are to be woken at the end of the burst.
    var channelsWithMail: [Peer.ChannelID] = []
    /// Channels on which somebody waits to send, who has waited longest first; each once.
    var channelsWithSenders: [Peer.ChannelID] = []
    /// Bytes that all channels together may hold until they are acknowledged.
    let totalSendLimit: Int
    var tickets = 0
    /// The transceivers, and what encodes and decodes for them.
    var pipelines: [TransceiverID: TransceiverPipelines] = [:]
    var iceServers: [ICEServerAddress]
    /// Servers of lists before this one that still relay for us.
    var formerServers: [ICEServerAddress] = []
    var nextServer: Int
    var hasGathered = false
    /// The machine's addresses that may be used, as of the last change.
    var localAddresses: [IPAddress] = []
    var pendingLookups = PendingLookups()
    var multicastNames = MulticastNames()
    /// The sockets that are shared with other connections, and our number there.
    var muxMember: (mux: SharedSockets, id: ICEDemultiplexer.AgentID)?
    /// The user name fragments that the mux knows.
    var announcedFragments: [String] = []
    let dump: PacketDump?
    let trace: EngineTrace?

    private var timer: Scheduled<Void>?
    private var timerDeadline = Instant.distantFuture
    /// Set after the end while TURN servers are told of it: then it closes the sockets, whatever they say.
    private var lingering: Scheduled<Void>?
    private var isDrainScheduled = false
    private var isRefreshScheduled = false
    private var fragmentsMayDiffer = false
    /// Set while sockets are given what the peer has to send.
    private var isTransmitting = false
    private(set) var isClosed = false

    init(
        _ configuration: PeerConnection.Configuration, on loop: any EventLoop,
        events: EventFeed, signals: Broadcast<Signal>
    ) throws(RTCError) {
        try configuration.validate()
        var configuration = configuration
        let bounds = PeerConnection.MediaConfiguration.startBitrates
        configuration.media.startBitrate = min(
            max(configuration.media.startBitrate, bounds.lowerBound), bounds.upperBound)
        self.configuration = configuration
        self.loop = loop
        log = configuration.logger
        self.events = events
        self.signals = signals
        iceServers = try Self.addresses(of: configuration.iceServers)
        nextServer = iceServers.count
        let certificate: Certificate
        do throws(CryptoError) {
            if let supplied = configuration.certificate {
                certificate = supplied
            } else {
                certificate = try .generate()
            }
        } catch {
            throw RTCError(code: .crypto, message: error.message)
        }
        var settings = PeerConfiguration(certificate: certificate)
        settings.negotiation = configuration.negotiation
        settings.waitsForOffer = configuration.waitsForOffer
        settings.ice.candidatePolicy = configuration.iceTransportPolicy
        settings.dtlsVersions = configuration.dtlsVersions
        settings.sctp.maximumMessageSize = configuration.maximumMessageSize
        settings.sctp.receiveWindow = min(configuration.receiveBufferLimit, settings.sctp.receiveWindow)
        settings.sctp.maximumReceiveWindow = configuration.receiveBufferLimit
        settings.sctp.sendBufferLimit = configuration.totalSendLimit
        totalSendLimit = settings.sctp.sendBufferLimit
        settings.media = configuration.media.capabilities
        settings.srtpProfiles = configuration.media.srtpProfiles
        settings.startBitrate = configuration.media.startBitrate
        settings.dataShare = configuration.media.dataShare
        settings.clock = MediaClock.timeOfDay
        configuration.media.logMissingCodecs(to: log)
        peer = Peer(configuration: settings, crypto: crypto, random: random)
        dump = try configuration.dumpPath.map { path throws(RTCError) in try PacketDump.open(path) }
        let begin = Instant(nanoseconds: Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
        trace = try configuration.tracePath.map { path throws(RTCError) in try EngineTrace(path, at: begin) }
        peer.tap = dump
    }

    // Each thread sees a value of its own, so nothing is shared between threads.
    private nonisolated(unsafe) static let scratch = ThreadSpecificVariable<PeerScratch>()

    /// Called once, on the loop: what can be set up only there.
    func adopt(_ connection: PeerConnection?) {
        self.connection = connection
        let shared = Self.scratch.currentValue ?? PeerScratch()
        Self.scratch.currentValue = shared
        peer.scratch = shared
        trace?.start(of: self)
    }

    /// The loop's clock, which is monotonic.
    var now: Instant { Instant(nanoseconds: Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds)) }

    /// Lets `body` act on the peer, and has the consequences carried out.
    func perform<Result, Failure: Error>(
        _ body: (inout Peer, Instant) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { scheduleDrain() }
        fragmentsMayDiffer = true
        // What is asked for in one turn goes into one offer, as the W3C's queued negotiationneeded has it.
        peer.isNegotiationHeld = true
        return try body(&peer, now)
    }

    // MARK: Draining

    /// Drains the peer once the calls that are queued on the loop have run: many small sends make one batch.
    func scheduleDrain() {
        guard !isDrainScheduled, !isClosed || lingering != nil else { return }
        isDrainScheduled = true
        loop.assumeIsolated().execute { [weak self] in
            guard let self else { return }
            isDrainScheduled = false
            drain()
        }
    }

    func drain() {
        guard !isClosed else { return linger() }
        // A connection that fails as it is written to says so at once, in the middle of a batch.
        guard !isTransmitting else { return scheduleDrain() }
        peer.releaseNegotiation(at: now)
        transmit()
        while let event = peer.pollEvent() {
            handle(event)
            guard !isClosed else { return }
        }
        if fragmentsMayDiffer {
            fragmentsMayDiffer = false
            updateFragments()
        }
        wakeReaders()
        wakeSenders()
        transmit()
        updateTimer()
    }

    /// Gives the sockets what the peer has to send, as long as the kernel takes it.
    func transmit() {
        guard !isTransmitting else { return }
        isTransmitting = true
        defer { isTransmitting = false }
        let now = now
        DatagramMemory.ofThisThread.transmit { batch in
            // Data wait for a kernel that takes no more; checks go on, since they may find a better path.
            peer.isDataPaused = isSelectedSocketFull
            return peer.pollTransmit(into: &batch, at: now)
        } send: { batch in
            if let socket = sockets[batch.path.socket] {
                if let muxMember { muxMember.mux.sent(batch, by: muxMember.id) }
                socket.send(batch)
            } else if let stream = streams[batch.path.socket] {
                stream.send(UnsafeRawBufferPointer(rebasing: batch.memory.prefix(batch.byteCount)))
            }
        }
    }

    private var isSelectedSocketFull: Bool {
        guard let id = peer.selectedSocket else { return false }
        if let socket = sockets[id] { return !socket.isWritable }
        return streams[id].map { !$0.isWritable } ?? false
    }

    // MARK: Time

    private func updateTimer() {
        guard let deadline = peer.nextDeadline else { return }
        // A timer that fires early finds nothing to do and is set again; that is cheaper than moving it with each packet.
        guard deadline < timerDeadline else { return }
        timer?.cancel()
        timerDeadline = deadline
        let time = NIODeadline.uptimeNanoseconds(UInt64(clamping: deadline.nanoseconds))
        timer = loop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
            guard let self else { return }
            timerDeadline = .distantFuture
            peer.handleTimeout(at: now)
            drain()
        }
    }

    // MARK: Ending

    /// Says good-bye to the other peer and frees everything, in whatever state the connection is. Sockets that lead to a relay
    /// stay until its server has heard that it is not needed any more, or for some seconds.
    func close() {
        guard !isClosed else { return }
        // What was sent a moment ago has its chance to leave.
        transmit()
        peer.close(at: now)
        transmit()
        while let event = peer.pollEvent() { handle(event) }
        isClosed = true
        leaveMux()
        timer?.cancel()
        timer = nil
        timerDeadline = .distantFuture
        interfaceObservation?.cancel()
        interfaceObservation = nil
        closeChannels()
        closeMedia()
        dump?.close()
        trace?.close(at: now)
        events.finish()
        signals.finish()
        guard !peer.isReleased else { return closeSockets() }
        // It keeps the engine, which nobody else has any more.
        lingering = loop.assumeIsolated().scheduleTask(in: Self.longestLingering) { [self] in closeSockets() }
        for listener in tcpSockets.values { listener.listener?.close() }
        linger()
    }

    private static let longestLingering = TimeAmount.seconds(5)

    /// Goes on after the end as far as the relays want it.
    private func linger() {
        guard lingering != nil, !isTransmitting else { return }
        transmit()
        while let event = peer.pollEvent() {
            if case .dropsConnection(let id) = event { drop(id) }
        }
        guard !peer.isReleased else { return closeSockets() }
        updateTimer()
    }

    private func closeSockets() {
        lingering?.cancel()
        lingering = nil
        timer?.cancel()
        timer = nil
        for socket in sockets.values { socket.close() }
        sockets = [:]
        closeStreams()
    }
}

extension Engine: DatagramSocketOwner {
    func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
        let path = TransportPath(socket: socket.id, remote: datagrams.remote)
        let now = now
        let arrival = now - datagrams.waitingTime
        datagrams.forEach { peer.receive(RawSpan(_unsafeBytes: $0), on: path, arrival: arrival, at: now) }
        socket.measuresWaiting = peer.hasMedia
    }

    func datagramSocketDidReadBurst(_ socket: DatagramSocket) {
        drain()
    }

    func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) {
        drain()
    }

    func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {
        sockets[socket.id] = nil
        if isOfPeer(socket.id) {
            peer.connectionClosed(socket.id, at: now)
        } else {
            peer.removeSocket(socket.id, at: now)
        }
        log.warning("The socket on \(socket.localAddress) is gone: \(error)")
        drain()
        // The system takes sockets from a suspended app, for one: its address is still there.
        scheduleRefresh()
    }

    /// Opens what is missing, soon: much may fail at once, and fail again.
    func scheduleRefresh() {
        guard !isRefreshScheduled else { return }
        isRefreshScheduled = true
        loop.assumeIsolated().scheduleTask(in: .milliseconds(200)) { [weak self] in
            self?.isRefreshScheduled = false
            self?.refreshSockets()
        }
    }
}
