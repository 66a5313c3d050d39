public import RTCWire

/// What a TCP socket is to the agent (RFC 6544).
enum ICETCPRole: Hashable {
    /// An address that connections are opened from.
    case active
    /// A listening socket.
    case passive
    /// One connection, with its far end.
    case connection(TransportAddress, isOpen: Bool)
}

/// Candidates over TCP (RFC 6544): used where UDP finds no way.
///
/// The owner listens and connects; each connection is a ``SocketID``, and STUN and data on it have their length before
/// them (RFC 4571).
extension ICEAgent {
    /// Adds an address of the machine's for TCP: an active candidate, and a passive one if somebody listens there.
    ///
    /// - Parameters:
    ///   - id: The number of the listening socket, or of the address alone.
    ///   - listeningPort: `nil` if nothing listens: then connections are only opened.
    public mutating func addTCPSocket(
        _ id: SocketID, address: IPAddress, listeningPort: UInt16?, properties: ICESocketProperties, at now: Instant
    ) {
        guard state != .closed, !sockets.contains(where: { $0.id == id }) else { return }
        // RFC 6544, section 4.1: an active candidate has the discard port.
        let active = TransportAddress(ip: address, port: 9)
        let activeID = connections.makeActiveSocket(of: id)
        addTCPSocket(activeID, address: active, role: .active, properties: properties, at: now)
        if let listeningPort {
            let passive = TransportAddress(ip: address, port: listeningPort)
            addTCPSocket(id, address: passive, role: .passive, properties: properties, at: now)
        }
        advance(at: now)
    }

    /// Forgets what ``addTCPSocket(_:address:listeningPort:properties:at:)`` added, and the connections that came of it.
    public mutating func removeTCPSocket(_ id: SocketID, at now: Instant) {
        guard let active = connections.removeActiveSocket(of: id) else { return }
        let candidates = sockets.filter { $0.id == id || $0.id == active }.map(\.candidate)
        let gone = sockets.filter {
            $0.id == id || $0.id == active || $0.tcp != nil && candidates.contains($0.candidate)
        }
        for socket in gone { removeSocket(socket.id, at: now) }
    }

    private mutating func addTCPSocket(
        _ id: SocketID, address: TransportAddress, role: ICETCPRole, properties: ICESocketProperties, at now: Instant
    ) {
        let rank = sockets.count { $0.tcp != nil }
        var socket = ICESocket(
            id: id, address: address, properties: properties,
            localPreference: ICEPriority.tcpPreference(role, kind: properties.kind, index: rank))
        socket.tcp = role
        sockets.append(socket)
        if gathering.hasStarted { gather(fromSocketAt: sockets.count - 1, at: now) }
    }

    // MARK: Connections

    /// A connection that ``ICEEvent/connect(_:from:to:)`` asked for is open.
    ///
    /// - Parameter local: Our end of it.
    public mutating func connectionOpened(_ id: SocketID, local: TransportAddress, at now: Instant) {
        guard isActive, let index = socketIndex(id), case .connection(let remote, isOpen: false) = sockets[index].tcp
        else {
            events.append(.disconnect(id))
            return
        }
        sockets[index].tcp = .connection(remote, isOpen: true)
        sockets[index].address = local
        connections.open(id)
        for pair in pairs.indices where pairs[pair].path.socket == id && pairs[pair].state == .inProgress {
            begin(pair, usesCandidate: false, at: now)
        }
        advance(at: now)
    }

    /// Somebody has connected to a listening socket.
    public mutating func connectionAccepted(
        _ id: SocketID, on listener: SocketID, from remote: TransportAddress, at now: Instant
    ) {
        guard isActive, let index = socketIndex(listener), sockets[index].tcp == .passive,
            sockets[index].candidate != 0,
            connectionCount < Self.maximumConnections
        else {
            events.append(.disconnect(id))
            return
        }
        var socket = sockets[index]
        let strangers = sockets.filter(isStranger)
        if strangers.count >= Self.maximumStrangers { forgetSocket(strangers[0].id) }
        socket.id = id
        socket.tcp = .connection(remote, isOpen: true)
        socket.isAccepted = true
        sockets.append(socket)
        connections.open(id)
    }

    /// A connection has ended, or could not be opened.
    public mutating func connectionClosed(_ id: SocketID, at now: Instant) {
        guard state != .closed, let index = socketIndex(id), case .connection? = sockets[index].tcp else { return }
        endConnection(id, at: now)
        advance(at: now)
    }

