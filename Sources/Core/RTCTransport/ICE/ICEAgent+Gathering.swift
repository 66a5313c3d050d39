package import RTCWire

extension ICEAgent {
    /// Starts announcing candidates for the existing sockets and for later ones.
    package mutating func startGathering(at now: Instant) {
        guard state != .closed, !gathering.hasStarted else { return }
        if gathering.start() { announceGatheringState() }
        for index in sockets.indices { gather(fromSocketAt: index, at: now) }
        advance(at: now)
    }

    /// Adds a socket: a host candidate, and one transaction with each STUN server of the same address family. Allowed
    /// at any time, also long after gathering, when an interface appears.
    ///
    /// - Parameter address: The socket's own address, never unspecified; a link-local one with its zone. For a socket
    ///   that stands for a relay, the relayed address.
    package mutating func addSocket(
        _ id: SocketID, address: TransportAddress, properties: ICESocketProperties, at now: Instant
    ) {
        guard state != .closed else { return }
        forgetSocket(id)
        let taken = sockets.map(\.localPreference)
        var index = 0
        var preference: UInt16
        repeat {
            preference = ICEPriority.localPreference(kind: properties.kind, address: address.ip, index: index)
            index += 1
        } while taken.contains(preference) && index < 2_048
        sockets.append(
            ICESocket(id: id, address: address, properties: properties, localPreference: preference))
        if gathering.hasStarted { gather(fromSocketAt: sockets.count - 1, at: now) }
        advance(at: now)
    }

    /// Forgets a socket whose interface is gone, with its candidates and pairs.
    package mutating func removeSocket(_ id: SocketID, at now: Instant) {
        guard state != .closed, socketIndex(id) != nil else { return }
        let wasSelected = selectedPath?.socket == id
        forgetSocket(id)
        // The search restarts on the remaining or later sockets: an address change removes one socket and adds another.
        if wasSelected, selectedPath == nil { extendSearch(at: now) }
        advance(at: now)
    }

    /// Adds a resolved STUN server, before or after the sockets.
    package mutating func addSTUNServer(_ address: TransportAddress, at now: Instant) {
        guard state != .closed, serverQueries.add(address) else { return }
        if gathering.hasStarted {
            for socket in sockets { ask(address, from: socket, at: now) }
        }
        advance(at: now)
    }

    /// Removes a STUN server: no more requests are sent to it. Its candidates remain.
    package mutating func removeSTUNServer(_ address: TransportAddress, at now: Instant) {
        guard state != .closed else { return }
        serverQueries.remove(address)
        advance(at: now)
    }

    /// Announces that no more sockets and servers follow in this generation: gathering may complete.
    ///
    /// - Parameter patience: How long to wait for servers to answer; `nil` for the configured timeout.
    package mutating func endOfSockets(at now: Instant, patience: TimeDelta? = nil) {
        guard state != .closed, !gathering.haveSocketsEnded else { return }
        gathering.endSockets(until: now + (patience ?? configuration.gatheringTimeout))
        advance(at: now)
    }

    static var maximumLocalCandidates: Int { 128 }

    /// Whether the policy allows use of this socket.
    func isAllowed(_ socket: ICESocket) -> Bool {
        configuration.candidatePolicy == .all || socket.type == .relayed
    }

    // MARK: Host and relayed candidates

    mutating func gather(fromSocketAt index: Int, at now: Instant) {
        guard isAllowed(sockets[index]) else { return }
        announce(socketAt: index)
        for remote in remoteCandidates.indices { makePair(socket: index, remote: remote, at: now) }
        for server in serverQueries.servers { ask(server, from: sockets[index], at: now) }
    }

    private mutating func announce(socketAt index: Int) {
        let socket = sockets[index]
        let relay = socket.properties.relay
        // A connection is announced by the active or passive candidate that it came from.
        if case .connection? = socket.tcp { return }
        let transport: ICETransportProtocol = socket.tcp == nil ? .udp : .tcp
        let foundation = ICEPriority.foundation(
            type: socket.type, base: socket.address.ip, transport: transport, server: relay?.server.ip)
        var ip = socket.address.ip
        ip.zone = 0
        var related = relay?.mappedAddress
        if relay != nil, configuration.candidatePolicy == .relay {
            // The mapped address would reveal what the policy hides (RFC 8839, section 5.1).
            related = TransportAddress(ip: ip.isIPv4 ? IPAddress(v4: 0) : IPAddress(v6High: 0, low: 0), port: 0)
        }
        sockets[index].candidate = addLocalCandidate(
            ICECandidate(
                foundation: foundation, transport: transport, priority: socket.priority, address: .ip(ip),
                port: socket.address.port, type: socket.type, relatedAddress: related?.ip, relatedPort: related?.port,
                tcpType: socket.tcp.map { $0 == .active ? .active : .passive },
                usernameFragment: current.local.usernameFragment),
            socket: socket.id, server: relay?.server, isAnnounced: true)
    }

