package import RTCTransport
public import RTCWire

// Relays and TCP connections: input from the owner.
extension Peer {
    /// Adds an address of a TURN server whose name was resolved. Over UDP it is also used as a STUN server.
    ///
    /// - Parameter id: A number chosen by the owner, the same for all addresses of one server.
    package mutating func addTURNServer(
        _ id: TURNServerID, address: TransportAddress, transport: ICERelayProperties.Transport,
        credentials: TURNCredentials?, at now: Instant
    ) {
        guard phase != .closed else { return }
        relays.addServer(id, address: address, transport: transport, credentials: credentials, at: now)
        if transport == .udp {
            remember(address, as: id)
            ice.addSTUNServer(address, at: now)
        }
        process(at: now)
    }

    /// Replaces a TURN server's credentials, for instance REST ones before they expire. Existing allocations keep the
    /// old ones for as long as the server allows.
    package mutating func setTURNCredentials(_ credentials: TURNCredentials?, of id: TURNServerID, at now: Instant) {
        guard phase != .closed else { return }
        relays.setCredentials(credentials, of: id, at: now)
        process(at: now)
    }

    /// Removes a STUN or TURN server with all its addresses: no new requests are sent to it. Its allocations are
    /// released at once or when data use another path; the candidate in use remains until then.
    package mutating func removeServer(_ id: TURNServerID, at now: Instant) {
        guard phase != .closed else { return }
        for (address, owner) in serverIDs where owner == id {
            serverIDs[address] = nil
            ice.removeSTUNServer(address, at: now)
        }
        relays.removeServer(id, at: now)
        process(at: now)
    }

    /// Whether a server that was taken out still relays.
    package func usesServer(_ id: TURNServerID) -> Bool { relays.hasClient(of: id) }

    /// Adds a local address for TCP: connections are opened from it, and accepted if there is a listener.
    ///
    /// - Parameters:
    ///   - id: A number chosen by the owner, never reused: that of the listening socket.
    ///   - listeningPort: `nil` if there is no listener.
    package mutating func addTCPSocket(
        _ id: SocketID, address: IPAddress, listeningPort: UInt16?, properties: ICESocketProperties, at now: Instant
    ) {
        guard phase != .closed else { return }
        ice.addTCPSocket(id, address: address, listeningPort: listeningPort, properties: properties, at: now)
        process(at: now)
    }

    /// Removes an address for TCP, when it is gone or its listener has ended.
    @usableFromInline package mutating func removeTCPSocket(_ id: SocketID, at now: Instant) {
        guard phase != .closed else { return }
        // With the listening socket goes one for outgoing connections, whose number only ICE knows.
        let before = ice.statistics().localCandidates.map(\.candidate.description)
        ice.removeTCPSocket(id, at: now)
        let left = Set(ice.statistics().localCandidates.map(\.candidate.description))
        withdraw(before.filter { !left.contains($0) })
        process(at: now)
    }

    // MARK: Connections

    /// Whether the far end of a connection has proved that it is the other peer.
    @usableFromInline package func isProved(_ connection: SocketID) -> Bool {
        ice.path(ofConnection: connection).map { ice.isValid($0) } ?? false
    }

    /// A requested connection is open.
    ///
    /// - Parameter local: Its local address.
    @usableFromInline package mutating func connectionOpened(_ id: SocketID, local: TransportAddress, at now: Instant) {
        guard phase != .closed else { return }
        if ice.knowsConnection(id) {
            ice.connectionOpened(id, local: local, at: now)
        } else {
            relays.opened(id, local: local, at: now)
        }
        process(at: now)
    }

    /// Adds a connection that a listening socket has accepted.
    @usableFromInline package mutating func connectionAccepted(
        _ id: SocketID, on listener: SocketID, from remote: TransportAddress, at now: Instant
    ) {
        guard phase != .closed else { return }
        ice.connectionAccepted(id, on: listener, from: remote, at: now)
        process(at: now)
    }

    /// A connection has ended, or could not be opened.
    @usableFromInline package mutating func connectionClosed(_ id: SocketID, at now: Instant) {
        relays.closed(id, at: now)
        guard phase != .closed else { return }
        ice.connectionClosed(id, at: now)
        process(at: now)
    }

    /// Sets the machine's current addresses. Connections from a removed address are dead, even if neither end is
    /// informed: those to servers are opened again immediately. Call it after ``addSocket(_:address:properties:at:)``
    /// and ``removeSocket(_:at:)``.
    @usableFromInline package mutating func localAddressesChanged(to addresses: [IPAddress], at now: Instant) {
        guard phase != .closed else { return }
        relays.localAddressesChanged(to: addresses, at: now)
        process(at: now)
    }

    /// Takes bytes that arrived on a connection.
    @usableFromInline package mutating func receive(
        stream bytes: UnsafeRawBufferPointer, on id: SocketID, arrival: Instant? = nil, at now: Instant
    ) {
        var piece = bytes
        while phase != .closed || !relays.isEmpty {
            let isRelay = relays.isConnection(id)
            let message =
                isRelay
                ? relays.nextMessage(in: &piece, onConnection: id, at: now)
                : ice.nextPacket(in: &piece, onConnection: id)
            switch message {
            case .borrowed(let message):
                take(message, from: id, isRelay: isRelay, arrival: arrival, at: now)
            case .copied(let message):
                message.withUnsafeBytes { take($0, from: id, isRelay: isRelay, arrival: arrival, at: now) }
            case .none:
                process(at: now)
                return
            }
        }
    }

    private mutating func take(
        _ bytes: UnsafeRawBufferPointer, from id: SocketID, isRelay: Bool, arrival: Instant?, at now: Instant
    ) {
        let message = RawSpan(_unsafeBytes: bytes)
        if isRelay {
            guard case .data(let path, let range) = relays.receive(message, onConnection: id, at: now) else { return }
            take(message.extracting(range), on: path, arrival: arrival, at: now)
        } else if let path = ice.path(ofConnection: id) {
            take(message, on: path, arrival: arrival, at: now)
        }
    }

    /// The socket or connection that application data leave by now: behind a relay, the one that leads to its server.
    @usableFromInline package var selectedSocket: SocketID? {
        guard let path = ice.selectedPath else { return nil }
        return ownSocket(of: path)
    }

    /// The socket or connection that copies leave by while the selected path is in doubt; `nil` without copies.
    @usableFromInline package var backupSocket: SocketID? { ice.backup.map { ownSocket(of: $0.path) } }

    /// The backup path, if its socket has room: when the selected path's socket is full, a backup on the same socket has
    /// none either.
    var openBackup: ICEBackup? {
        guard !isBackupPaused, let backup = ice.backup else { return nil }
        if isDataPaused, ownSocket(of: backup.path) == selectedSocket { return nil }
        return backup
    }

    private func ownSocket(of path: TransportPath) -> SocketID {
        relays.isEmpty ? path.socket : relays.base(of: path.socket) ?? path.socket
    }

    // MARK: Events of the relays

    mutating func followRelays(at now: Instant) {
        relays.setSocketInUse(ice.selectedPath?.socket, at: now)
        while let event = relays.pollEvent() {
            switch event {
            case .open(let id, let request): events.append(.needsServerConnection(id, request))
            case .close(let id): events.append(.dropsConnection(id))
            case .relayAdded(let id, let address, let properties):
                ice.addSocket(id, address: address, properties: properties, at: now)
            case .relayRemoved(let id): forgetSocket(id, at: now)
            case .failed(let server, let address, let failure):
                events.append(.relayFailed(server, address: address, failure))
            }
        }
        ice.setAwaitsRelays(relays.isPending, at: now)
    }
}