    /// Connections that we opened, or that have proved who they are.
    static var maximumConnections: Int { 32 }
    /// Others beside these; the oldest makes way.
    static var maximumStrangers: Int { 16 }

    private var connectionCount: Int {
        sockets.count { if case .connection? = $0.tcp { !isStranger($0) } else { false } }
    }

    /// Whether somebody has connected, and not proved yet that it is the peer.
    private func isStranger(_ socket: ICESocket) -> Bool {
        guard socket.isAccepted, case .connection(let remote, _)? = socket.tcp else { return false }
        return !isValid(TransportPath(socket: socket.id, remote: socket.zoned(remote)))
    }

    // MARK: Pairs

    /// Which sockets pair with a TCP candidate of the peer's (section 6.2): active ones with passive ones. To connect is
    /// the active side's; the passive side waits.
    mutating func makeTCPPair(socket socketIndex: Int, remote remoteIndex: Int, at now: Instant) -> Int? {
        let socket = sockets[socketIndex]
        let remote = remoteCandidates[remoteIndex]
        guard let address = remote.address, remote.generation == current.number, socket.candidate != 0,
            current.remote != nil, socket.reaches(address.ip), let role = socket.tcp
        else { return nil }
        switch role {
        case .passive: return nil
        case .connection(let far, _):
            guard far == address else { return nil }
            return addPair(
                socket: socket, remote: remote, path: TransportPath(socket: socket.id, remote: address), at: now)
        case .active:
            guard remote.candidate.tcpType == .passive, isUsable(address), Self.isAllowed(port: address.port),
                connectionCount < Self.maximumConnections,
                !pairs.contains(where: {
                    $0.remoteCandidate == remote.id && $0.localCandidate == socket.candidate
                        && $0.generation == current.number && $0.state != .failed && !$0.isSilent
                })
            else { return nil }
            let id = connections.makeID()
            var connection = socket
            connection.id = id
            connection.tcp = .connection(address, isOpen: false)
            sockets.append(connection)
            let path = TransportPath(socket: id, remote: socket.zoned(address))
            guard let pair = addPair(socket: connection, remote: remote, path: path, at: now) else {
                sockets.removeLast()
                return nil
            }
            return pair
        }
    }

    /// A peer's candidate must not make us knock at services: of the well-known ports only those of the web.
    private static func isAllowed(port: UInt16) -> Bool { port >= 1_024 || port == 443 || port == 80 }

    /// Asks for the connection of a pair that is to be checked.
    ///
    /// - Returns: Whether the check has to wait for it.
    mutating func connectFirst(_ pair: Int, at now: Instant) -> Bool {
        let path = pairs[pair].path
        guard let index = socketIndex(path.socket), case .connection(_, isOpen: false)? = sockets[index].tcp else {
            return false
        }
        pairs[pair].begin(
            .random(from: random), nextTransmission: now + Self.connectTimeout, transmissions: .max / 2,
            usesCandidate: false, isControlling: isControlling, at: now)
        events.append(.connect(path.socket, from: sockets[index].address.ip, to: path.remote))
        return true
    }

    private static var connectTimeout: TimeDelta { .seconds(20) }

    // MARK: Streams

    /// The frames of packets on this socket, or `nil` where it is no connection.
    public func framing(for socket: SocketID) -> TransmitFraming? {
        connections.isOpen(socket) ? TransmitFraming(headroom: 2, isStream: true) : nil
    }

    /// Whether this is a connection of a TCP candidate pair, open or not.
    public func knowsConnection(_ id: SocketID) -> Bool {
        guard let index = socketIndex(id), case .connection? = sockets[index].tcp else { return false }
        return true
    }

    /// The path that packets on this connection come by.
    public func path(ofConnection id: SocketID) -> TransportPath? {
        guard let index = socketIndex(id), case .connection(let remote, _)? = sockets[index].tcp else { return nil }
        return TransportPath(socket: id, remote: sockets[index].zoned(remote))
    }

    /// The next packet in a piece of a connection's stream, and the piece without it. Ask until
    /// ``StreamReassembly/Message/none``.
    public mutating func nextPacket(
        in piece: inout UnsafeRawBufferPointer, onConnection id: SocketID
    ) -> StreamReassembly.Message {
        connections.nextPacket(in: &piece, on: id)
    }

