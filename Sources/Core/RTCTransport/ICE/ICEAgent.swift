public import RTCWire

/// A full ICE agent (RFC 8445, RFC 8838, RFC 8839) for one component, as a value without sockets and without a clock.
///
/// The owner opens sockets, hands in STUN datagrams and time, and drains the agent after each input:
/// ``pollTransmit(into:at:)`` until it answers `false`, ``pollEvent()`` until it answers `nil`, then a timer for
/// ``nextDeadline``. docs/ice.md lists what is implemented, every time constant, and what is left out.
@usableFromInline package struct ICEAgent {
    let configuration: ICEConfiguration
    let crypto: any CryptoProvider
    let random: any RandomSource

    /// Decides role conflicts (RFC 8445, section 7.3.1.1).
    var tieBreaker: UInt64
    @usableFromInline package internal(set) var isControlling = false
    @usableFromInline package internal(set) var state = ICEConnectionState.new

    var current: ICEGeneration
    /// The generation before a restart, as long as it carries data or is answered.
    var previous: ICEGeneration?

    var sockets: [ICESocket] = []
    var serverQueries = ICEServerQueries()
    var gathering = ICEGatheringProgress()
    var connections = ICEConnections()

    var localCandidates: [ICELocalCandidate] = []
    var remoteCandidates: [ICERemoteCandidate] = []
    var early = ICEEarlyMessages()
    /// The pairs of both generations, in no order.
    var pairs: [ICEPair] = [] {
        // Without `oldValue`, so that pairs are still changed in place.
        didSet { selection.notePairs() }
    }
    /// The paths for which ``isValid(_:)`` is `true`.
    @usableFromInline
    var acceptedPaths: [TransportPath] = []
    var selection = ICESelection()
    @usableFromInline package internal(set) var selectedPath: TransportPath?

    var pacing = ICEPacing()
    var lastID: UInt32 = 0

    var outbox = ICEOutbox()
    var events: [ICEEvent] = []
    var counters = ICECounters()

    /// When ``handleTimeout(at:)`` is due, or `nil` when nothing is. Constant time.
    @usableFromInline package internal(set) var nextDeadline: Instant?

    package init(configuration: ICEConfiguration, crypto: any CryptoProvider, random: any RandomSource) {
        var configuration = configuration
        configuration.checkInterval = max(configuration.checkInterval, .milliseconds(5))
        configuration.retransmissionTimeout = max(configuration.retransmissionTimeout, .milliseconds(500))
        configuration.maximumTransmissions = min(max(configuration.maximumTransmissions, 1), 16)
        configuration.consentInterval = max(configuration.consentInterval, .seconds(1))
        configuration.backupInterval = max(configuration.backupInterval, .seconds(1))
        configuration.warmBackupInterval = max(configuration.warmBackupInterval, .seconds(1))
        configuration.maximumPairs = min(max(configuration.maximumPairs, 1), 1_000)
        configuration.maximumRemoteCandidates = min(max(configuration.maximumRemoteCandidates, 1), 1_000)
        self.configuration = configuration
        self.crypto = crypto
        self.random = random
        tieBreaker = random.next()
        current = ICEGeneration(number: 1, local: .random(from: random))
    }

    @usableFromInline package var gatheringState: ICEGatheringState { gathering.state }

    /// The number of the selected pair.
    var selectedPair: UInt32? { selection.pair }

    /// Our credentials of the current generation.
    package var localCredentials: ICECredentials { current.local }

    /// The local user name fragments that are accepted in checks: those of this generation and the previous one.
    @usableFromInline package var localUsernameFragments: [String] {
        [current.local.usernameFragment] + (previous.map { [$0.local.usernameFragment] } ?? [])
    }

    /// The peer's credentials of the current generation, once known.
    package var remoteCredentials: ICECredentials? { current.remote }

    /// The round-trip time of the selected pair's last answer, or `nil` before the first.
    @usableFromInline package var currentRoundTripTime: TimeDelta? {
        selectedPair.flatMap { pairIndex($0) }.flatMap { pairs[$0].roundTripTime }
    }

    /// Whether data that arrived on `path` may be accepted: its remote end has proved, in this or the previous
    /// generation, that it knows our password or the peer's.
    ///
    /// Called for every packet. It is inlined, so that its callers read these two fields and do not copy the agent.
    @inlinable @inline(__always)
    package func isValid(_ path: TransportPath) -> Bool {
        path == selectedPath || acceptedPaths.contains(path)
    }

    /// Sets the role at the start, or again at a restart (RFC 8445, section 6.1.1). A conflict may change it later.
    @usableFromInline package mutating func setControlling(_ isControlling: Bool) {
        guard !current.isRemoteLite, self.isControlling != isControlling else { return }
        changeRole(isControlling)
    }

    /// Sets the peer's credentials and starts checking.
    ///
    /// The current credentials change nothing. Others, without a ``restart(credentials:at:)`` before, belong to another
    /// peer that answered the same offer: checking restarts with unchanged local credentials.
    package mutating func setRemote(_ credentials: ICECredentials, isLite: Bool, at now: Instant) {
        guard isActive else { return }
        if let known = current.remote, known != credentials {
            beginGeneration(local: current.local)
        }
        let isNew = current.remote == nil
        current.isRemoteLite = isLite
        // RFC 8445, section 6.1.1: against a lite agent the full one is always controlling.
        if isLite, !isControlling { changeRole(true) }
        if isNew {
            current.setRemote(credentials)
            takeHeldCandidates(at: now)
            takeEarlyChecks(at: now)
            if current.remoteEnded { extendSearch(at: now) }
        }
        advance(at: now)
    }

    /// Restarts ICE (RFC 8445, section 9): with new local credentials, and new gathering from the existing sockets and
    /// servers; call ``endOfSockets(at:)`` again. The peer's credentials follow with ``setRemote(_:isLite:at:)``. The
    /// selected pair carries data until the new generation has a nominated one.
    ///
    /// - Parameter credentials: Credentials that an offer has already announced; by default new ones.
    package mutating func restart(credentials: ICECredentials? = nil, at now: Instant) {
        guard state != .closed else { return }
        // W3C, RTCIceTransportState: a restart turns `completed` and `connected` into `connected`, clears a lost
        // connection, and leaves `failed`.
        switch state {
        case .completed: setState(.connected)
        case .disconnected, .failed: setState(.checking)
        case .new, .checking, .connected, .closed: break
        }
        beginGeneration(local: credentials ?? .random(from: random))
        early.forgetChecks()
        gathering.acceptSockets()
        regather(at: now)
        rebuildAcceptedPaths()
        advance(at: now)
    }

    /// Processes one STUN datagram; the owner has recognised it by its first byte (RFC 7983).
    @usableFromInline package mutating func receive(
        _ datagram: RawSpan, from source: TransportAddress, on socket: SocketID, at now: Instant
    ) {
        guard state != .closed else { return }
        guard let message = STUNMessage(datagram) else {
            counters.malformed &+= 1
            return
        }
        guard message.fingerprint != .wrong else {
            counters.badFingerprint &+= 1
            return
        }
        guard message.method == .binding, message.messageClass != .indication else {
            // Binding indications are keepalives (RFC 8445, section 11) and need no response.
            counters.ignored &+= 1
            return
        }
        guard let index = socketIndex(socket) else {
            counters.unknownSocket &+= 1
            return
        }
        let path = TransportPath(socket: socket, remote: sockets[index].zoned(source))
        switch message.messageClass {
        case .request: receiveRequest(message, on: path, at: now)
        case .successResponse, .errorResponse: receiveResponse(message, on: path, at: now)
        case .indication: break
        }
        advance(at: now)
    }

    /// Does what is due by ``nextDeadline``.
    @usableFromInline package mutating func handleTimeout(at now: Instant) {
        advance(at: now)
    }

    /// Writes the next STUN message into an empty `batch` and sets its path.
    ///
    /// - Returns: `false` when nothing waits or the batch is not empty.
    @usableFromInline package mutating func pollTransmit(into batch: inout TransmitBatch, at now: Instant) -> Bool {
        guard batch.isEmpty else { return false }
        while let outgoing = outbox.popFirst() {
            if write(outgoing, into: &batch) { return true }
        }
        return false
    }

    /// The next event, or `nil`.
    package mutating func pollEvent() -> ICEEvent? {
        guard !events.isEmpty else { return nil }
        if events.count == 1 {
            let event = events[0]
            events = []
            return event
        }
        return events.removeFirst()
    }

    /// Stops everything. Only ``statistics()`` and ``pollEvent()`` still work.
    @usableFromInline package mutating func close(at now: Instant) {
        guard state != .closed else { return }
        setState(.closed)
        stop()
        for socket in sockets { closeConnection(socket.id) }
        sockets = []
        serverQueries.removeAll()
        connections.closeAll()
    }
}

