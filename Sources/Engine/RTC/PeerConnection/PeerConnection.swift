internal import NIOCore
internal import NIOPosix
public import RTCPeer
public import RTCTransport
internal import RTCWire

/// A WebRTC connection to one other peer (W3C RTCPeerConnection).
///
/// Two peers connect by exchanging `Signal`s over any channel that the application has:
///
/// ```swift
/// let connection = try PeerConnection()
/// Task { for await signal in connection.signals { await server.send(signal) } }
/// Task { for await signal in server.received { try await connection.receive(signal) } }
///
/// let channel = try await connection.createDataChannel("chat")
/// try await channel.send("hello")
/// ```
///
/// Offers, answers, candidates, and what happens when both sides offer at once are settled inside. An application that
/// wants to do it by hand, as the W3C's API does, sets ``Configuration/negotiation`` to `.manual`.
///
/// The actor runs on an event loop of SwiftNIO, together with its sockets and timers. ``close()`` frees everything; so
/// does letting go of the connection and its channels.
public actor PeerConnection {
    nonisolated let loop: any EventLoop
    nonisolated let eventFeed: EventFeed
    nonisolated let signalBroadcast = Broadcast<Signal>(.unbounded, keepingUnread: 1_024)
    /// What lives on the loop: the sans-IO peer, its sockets and its timer.
    nonisolated let box: NIOLoopBoundBox<Engine>

    public nonisolated let configuration: Configuration

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.executor.asUnownedSerialExecutor()
    }

    /// - Throws: ``RTCError`` `crypto`, or `invalidArgument` when the configuration cannot be used.
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

    /// The engine; only on the loop, which isolation to this actor guarantees.
    var engine: Engine { box.value }

    // MARK: Watching

    /// What happens from now on; ends when the connection closes. Each use is a sequence of its own.
    ///
    /// Every event waits until it is taken. Only once hundreds wait are states left out that a later one of the same kind
    /// has replaced: the last of each kind always comes. Channels always come too, up to 4 MiB of them (some 16,000);
    /// those beyond are closed, as the other peer can see. What waits does not keep the connection.
    public nonisolated var events: AsyncStream<Event> { eventFeed.subscribe() }

    /// What is to be carried to the other peer. Each use is a sequence of its own; it ends when the connection closes.
    ///
    /// The first sequence begins with what was signalled before it was asked for, so it may be asked for in a task that
    /// starts late; the newest 1,024 signals wait for it. Any other sequence begins with what comes next.
    ///
    /// With perfect negotiation these are descriptions and candidates; with manual negotiation, candidates alone. None is
    /// left out once a sequence is there: who subscribes has to read.
    public nonisolated var signals: AsyncStream<Signal> { signalBroadcast.subscribe() }

    public var connectionState: ConnectionState { engine.peer.connectionState }
    public var iceConnectionState: ICEConnectionState { engine.peer.iceConnectionState }
    public var iceGatheringState: ICEGatheringState { engine.peer.iceGatheringState }
    public var signalingState: SignalingState { engine.peer.signalingState }

    /// Why the connection is `failed`, in words for a person: no path works, no socket could be opened, or the other peer
    /// is not who its description says.
    public var failureReason: String? { engine.peer.failure?.description }

    /// Whether the connection is `failed` for good, since DTLS refused the other peer: no ``restartICE()`` mends that.
    public var isFailureFinal: Bool {
        if case .dtls = engine.peer.failure { true } else { false }
    }

    /// The pending description, or else the current one, with the candidates gathered so far.
    public var localDescription: SessionDescription? { engine.peer.localDescription }
    /// The description of ours that was agreed upon last, with the candidates gathered so far.
    ///
    /// Whoever signals without trickle ICE sends an answer from here, and an offer from ``pendingLocalDescription``, once
    /// ``iceGatheringState`` is `complete`: an offer of ours may follow our answer at once.
    public var currentLocalDescription: SessionDescription? { engine.peer.currentLocalDescription }
    /// Our offer or provisional answer in an exchange that has not ended, with the candidates gathered so far.
    public var pendingLocalDescription: SessionDescription? { engine.peer.pendingLocalDescription }
    /// The pending description, or else the current one, with the candidates received so far.
    public var remoteDescription: SessionDescription? { engine.peer.remoteDescription }
    /// The other side's description that was agreed upon last, with the candidates received so far.
    public var currentRemoteDescription: SessionDescription? { engine.peer.currentRemoteDescription }
    /// The other side's offer or provisional answer in an exchange that has not ended.
    public var pendingRemoteDescription: SessionDescription? { engine.peer.pendingRemoteDescription }

    // MARK: Perfect negotiation

    /// Takes what the other peer signalled. In any order: a candidate that comes before its description is kept.
    ///
    /// - Throws: ``RTCError`` `invalidDescription` or `invalidCandidate`. The connection goes on as before.
    public func receive(_ signal: Signal) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.receive(signal, at: now) }
        }
    }

    /// Starts over with new addresses (RFC 8445, section 9), without a pause in the traffic: after a change of network, or
    /// when the connection is `disconnected` or `failed`. Makes an offer, unless the connection is `closed`.
    public func restartICE() {
        engine.refreshSockets()
        engine.lookUpServers()
        engine.perform { peer, now in peer.restartICE(at: now) }
    }

    /// Takes other ICE servers: renewed credentials for those that are known by their URL, such as REST ones that are about
    /// to expire, and new servers. Do it before ``restartICE()``, which then uses them.
    ///
    /// Relays that work go on under the credentials that they were made with, for as long as their server lets them.
    ///
    /// - Throws: ``RTCError`` `invalidArgument`, which names what cannot be used; then nothing has changed.
    public func setICEServers(_ servers: [ICEServer]) throws(RTCError) {
        try engine.setICEServers(servers)
    }

    /// Collects changes: until ``resumeNegotiation()`` no offer is made of them, however many there are. Offers of the other
    /// side are answered all the same. Doing it twice changes nothing.
    ///
    /// ``restartICE()`` is not held back: its offer speaks of all changes so far.
    public func suspendNegotiation() {
        engine.perform { peer, _ in peer.suspendNegotiation() }
    }

    /// Makes one offer of all that was changed since ``suspendNegotiation()``; none if nothing was.
    public func resumeNegotiation() {
        engine.perform { peer, now in peer.resumeNegotiation(at: now) }
    }

    /// Says which side gives way from now on when offers cross, as ``Configuration/negotiation`` said before. Exactly one of
    /// both sides has to be polite. Nothing with manual negotiation.
    public func setPolite(_ isPolite: Bool) {
        engine.perform { peer, _ in peer.setPolite(isPolite) }
    }

    // MARK: Manual negotiation

    /// An offer of the present wishes. It takes effect with ``setLocalDescription(_:)``.
    ///
    /// - Throws: ``RTCError`` `invalidState` when an offer of the other peer waits for its answer, with perfect negotiation, and
    ///   when the connection is closed.
    public func createOffer() throws(RTCError) -> SessionDescription {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.createOffer(at: now) }
        }
    }

    /// An answer to the offer that was set by ``setRemoteDescription(_:)``.
    ///
    /// - Throws: ``RTCError`` `invalidState` when there is no offer to answer, with perfect negotiation, and when the connection
    ///   is closed.
    public func createAnswer() throws(RTCError) -> SessionDescription {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.createAnswer(at: now) }
        }
    }

    /// Applies a description of our own; `nil` creates the one that fits, as W3C's `setLocalDescription()` does.
    ///
    /// - Throws: ``RTCError`` `invalidState` when it does not fit what was exchanged so far, with perfect negotiation, and when the
    ///   connection is closed; `invalidDescription` when it is not the one that was created.
    public func setLocalDescription(_ description: SessionDescription? = nil) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.setLocalDescription(description, at: now)
            }
        }
    }

    /// Applies the other peer's description.
    ///
    /// - Throws: ``RTCError`` `invalidDescription` when it cannot be read or breaks a rule; `invalidState` when it does not fit
    ///   what was exchanged so far, with perfect negotiation, and when the connection is closed.
    public func setRemoteDescription(_ description: SessionDescription) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in
                try peer.setRemoteDescription(description, at: now)
            }
        }
    }

    /// Adds a candidate of the other peer; an empty one ends them.
    ///
    /// - Throws: ``RTCError`` `invalidCandidate` when it cannot be read or is of other credentials than the description,
    ///   `invalidDescription` when it is for a section that does not exist; `invalidState` when there is no description of the
    ///   other peer yet, with perfect negotiation, and when the connection is closed.
    public func addICECandidate(_ candidate: ICECandidateInit) throws(RTCError) {
        try engine.perform { peer, now throws(RTCError) in
            try RTCError.translating { () throws(NegotiationError) in try peer.addICECandidate(candidate, at: now) }
        }
    }

    // MARK: Data channels

    /// Opens a data channel, which is open when the other peer has been reached: ``DataChannel/send(_:)-(String)`` waits for
    /// that.
    ///
    /// - Throws: ``RTCError`` `invalidArgument` when the options contradict each other, `invalidState` when the connection
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
        while engine.isConnecting(key) {
            if let failure = engine.failure { throw failure }
            try await waitForRoom(0, key)
        }
    }

    private func waitForRoom(_ byteCount: Int, _ key: Peer.ChannelID) async throws {
        let ticket = engine.nextTicket()
        await withTaskCancellationHandler {
            await withCheckedContinuation {
                let sender = ChannelMailbox.Sender(ticket: ticket, byteCount: byteCount, continuation: $0)
                engine.wait(sender, on: key)
            }
        } onCancel: {
            cancelWaiting(ticket, on: key)
        }
        try Task.checkCancellation()
    }

    func receiveMessages(on key: Peer.ChannelID, upTo maximum: Int) async -> [DataChannel.Message] {
        let messages = engine.takeMessages(on: key, upTo: maximum)
        guard messages.isEmpty, engine.mayReceive(on: key), !Task.isCancelled else { return messages }
        let ticket = engine.nextTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation {
                engine.wait(ChannelMailbox.Reader(ticket: ticket, maximum: maximum, continuation: $0), on: key)
            }
        } onCancel: {
            cancelWaiting(ticket, on: key)
        }
    }

    private nonisolated func cancelWaiting(_ ticket: Int, on key: Peer.ChannelID) {
        let box = box
        loop.execute { box.value.cancelWaiting(ticket, on: key) }
    }

    func bufferedAmount(of key: Peer.ChannelID) -> Int { engine.peer.bufferedAmount(of: key) }

    func setBufferedAmountLowThreshold(_ byteCount: Int, of key: Peer.ChannelID) {
        engine.peer.setBufferedAmountLowThreshold(byteCount, of: key)
    }

    func closeChannel(_ key: Peer.ChannelID) {
        engine.closeChannel(key)
    }

    /// Nobody has the channel any more: it is closed.
    nonisolated func abandonChannel(_ key: Peer.ChannelID) {
        let box = box
        loop.execute { box.value.abandonChannel(key) }
    }

    // MARK: Statistics

    /// What the connection has done so far, under the names of W3C webrtc-stats.
    public func getStats() -> StatisticsReport { engine.statistics() }

    // MARK: Ending

    /// Closes the connection and frees its sockets, timers and memory at once, in whatever state it is. The other peer is
    /// told. Channels end as `closed`; sequences finish. Closing twice does nothing.
    ///
    /// With TURN servers, sockets stay for a round trip, and at most for 5 s: until the servers have given back what they
    /// hold for us.
    public func close() {
        engine.close()
    }
}
