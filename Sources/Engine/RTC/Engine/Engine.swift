internal import Logging
internal import NIOCore
internal import NIOPosix
internal import RTCCrypto
internal import RTCNetwork
internal import RTCPeer
internal import RTCTransport
internal import RTCWire

/// The part of a connection on its event loop: the sans-IO peer, its sockets, and its timer.
///
/// Everything here runs on the loop. Datagrams, time and application requests go into the peer; then it is drained:
/// datagrams to the sockets, events to the application, the next deadline to the timer. It is drained once per burst of
/// reads, and once after any number of calls queued on the loop.
final class Engine {
    /// The connection, which owns the engine.
    private(set) weak var connection: PeerConnection?

    var peer: Peer
    let loop: any EventLoop
    let configuration: PeerConnection.Configuration
    let random = SystemRandom()
    let crypto = BoringCrypto()
    let log: Logger
    let events: EventFeed
    let signals: Broadcast<Signal>

    // The parts, each of which owns its state.
    var sockets = EngineSockets()
    var hostAddresses = HostAddresses()
    /// The membership in a mux, if sockets are shared with other connections.
    var muxMembership: MuxMembership?
    var servers: ICEServerList
    var pendingLookups = PendingLookups()
    var multicastNames = MulticastNames()
    var mailboxes = ChannelMailboxes()
    /// The transceivers, with their encoders and decoders.
    var pipelines: [TransceiverID: TransceiverPipelines] = [:]

    /// The most bytes that all channels together may buffer until they are acknowledged.
    let totalSendLimit: Int
    let dump: PacketDump?
    let trace: EngineTrace?