extension ICEAgent {
    /// Whether the agent checks and is checked: neither closed nor failed.
    var isActive: Bool { state != .closed && state != .failed }

    /// Updates everything after an input or a deadline. Idempotent.
    mutating func advance(at now: Instant) {
        guard isActive else {
            nextDeadline = nil
            return
        }
        runPairTimers(at: now)
        runConnections(at: now)
        runServerTimers(at: now)
        updateLiveness(at: now)
        nominate(at: now)
        startTransactions(at: now)
        updateSelection(at: now)
        updateGathering(at: now)
        updateState(at: now)
        nextDeadline = isActive ? deadline(at: now) : nil
    }

    /// Begins a generation; the pairs of the one before stay usable until it is superseded.
    mutating func beginGeneration(local: ICECredentials) {
        let selectedGeneration = selectedPair.flatMap { pairIndex($0) }.map { pairs[$0].generation }
        if selectedGeneration == current.number {
            previous = current
            previous?.nominating = nil
        } else if selectedGeneration == nil {
            previous = nil
        }
        let kept = previous?.number
        current = ICEGeneration(number: current.number &+ 1, local: local)
        pairs.removeAll { $0.generation != kept || $0.state != .succeeded }
        for index in pairs.indices {
            pairs[index].isTriggered = false
            // A nomination in the previous generation would be answered, but have no effect.
            if pairs[index].transaction?.usesCandidate == true {
                pairs[index].transaction = nil
                pairs[index].nextRefresh = min(pairs[index].nextRefresh, pairs[index].lastAnswered + .seconds(1))
            }
        }
        forgetUnusedRemoteCandidates()
        rebuildAcceptedPaths()
    }

