internal import NIOCore
internal import NIOPosix
public import RTCPeer
public import RTCTransport
internal import RTCWire

/// A WebRTC connection to one other peer (W3C RTCPeerConnection).
///
/// Two peers connect by exchanging `Signal`s over any signalling channel of the application. Exactly one of the two is polite:
///
/// ```swift
/// var configuration = PeerConnection.Configuration()
/// configuration.negotiation = .perfect(isPolite: isCallee)
/// let connection = try PeerConnection(configuration: configuration)
/// Task { for await signal in connection.signals { await server.send(signal) } }
/// Task {
///     for await signal in server.received {
///         do { try await connection.receive(signal) } catch { print("the other peer sent \(signal): \(error)") }
///     }
/// }
///
/// let channel = try await connection.createDataChannel("chat")
/// try await channel.send("hello")
/// ```
///
/// Offers, answers and candidates are exchanged automatically, and colliding offers are resolved (perfect negotiation).
/// To do it by hand, with the W3C API, set ``Configuration/negotiation`` to `.manual`.
///
/// The actor runs on a SwiftNIO event loop, together with its sockets and timers. ``close()`` frees all resources, and
/// so does releasing the connection and its channels. A task whose closure names the connection, as above, keeps it until the task ends:
/// close it then. Its ``signals`` and ``events`` end by that.
public actor PeerConnection {
    nonisolated let loop: any EventLoop
    nonisolated let eventFeed: EventFeed
    nonisolated let signalBroadcast = Broadcast<Signal>(.unbounded, keepingUnread: 1_024)
    /// The engine on the event loop: the sans-IO peer, its sockets and its timer.
    nonisolated let box: NIOLoopBoundBox<Engine>

    public nonisolated let configuration: Configuration

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.executor.asUnownedSerialExecutor()
    }

    /// Creates a connection.
    ///
    /// - Throws: ``RTCError`` `crypto`, or `invalidArgument` if the configuration is invalid.
    public init(configuration: Configuration = Configuration()) throws(RTCError) {
        let loop = configuration.network.udpMux?.loop ?? MultiThreadedEventLoopGroup.singleton.next()
        self.loop = loop
        self.configuration = configuration
        eventFeed = EventFeed(log: configuration.logger)
        let engine = try Engine(configuration, on: loop, events: eventFeed, signals: signalBroadcast)
        box = NIOLoopBoundBox.makeBoxSendingValue(engine, eventLoop: loop)
        let box = box
        loop.execute { [weak self] in box.value.adopt(self) }
    }

    deinit {
        let box = box
        loop.execute { box.value.close() }
    }

    /// The engine, accessible only on the loop, which isolation to this actor guarantees.
    var engine: Engine { box.value }

    // MARK: Events and states

    /// The events from now on. The sequence ends when the connection closes. Each access creates a new sequence.
    ///
    /// Events are buffered until they are read. If hundreds are buffered, a state that a later state of the same kind
    /// replaces is dropped: the last one is always delivered. Data channels are always delivered, up to 4 MiB of them
    /// (some 16,000); further ones are closed, which the peer can see. Buffered events do not keep the connection
    /// alive.
    public nonisolated var events: AsyncStream<Event> { eventFeed.subscribe() }

    /// The signals to send to the other peer. Each access creates a new sequence, which ends when the connection
    /// closes.
    ///
    /// The first sequence begins with the signals that were made before it was created, up to the newest 1,024, so a
    /// task that reads them may start late. Any other sequence begins with the next signal.
    ///
    /// With perfect negotiation the signals are descriptions and candidates; with manual negotiation, candidates alone.
    /// A sequence buffers without limit: read it.
    public nonisolated var signals: AsyncStream<Signal> { signalBroadcast.subscribe() }

    public var connectionState: ConnectionState { engine.peer.connectionState }
    public var iceConnectionState: ICEConnectionState { engine.peer.iceConnectionState }
    public var iceGatheringState: ICEGatheringState { engine.peer.iceGatheringState }
    public var signalingState: SignalingState { engine.peer.signalingState }

    /// The reason why the connection is `failed`, human-readable: no path works, no socket could be opened, the peer's
    /// certificate does not match its description, or a bug of this package.
    public var failureReason: String? { engine.peer.failure?.description }

    /// Whether the connection is `failed` for good, because DTLS rejected the peer, or by a bug of this package:
    /// ``restartICE()`` does not help.
    public var isFailureFinal: Bool {
        switch engine.peer.failure {
        case .dtls, .internal: true
        case .noSocket, .noPath, nil: false
        }
    }

    /// The pending local description, or else the current one, with the candidates gathered so far.
    public var localDescription: SessionDescription? { engine.peer.localDescription }
    /// The local description that was negotiated last, with the candidates gathered so far.
    ///
    /// To signal without trickle ICE, wait until ``iceGatheringState`` is `complete`, then send an answer from here, or
    /// an offer from ``pendingLocalDescription``: an offer may follow the answer at once.
    public var currentLocalDescription: SessionDescription? { engine.peer.currentLocalDescription }
    /// The local offer or provisional answer of a negotiation that has not ended, with the candidates gathered so far.
    public var pendingLocalDescription: SessionDescription? { engine.peer.pendingLocalDescription }
    /// The pending remote description, or else the current one, with the candidates received so far.
    public var remoteDescription: SessionDescription? { engine.peer.remoteDescription }
    /// The remote description that was negotiated last, with the candidates received so far.
    public var currentRemoteDescription: SessionDescription? { engine.peer.currentRemoteDescription }
    /// The remote offer or provisional answer of a negotiation that has not ended.
    public var pendingRemoteDescription: SessionDescription? { engine.peer.pendingRemoteDescription }

    // MARK: Perfect negotiation

    /// Handles a signal of the other peer. Signals may arrive in any order: a candidate that arrives before its
    /// description is kept.
    ///
    /// - Throws: ``RTCError`` `invalidDescription` or `invalidCandidate`, or `invalidState` with manual negotiation. The connection
    ///   continues as before. Once it is closed, signals are ignored.
    public func receive(_ signal: Signal) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.receive(signal, at: now) }
        }
    }

    /// Restarts ICE with new credentials (RFC 8445, section 9) without interrupting media: after a change of network,
    /// or when the connection is `disconnected` or `failed`. Makes an offer, unless the connection is `closed`.
    public func restartICE() {
        engine.refreshSockets()
        engine.lookUpServers()
        engine.perform { peer, now in peer.restartICE(at: now) }
    }

    /// Replaces the ICE servers: for example, when their credentials are about to expire. Call it before
    /// ``restartICE()``, which then uses them.
    ///
    /// Allocations on TURN servers continue with the previous credentials, as long as their server permits.
    ///
    /// - Throws: ``RTCError`` `invalidArgument`, which names the invalid server. Nothing has changed then.
    public func setICEServers(_ servers: [ICEServer]) throws(RTCError) {
        try engine.setICEServers(servers)
    }

    /// Suspends offers, so that several changes are negotiated together by ``resumeNegotiation()``. Offers of the peer
    /// are answered meanwhile. Calling it twice changes nothing.
    ///
    /// ``restartICE()`` makes its offer nevertheless, which then contains all changes so far.
    public func suspendNegotiation() {
        engine.perform { peer, _ in peer.suspendNegotiation() }
    }

    /// Resumes offers after ``suspendNegotiation()``. Makes one offer if anything changed.
    public func resumeNegotiation() {
        engine.perform { peer, now in peer.resumeNegotiation(at: now) }
    }

    /// Sets whether this peer is the polite one when offers collide, in place of ``Configuration/negotiation``. Exactly
    /// one of the two peers has to be polite. Does nothing with manual negotiation.
    public func setPolite(_ isPolite: Bool) {
        engine.perform { peer, _ in peer.setPolite(isPolite) }
    }

    // MARK: Manual negotiation

    /// Creates an offer with all changes so far. Apply it with ``setLocalDescription(_:)``.
    ///
    /// - Throws: ``RTCError`` `invalidState` if an offer of the peer has not been answered, with perfect negotiation,
    ///   or if the connection is closed.
    public func createOffer() throws(RTCError) -> SessionDescription {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.createOffer(at: now) }
        }
    }

    /// Creates an answer to the offer that ``setRemoteDescription(_:)`` has set.
    ///
    /// - Throws: ``RTCError`` `invalidState` if there is no offer to answer, with perfect negotiation, or if the
    ///   connection is closed.
    public func createAnswer() throws(RTCError) -> SessionDescription {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.createAnswer(at: now) }
        }
    }

    /// Applies a local description; `nil` creates the one that the signalling state calls for, as W3C's
    /// `setLocalDescription()` does.
    ///
    /// - Throws: ``RTCError`` `invalidState` if the description does not match the signalling state, with perfect
    ///   negotiation, or if the connection is closed; `invalidDescription` if it is not the one that was created.
    public func setLocalDescription(_ description: SessionDescription? = nil) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.setLocalDescription(description, at: now)
            }
        }
    }

    /// Applies a description of the peer.
    ///
    /// - Throws: ``RTCError`` `invalidDescription` if it cannot be parsed or breaks a rule; `invalidState` if it does
    ///   not match the signalling state, with perfect negotiation, or if the connection is closed.
    public func setRemoteDescription(_ description: SessionDescription) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in
                try peer.setRemoteDescription(description, at: now)
            }
        }
    }

    /// Adds a candidate of the peer; an empty one is the end of candidates.
    ///
    /// - Throws: ``RTCError`` `invalidCandidate` if it cannot be parsed or its username fragment does not match the
    ///   description; `invalidDescription` if its media section does not exist; `invalidState` if there is no remote
    ///   description yet, with perfect negotiation, or if the connection is closed.
    public func addICECandidate(_ candidate: ICECandidateInit) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.addICECandidate(candidate, at: now) }
        }
    }

    // MARK: Data channels

    /// Creates a data channel. ``DataChannel/send(_:)-(String)`` waits until it is open.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` if the options contradict each other, `invalidState` if the connection
    ///   is closed.
    public func createDataChannel(
        _ label: String, options: DataChannelOptions = DataChannelOptions()
    ) throws(RTCError) -> DataChannel {
        try engine.openChannel(label, options: options, connection: self)
    }

    func send(_ messages: [DataChannel.Message], on key: Peer.ChannelID) async throws {
        for message in messages {
            let byteCount = message.byteCount
            while engine.mustWait(toSend: byteCount, on: key) { try await waitForRoom(byteCount, key) }
            try engine.send(message, on: key)
        }
    }

    /// Waits until the channel is no longer `connecting`.
    ///
    /// - Throws: ``RTCError`` when the connection fails first.
    func waitUntilOpen(_ key: Peer.ChannelID) async throws {
        while engine.mailboxes.isConnecting(key) {
            if let failure = engine.failure { throw failure }
            try await waitForRoom(0, key)
        }
    }

    private func waitForRoom(_ byteCount: Int, _ key: Peer.ChannelID) async throws {
        let ticket = engine.mailboxes.nextTicket()
        await withTaskCancellationHandler {
            await withCheckedContinuation {
                let sender = ChannelMailbox.Sender(ticket: ticket, byteCount: byteCount, continuation: $0)
                engine.mailboxes.wait(sender, on: key)
            }
        } onCancel: {
            cancelWaiting(ticket, on: key)
        }
        try Task.checkCancellation()
    }

    func receiveMessages(on key: Peer.ChannelID, upTo maximum: Int) async -> [DataChannel.Message] {
        let messages = engine.takeMessages(on: key, upTo: maximum)
        guard messages.isEmpty, engine.mailboxes.mayReceive(on: key), !Task.isCancelled else { return messages }
        let ticket = engine.mailboxes.nextTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation {
                engine.mailboxes.wait(
                    ChannelMailbox.Reader(ticket: ticket, maximum: maximum, continuation: $0), on: key)
            }
        } onCancel: {
            cancelWaiting(ticket, on: key)
        }
    }

    private nonisolated func cancelWaiting(_ ticket: Int, on key: Peer.ChannelID) {
        let box = box
        loop.execute { box.value.mailboxes.cancelWaiting(ticket, on: key) }
    }

    func bufferedAmount(of key: Peer.ChannelID) -> Int { engine.peer.bufferedAmount(of: key) }

    func setBufferedAmountLowThreshold(_ byteCount: Int, of key: Peer.ChannelID) {
        engine.peer.setBufferedAmountLowThreshold(byteCount, of: key)
    }

    func closeChannel(_ key: Peer.ChannelID) {
        engine.closeChannel(key)
    }

    /// Closes a channel that the application has released.
    nonisolated func abandonChannel(_ key: Peer.ChannelID) {
        let box = box
        loop.execute { box.value.abandonChannel(key) }
    }

    // MARK: Statistics

    /// Returns the statistics of the connection, with the names of W3C webrtc-stats.
    public func getStats() -> StatisticsReport { engine.statistics() }

    // MARK: Closing

    /// Closes the connection, in any state, and frees its sockets, timers and memory at once. The peer is notified.
    /// Channels become `closed`; sequences finish. Closing twice does nothing.
    ///
    /// With TURN servers, sockets stay open for a round trip, and at most for 5 s, to release the allocations.
    public func close() {
        engine.close()
    }
}