    private var timer: Scheduled<Void>?
    private var timerDeadline = Instant.distantFuture
    /// Set after closing while the release of TURN allocations is pending; closes the sockets at its end in any case.
    private var relayReleaseTimeout: Scheduled<Void>?
    private var isDrainScheduled = false
    private var isRefreshScheduled = false
    private var fragmentsMayDiffer = false
    /// Whether the peer's output is being passed to the sockets.
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
        servers = try ICEServerList(configuration.iceServers)
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
        let begin = MediaClock.now
        trace = try configuration.tracePath.map { path throws(RTCError) in try EngineTrace(path, at: begin) }
        peer.tap = dump
    }

    // Thread-specific, so nothing is shared between threads.
    private nonisolated(unsafe) static let scratch = ThreadSpecificVariable<PeerScratch>()

    /// Completes the set-up that must happen on the loop. Called once.
    func adopt(_ connection: PeerConnection?) {
        self.connection = connection
        let shared = Self.scratch.currentValue ?? PeerScratch()
        Self.scratch.currentValue = shared
        peer.scratch = shared
        trace?.start(of: self)
    }

    var now: Instant { MediaClock.now }

    /// Performs an action on the peer, and processes the consequences.
    func perform<Result, Failure: Error>(
        _ body: (inout Peer, Instant) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { scheduleDrain() }
        fragmentsMayDiffer = true
        // Requests in one turn lead to one offer, as with the W3C's queued negotiationneeded.
        peer.isNegotiationHeld = true
        return try body(&peer, now)
    }

    // MARK: Draining

    /// Drains the peer after the calls queued on the loop, so that many small sends form one batch.
    func scheduleDrain() {
        guard !isDrainScheduled, !isClosed || relayReleaseTimeout != nil else { return }
        isDrainScheduled = true
        loop.assumeIsolated().execute { [weak self] in
            guard let self else { return }
            isDrainScheduled = false
            drain()
        }
    }

    func drain() {
        guard !isClosed else { return keepOpenForRelays() }
        // A connection that fails during a write reports that in the middle of a batch.
        guard !isTransmitting else { return scheduleDrain() }
        peer.releaseNegotiation(at: now)
        transmit()
        while let event = peer.pollEvent() {
            handle(event)
            guard !isClosed else { return }
        }
        if fragmentsMayDiffer {
            fragmentsMayDiffer = false
            muxMembership?.announce(peer.localUsernameFragments)
        }
        wakeReaders()
        wakeSenders()
        transmit()
        updateTimer()
    }

    /// Passes the peer's output to the sockets, as long as the kernel accepts it.
    func transmit() {
        guard !isTransmitting else { return }
        isTransmitting = true
        defer { isTransmitting = false }
        let now = now
        DatagramMemory.ofThisThread.transmit { batch in
            // Data and copies wait for their full socket; checks continue, since they may find a better path.
            peer.isDataPaused = isFull(peer.selectedSocket)
            peer.isBackupPaused = isFull(peer.backupSocket)
            return peer.pollTransmit(into: &batch, at: now)
        } send: { batch in
            if let socket = sockets.udp[batch.path.socket] {
                if let muxMembership { muxMembership.sent(batch) }
                socket.send(batch)
            } else if let stream = sockets.streams[batch.path.socket] {
                stream.send(UnsafeRawBufferPointer(rebasing: batch.memory.prefix(batch.byteCount)))
            }
        }
    }

    private func isFull(_ id: SocketID?) -> Bool {
        guard let id else { return false }
        return sockets.isFull(id)
    }

    // MARK: Time

    private func updateTimer() {
        guard let deadline = peer.nextDeadline else { return }
        // An early timer finds nothing due and is set again, which is cheaper than moving it with each packet.
        guard deadline < timerDeadline else { return }
        timer?.cancel()
        timerDeadline = deadline
        timer = loop.assumeIsolated().scheduleTask(deadline: deadline.deadline) { [weak self] in
            guard let self else { return }
            timerDeadline = .distantFuture
            peer.handleTimeout(at: now)
            drain()
        }
    }

    // MARK: Closing

    /// Closes the connection in any state and frees everything. Sockets to a relay stay open until the server has
    /// confirmed the release, or for some seconds.
    func close() {
        guard !isClosed else { return }
        // Sends what is still pending.
        transmit()
        peer.close(at: now)
        transmit()
        while let event = peer.pollEvent() { handle(event) }
        isClosed = true
        leaveMux()
        timer?.cancel()
        timer = nil
        timerDeadline = .distantFuture
        hostAddresses.stopObserving()
        closeChannels()
        closeMedia()
        dump?.close()
        trace?.close(at: now)
        events.finish()
        signals.finish()
        guard !peer.isReleased else { return closeSockets() }
        // Keeps the engine alive, which has no other owner now.
        relayReleaseTimeout = loop.assumeIsolated().scheduleTask(in: Self.maximumRelayReleaseTime) { [self] in
            closeSockets()
        }
        for address in sockets.tcp.values { address.listener?.close() }
        keepOpenForRelays()
    }

    private static let maximumRelayReleaseTime = TimeAmount.seconds(5)

    /// Continues after closing as long as the relays need it.
    private func keepOpenForRelays() {
        guard relayReleaseTimeout != nil, !isTransmitting else { return }
        transmit()
        while let event = peer.pollEvent() {
            if case .dropsConnection(let id) = event { drop(id) }
        }
        guard !peer.isReleased else { return closeSockets() }
        updateTimer()
    }

    private func closeSockets() {
        relayReleaseTimeout?.cancel()
        relayReleaseTimeout = nil
        timer?.cancel()
        timer = nil
        for socket in sockets.udp.values { socket.close() }
        for stream in sockets.streams.values { stream.close() }
        for address in sockets.tcp.values { address.listener?.close() }
        sockets.removeAll()
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
        sockets.removeUDP(socket.id)
        if isOfPeer(socket.id) {
            peer.connectionClosed(socket.id, at: now)
        } else {
            peer.removeSocket(socket.id, at: now)
        }
        log.warning("The socket on \(socket.localAddress) is gone: \(error)")
        drain()
        // For instance, the system closes the sockets of a suspended app, whose address still exists.
        scheduleRefresh()
    }

    /// Opens missing sockets after a delay, since many may fail at once or repeatedly.
    func scheduleRefresh() {
        guard !isRefreshScheduled else { return }
        isRefreshScheduled = true
        loop.assumeIsolated().scheduleTask(in: .milliseconds(200)) { [weak self] in
            self?.isRefreshScheduled = false
            self?.refreshSockets()
        }
    }
}