    // MARK: Lost connections

    /// Ends what leads nowhere any more, and begins the connections that are due in its place.
    mutating func runConnections(at now: Instant) {
        guard connections.hasActiveSockets else { return }
        for id in sockets.indices.filter({ isDead(sockets[$0]) }).map({ sockets[$0].id }) { endConnection(id, at: now) }
        for remote in remoteCandidates.indices where remoteCandidates[remote].reconnectsAt <= now {
            remoteCandidates[remote].reconnectsAt = .distantFuture
            for socket in sockets.indices where sockets[socket].tcp == .active {
                makePair(socket: socket, remote: remote, at: now)
            }
        }
    }

    /// Whether all that was tried on a connection has failed, or has fallen silent and found a replacement; or is forgotten,
    /// since checking has begun anew without it or others were worth more.
    private func isDead(_ socket: ICESocket) -> Bool {
        guard case .connection? = socket.tcp else { return false }
        var isTried = false
        for index in pairs.indices where pairs[index].path.socket == socket.id {
            isTried = true
            if pairs[index].state != .failed, !isReplaced(index) { return false }
        }
        // Who has connected may still prove to be the peer.
        return isTried || socket.isPaired
    }

    private func isReplaced(_ silent: Int) -> Bool {
        guard pairs[silent].isSilent else { return false }
        return pairs.indices.contains {
            pairs[$0].remoteCandidate == pairs[silent].remoteCandidate
                && pairs[$0].localCandidate == pairs[silent].localCandidate
                && pairs[$0].state == .succeeded && !pairs[$0].isSilent
        }
    }

    /// Forgets a connection, and has it closed. What has worked is tried again.
    private mutating func endConnection(_ id: SocketID, at now: Instant) {
        let own = pairs.filter { $0.path.socket == id && $0.generation == current.number }
        let wasSelected = selectedPath?.socket == id
        forgetSocket(id)
        if wasSelected, selectedPath == nil { extendSearch(at: now) }
        for pair in own { reconnect(for: pair, at: now) }
    }

    /// Has another connection take the place of one that worked, and breaks or says nothing any more: at once; and again
    /// later and later, where that does not last.
    mutating func reconnect(for pair: ICEPair, at now: Instant) {
        guard let remote = remoteCandidates.firstIndex(where: { $0.id == pair.remoteCandidate }),
            remoteCandidates[remote].candidate.tcpType == .passive, pair.generation == current.number
        else { return }
        if let validSince = pair.validSince {
            if now - validSince >= Self.settledAfter { remoteCandidates[remote].reconnections = 0 }
        } else if remoteCandidates[remote].reconnections == 0 {
            // What never worked is not tried again.
            return
        }
        let count = remoteCandidates[remote].reconnections
        guard count < Self.maximumReconnections, remoteCandidates[remote].reconnectsAt == .distantFuture,
            !pairs.contains(where: {
                $0.remoteCandidate == pair.remoteCandidate && $0.id != pair.id && $0.state != .failed && !$0.isSilent
            })
        else { return }
        remoteCandidates[remote].reconnections += 1
        remoteCandidates[remote].reconnectsAt = count == 0 ? now : now + .seconds(1) * (1 << Int64(min(count - 1, 4)))
    }

    /// The peer does not want to hear from us there.
    mutating func stopReconnecting(to remote: UInt32) {
        guard let index = remoteCandidates.firstIndex(where: { $0.id == remote }) else { return }
        remoteCandidates[index].reconnections = Self.maximumReconnections
        remoteCandidates[index].reconnectsAt = .distantFuture
    }

    private static var maximumReconnections: Int { 8 }
    private static var settledAfter: TimeDelta { .seconds(60) }

    /// Drops the connections that nothing is paired with any more, when checking begins anew.
    mutating func closeUnusedConnections() {
        for socket in sockets where !pairs.contains(where: { $0.path.socket == socket.id }) {
            guard case .connection? = socket.tcp else { continue }
            closeConnection(socket.id)
            sockets.removeAll { $0.id == socket.id }
        }
    }

    /// Has a connection closed, if the socket is one.
    mutating func closeConnection(_ id: SocketID) {
        guard let index = socketIndex(id), case .connection? = sockets[index].tcp else { return }
        connections.close(id)
        events.append(.disconnect(id))
    }
}