    mutating func addLocalCandidate(
        _ candidate: ICECandidate, socket: SocketID, server: TransportAddress?, isAnnounced: Bool
    ) -> UInt32 {
        let id = makeID()
        localCandidates.append(ICELocalCandidate(id: id, candidate: candidate, socket: socket, server: server))
        if isAnnounced { events.append(.candidate(candidate)) }
        return id
    }

    /// Gathers again after a restart: the same sockets and servers, under new credentials.
    mutating func regather(at now: Instant) {
        serverQueries.cancel()
        let isNews = gathering.regather()
        localCandidates.removeAll { local in
            !pairs.contains { $0.localCandidate == local.id || $0.mappedCandidate == local.id }
        }
        closeUnusedConnections()
        for index in sockets.indices { sockets[index].candidate = 0 }
        guard gathering.hasStarted else { return }
        if isNews { announceGatheringState() }
        for index in sockets.indices { gather(fromSocketAt: index, at: now) }
    }

    mutating func forgetSocket(_ id: SocketID) {
        guard let index = socketIndex(id) else { return }
        closeConnection(id)
        sockets.remove(at: index)
        serverQueries.forget(id)
        early.forgetChecks(on: id)
        pairs.removeAll { $0.path.socket == id }
        localCandidates.removeAll { $0.socket == id }
        forgetDanglingNominations()
        rebuildAcceptedPaths()
        if selectedPath?.socket == id { deselect() }
    }

    // MARK: Server-reflexive candidates

    private mutating func ask(_ server: TransportAddress, from socket: ICESocket, at now: Instant) {
        guard configuration.candidatePolicy == .all, socket.type == .host, socket.tcp == nil,
            socket.address.ip.mayAskServer(at: server.ip), serverQueries.ask(server, from: socket.id, random: random)
        else { return }
        if gathering.reopen(until: now + configuration.gatheringTimeout) { announceGatheringState() }
    }

    /// Starts the next transaction with a server.
    ///
    /// - Returns: Whether there was one.
    mutating func startServerTransaction(at now: Instant) -> Bool {
        guard let id = serverQueries.startNext(retransmission, at: now) else { return false }
        outbox.append(serverRequest: id)
        return true
    }

    var retransmission: STUNRetransmission {
        STUNRetransmission(
            timeout: configuration.retransmissionTimeout, maximumTransmissions: configuration.maximumTransmissions)
    }

    mutating func runServerTimers(at now: Instant) {
        while let id = serverQueries.transmitDue(retransmission, at: now) { outbox.append(serverRequest: id) }
    }

    /// Takes a response of a STUN server.
    ///
    /// - Returns: `false` when it belongs to no transaction with a server.
    mutating func receiveServerResponse(_ message: borrowing STUNMessage, on path: TransportPath) -> Bool {
        guard serverQueries.takeAnswer(message.transactionID, on: path) else { return false }
        guard message.unknownAttributes.isEmpty else {
            counters.unknownAttributes &+= 1
            return true
        }
        if message.messageClass == .successResponse, let mapped = message.mappedAddress,
            let socket = sockets.first(where: { $0.id == path.socket })
        {
            addServerReflexive(mapped, of: socket, server: path.remote)
        }
        return true
    }

    private mutating func addServerReflexive(
        _ mapped: TransportAddress, of socket: ICESocket, server: TransportAddress
    ) {
        // Redundant when another candidate with the same base has that address (RFC 8445, section 5.1.3): there is no
        // NAT, or another server reported it before.
        let isRedundant = localCandidates.contains {
            $0.socket == socket.id && $0.candidate.transportAddress == mapped && $0.candidate.type != .peerReflexive
                && $0.candidate.usernameFragment == current.local.usernameFragment
        }
        guard !isRedundant, isUsable(mapped), mapped.ip.isIPv4 == socket.address.ip.isIPv4,
            localCandidates.count < Self.maximumLocalCandidates
        else { return }
        let foundation = ICEPriority.foundation(
            type: .serverReflexive, base: socket.address.ip, transport: .udp, server: server.ip)
        var base = socket.address
        base.ip.zone = 0
        _ = addLocalCandidate(
            ICECandidate(
                foundation: foundation, priority: socket.priority(of: .serverReflexive), address: .ip(mapped.ip),
                port: mapped.port, type: .serverReflexive, relatedAddress: base.ip, relatedPort: base.port,
                usernameFragment: current.local.usernameFragment),
            socket: socket.id, server: server, isAnnounced: true)
    }

    // MARK: Relays

    /// Sets whether relayed candidates may still follow: gathering waits for them, up to its timeout.
    package mutating func setAwaitsRelays(_ awaitsRelays: Bool, at now: Instant) {
        if gathering.setAwaitsRelays(awaitsRelays) { advance(at: now) }
    }

    // MARK: State

    mutating func updateGathering(at now: Instant) {
        if gathering.update(isWaiting: serverQueries.isWaiting, at: now) { announceGatheringState() }
    }

    private mutating func announceGatheringState() { events.append(.gatheringState(gathering.state)) }
}
