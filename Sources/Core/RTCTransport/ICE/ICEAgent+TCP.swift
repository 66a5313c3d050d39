package import RTCWire

/// The role of a TCP socket in ICE (RFC 6544).
enum ICETCPRole: Hashable {
    /// A local address from which connections are opened.
    case active
    /// A listening socket.
    case passive
    /// One connection, with its remote address.
    case connection(TransportAddress, isOpen: Bool)
}

/// TCP candidates (RFC 6544): used where UDP finds no path.
///
/// The owner listens and connects; each connection is a ``SocketID``, and STUN and data on it have their length before
/// them (RFC 4571).
extension ICEAgent {
    /// Adds a local address for TCP: an active candidate, and a passive one if there is a listener.
    ///
    /// - Parameters:
    ///   - id: The number of the listening socket, or of the address alone.
    ///   - listeningPort: `nil` if there is no listener: then connections are only opened.
    package mutating func addTCPSocket(
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

    /// Removes an address added by ``addTCPSocket(_:address:listeningPort:properties:at:)``, and its connections.
    package mutating func removeTCPSocket(_ id: SocketID, at now: Instant) {
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

    /// A connection requested by ``ICEEvent/connect(_:from:to:)`` is open.
    ///
    /// - Parameter local: Its local address.
    package mutating func connectionOpened(_ id: SocketID, local: TransportAddress, at now: Instant) {
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

    /// Adds a connection that a listening socket has accepted.
    package mutating func connectionAccepted(
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
        let unauthenticated = sockets.filter(isUnauthenticated)
        if unauthenticated.count >= Self.maximumUnauthenticated { forgetSocket(unauthenticated[0].id) }
        socket.id = id
        socket.tcp = .connection(remote, isOpen: true)
        socket.isAccepted = true
        sockets.append(socket)
        connections.open(id)
    }

    /// A connection has ended, or could not be opened.
    package mutating func connectionClosed(_ id: SocketID, at now: Instant) {
        guard state != .closed, let index = socketIndex(id), case .connection? = sockets[index].tcp else { return }
        endConnection(id, at: now)
        advance(at: now)
    }

    /// The most connections that we opened or whose peer is authenticated.
    static var maximumConnections: Int { 32 }
    /// The most unauthenticated incoming connections in addition; the oldest is dropped.
    static var maximumUnauthenticated: Int { 16 }

    private var connectionCount: Int {
        sockets.count { if case .connection? = $0.tcp { !isUnauthenticated($0) } else { false } }
    }

    /// Whether the connection is incoming and its remote end not yet authenticated.
    private func isUnauthenticated(_ socket: ICESocket) -> Bool {
        guard socket.isAccepted, case .connection(let remote, _)? = socket.tcp else { return false }
        return !isValid(TransportPath(socket: socket.id, remote: socket.zoned(remote)))
    }

    // MARK: Pairs

    /// Pairs a socket with a TCP candidate of the peer (section 6.2): active with passive. The active side connects;
    /// the passive side waits.
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

    /// A candidate of the peer must not make us probe services: of the well-known ports only 80 and 443 are allowed.
    private static func isAllowed(port: UInt16) -> Bool { port >= 1_024 || port == 443 || port == 80 }

    /// Asks for the connection of a pair that is about to be checked.
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
    package func framing(for socket: SocketID) -> TransmitFraming? {
        connections.isOpen(socket) ? TransmitFraming(headroom: 2, isStream: true) : nil
    }

    /// Whether this is a connection of a TCP candidate pair, open or not.
    package func knowsConnection(_ id: SocketID) -> Bool {
        guard let index = socketIndex(id), case .connection? = sockets[index].tcp else { return false }
        return true
    }

    /// The path of packets on this connection.
    package func path(ofConnection id: SocketID) -> TransportPath? {
        guard let index = socketIndex(id), case .connection(let remote, _)? = sockets[index].tcp else { return nil }
        return TransportPath(socket: id, remote: sockets[index].zoned(remote))
    }

    /// The next packet in a piece of a connection's stream, and the piece without it. Ask until
    /// ``StreamReassembly/Message/none``.
    package mutating func nextPacket(
        in piece: inout UnsafeRawBufferPointer, onConnection id: SocketID
    ) -> StreamReassembly.Message {
        connections.nextPacket(in: &piece, on: id)
    }

    // MARK: Lost connections

    /// Ends dead connections, and opens the replacements that are due.
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

    /// Whether a connection is not needed any more: all its pairs have failed, were replaced, or are gone because
    /// checking restarted or better pairs displaced them.
    private func isDead(_ socket: ICESocket) -> Bool {
        guard case .connection? = socket.tcp else { return false }
        var isTried = false
        for index in pairs.indices where pairs[index].path.socket == socket.id {
            isTried = true
            if pairs[index].state != .failed, !isReplaced(index) { return false }
        }
        // An accepted connection that has no pair yet may still turn out to be the peer's.
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

    /// Removes a connection and closes it. If it has worked, a new one is opened.
    private mutating func endConnection(_ id: SocketID, at now: Instant) {
        let own = pairs.filter { $0.path.socket == id && $0.generation == current.number }
        let wasSelected = selectedPath?.socket == id
        forgetSocket(id)
        if wasSelected, selectedPath == nil { extendSearch(at: now) }
        for pair in own { reconnect(for: pair, at: now) }
    }

    /// Schedules a replacement for a connection that worked but is broken or silent: at once the first time, then with
    /// increasing delays.
    mutating func reconnect(for pair: ICEPair, at now: Instant) {
        guard let remote = remoteCandidates.firstIndex(where: { $0.id == pair.remoteCandidate }),
            remoteCandidates[remote].candidate.tcpType == .passive, pair.generation == current.number
        else { return }
        if let validSince = pair.validSince {
            if now - validSince >= Self.settledAfter { remoteCandidates[remote].reconnections = 0 }
        } else if remoteCandidates[remote].reconnections == 0 {
            // A connection that never worked is not retried.
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

    /// Stops reconnecting, because the peer refused with 403.
    mutating func stopReconnecting(to remote: UInt32) {
        guard let index = remoteCandidates.firstIndex(where: { $0.id == remote }) else { return }
        remoteCandidates[index].reconnections = Self.maximumReconnections
        remoteCandidates[index].reconnectsAt = .distantFuture
    }

    private static var maximumReconnections: Int { 8 }
    private static var settledAfter: TimeDelta { .seconds(60) }

    /// Closes the connections without a pair, when checking restarts.
    mutating func closeUnusedConnections() {
        for socket in sockets where !pairs.contains(where: { $0.path.socket == socket.id }) {
            guard case .connection? = socket.tcp else { continue }
            closeConnection(socket.id)
            sockets.removeAll { $0.id == socket.id }
        }
    }

    /// Has the socket closed if it is a connection.
    mutating func closeConnection(_ id: SocketID) {
        guard let index = socketIndex(id), case .connection? = sockets[index].tcp else { return }
        connections.close(id)
        events.append(.disconnect(id))
    }
}