    /// Cancels all checks and timers, and accepts no more data. The pairs stay for the statistics.
    mutating func stop() {
        for index in pairs.indices {
            pairs[index].transaction = nil
            pairs[index].isTriggered = false
            pairs[index].isAccepted = false
            pairs[index].state = .failed
        }
        serverQueries.cancel()
        early.removeAll()
        outbox.removeAll()
        previous = nil
        nextDeadline = nil
        acceptedPaths = []
        deselect()
    }

    mutating func setState(_ new: ICEConnectionState) {
        guard state != new else { return }
        state = new
        events.append(.state(new))
    }

    mutating func changeRole(_ controlling: Bool) {
        isControlling = controlling
        current.nominating = nil
        for index in pairs.indices {
            pairs[index].priority = ICEPriority.pair(
                local: pairs[index].localPriority, remote: pairs[index].remotePriority, isControlling: controlling)
        }
    }

    mutating func makeID() -> UInt32 {
        lastID &+= 1
        return lastID
    }

    func pairIndex(_ id: UInt32) -> Int? { pairs.firstIndex { $0.id == id } }

    func socketIndex(_ id: SocketID) -> Int? { sockets.firstIndex { $0.id == id } }

    func generation(_ number: UInt32) -> ICEGeneration? {
        number == current.number ? current : previous?.number == number ? previous : nil
    }
}
