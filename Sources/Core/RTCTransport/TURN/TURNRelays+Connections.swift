public import RTCWire

/// Schedules the clients and manages their connections.
extension TURNRelays {
    // MARK: Scheduling

    /// Starts the waiting client whose server and socket have the fewest active clients, so that each gets one before
    /// any gets two.
    ///
    /// - Returns: Whether a client was started.
    mutating func startNext(at now: Instant) -> Bool {
        var best: (index: Int, rank: Int)?
        for index in relays.indices {
            let relay = relays[index]
            guard relay.client.isInactive, relay.hasNewCredentials || relay.client.state == .idle, hasRoom(for: relay),
                !hasActiveDuplicate(index)
            else { continue }
            let rank = relays.count { other in
                !other.client.isInactive
                    && (other.server == relay.server || other.host != nil && other.host == relay.host)
            }
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        guard let index = best?.index else { return false }
        if relays[index].hasNewCredentials {
            relays[index].hasNewCredentials = false
            relays[index].client.setCredentials(credentials[relays[index].server], at: now)
        }
        relays[index].client.start(at: now)
        return true
    }

    func hasRoom(for relay: Relay) -> Bool {
        let busy = relays.count { !$0.client.isInactive }
        let overUDP = relays.count { !$0.client.isInactive && $0.transport == .udp }
        guard busy < Self.maximumRelays else { return false }
        return relay.transport == .udp
            ? overUDP < Self.maximumRelays - Self.reservedForStreams
            : busy - overUDP < Self.maximumRelays - Self.reservedForUDP
    }

    /// Whether another client with the same local and server address is active.
    func hasActiveDuplicate(_ index: Int) -> Bool {
        for other in relays.indices where other != index && relays[other].isDuplicate(of: relays[index]) {
            if !relays[other].client.isInactive { return true }
        }
        return false
    }

    // MARK: Connections

    /// A requested connection is open.
    ///
    /// - Parameter local: Its local address.
    @usableFromInline package mutating func opened(_ id: SocketID, local: TransportAddress, at now: Instant) {
        guard let index = relays.firstIndex(where: { $0.opening == id }) else {
            // The client does not need it any more.
            events.append(.close(id))
            return
        }
        relays[index].opening = nil
        relays[index].base = id
        relays[index].ownsBase = true
        relays[index].connectedFrom = local.ip
        relays[index].stream = StreamReassembly(.turn)
        relays[index].client.connected(at: now)
        update(at: now)
    }

    /// A connection could not be opened, or has ended.
    @usableFromInline package mutating func closed(_ id: SocketID, at now: Instant) {
        guard let index = relays.firstIndex(where: { $0.opening == id || $0.ownsBase && $0.base == id }) else { return }
        relays[index].opening = nil
        // Over UDP the host socket still exists.
        relays[index].base = relays[index].host
        relays[index].ownsBase = false
        relays[index].client.disconnected(at: now)
        update(at: now)
    }

    /// Sets the machine's current addresses. Connections from a removed address are dead, even if that is never
    /// reported; failed connections are retried immediately.
    @usableFromInline package mutating func localAddressesChanged(to addresses: [IPAddress], at now: Instant) {
        guard !isClosed else { return }
        for index in relays.indices {
            if relays[index].transport != .udp, relays[index].ownsBase, let from = relays[index].connectedFrom,
                !addresses.contains(from)
            {
                drop(index)
                relays[index].client.disconnected(at: now)
            }
            if hasRoom(for: relays[index]), !hasActiveDuplicate(index) { relays[index].client.networkChanged(at: now) }
        }
        update(at: now)
    }

    /// Closes the client's own connection, if it has one.
    mutating func drop(_ index: Int) {
        if let own = relays[index].opening ?? (relays[index].ownsBase ? relays[index].base : nil) {
            events.append(.close(own))
        }
        relays[index].opening = nil
        relays[index].base = relays[index].host
        relays[index].ownsBase = false
    }

    mutating func open(_ index: Int) {
        drop(index)
        let relay = relays[index]
        let id = makeID()
        relays[index].base = nil
        relays[index].opening = id
        events.append(
            .open(
                id,
                TURNConnectionRequest(
                    server: relay.server, address: relay.client.server, transport: relay.transport,
                    domain: relay.domain,
                    localAddress: relay.localAddress)))
    }

    mutating func makeID() -> SocketID {
        defer { lastID = lastID == Self.socketIDs.upperBound ? Self.socketIDs.lowerBound : lastID + 1 }
        return SocketID(lastID)
    }
}
