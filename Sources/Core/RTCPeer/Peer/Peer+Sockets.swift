public import RTCTransport
public import RTCWire

// Sockets: input from the owner.
extension Peer {
    /// Adds a socket, in answer to ``PeerEvent/needsSockets`` or when an interface appeared later.
    ///
    /// - Parameters:
    ///   - id: A number chosen by the owner, never reused.
    ///   - address: The address to which the socket is bound. Not unspecified.
    ///   - isShared: Whether other peers use it too. A TURN server identifies its clients by their address, so no
    ///     requests are sent to it from there.
    package mutating func addSocket(
        _ id: SocketID, address: TransportAddress, properties: ICESocketProperties, isShared: Bool = false,
        at now: Instant
    ) {
        guard phase != .closed else { return }
        if case .noSocket = failure { failure = nil }
        ice.addSocket(id, address: address, properties: properties, at: now)
        if !isShared { relays.addSocket(id, address: address, properties: properties, at: now) }
        process(at: now)
    }

    /// Not one socket could be opened, for this reason. The connection is `failed` until one is added.
    @usableFromInline package mutating func noSockets(reason: String) {
        fail(.noSocket(reason))
    }

    /// Removes a socket whose interface is gone.
    @usableFromInline package mutating func removeSocket(_ id: SocketID, at now: Instant) {
        guard phase != .closed else { return }
        relays.removeSocket(id, at: now)
        forgetSocket(id, at: now)
        process(at: now)
    }

    mutating func forgetSocket(_ id: SocketID, at now: Instant) {
        let gone = ice.statistics().localCandidates.filter { $0.socket == id }.map(\.candidate.description)
        ice.removeSocket(id, at: now)
        withdraw(gone)
    }

    /// Removes the candidates of a removed socket, so that later descriptions do not announce them.
    mutating func withdraw(_ candidates: [String]) {
        localCandidates.removeAll { candidates.contains($0) }
        replaced?.localCandidates.removeAll { candidates.contains($0) }
        for index in negotiator.generations.indices {
            negotiator.generations[index].candidates.removeAll { candidates.contains($0) }
        }
    }

    /// Adds a STUN server whose name was looked up.
    ///
    /// - Parameter id: The number by which statistics name it, the same for all addresses of one server.
    @usableFromInline package mutating func addSTUNServer(
        _ address: TransportAddress, id: TURNServerID? = nil, at now: Instant
    ) {
        guard phase != .closed else { return }
        remember(address, as: id)
        ice.addSTUNServer(address, at: now)
        process(at: now)
    }

    mutating func remember(_ address: TransportAddress, as id: TURNServerID?) {
        // Names are resolved repeatedly, with possibly different addresses each time.
        if serverIDs.count < 64 || serverIDs[address] != nil { serverIDs[address] = id }
    }

    /// Announces that all sockets and servers have been added.
    ///
    /// - Parameter patience: How long gathering may still wait for servers to answer; `nil` for the configured time.
    @usableFromInline package mutating func endOfSockets(at now: Instant, patience: TimeDelta? = nil) {
        guard phase != .closed else { return }
        ice.endOfSockets(at: now, patience: patience)
        process(at: now)
    }

    /// The answer to ``PeerEvent/needsResolution(name:)``; no addresses when the name is unknown.
    @usableFromInline package mutating func resolved(name: String, to addresses: [IPAddress], at now: Instant) {
        guard phase != .closed else { return }
        ice.resolved(name: name, to: addresses, at: now)
        process(at: now)
    }

    /// The user name fragments that the other peer's checks may carry: of this generation, of the one before, and of one that
    /// is on offer.
    @usableFromInline package var localUsernameFragments: [String] {
        var fragments = ice.localUsernameFragments
        if let offered = restartCredentials?.usernameFragment { fragments.append(offered) }
        if let replaced = replaced?.local.usernameFragment { fragments.append(replaced) }
        return fragments
    }

    /// Whether the far end of a path has proved that it is the other peer.
    @usableFromInline package func isProved(_ path: TransportPath) -> Bool { ice.isValid(path) }

    /// Where data go: the nominated pair, else the best valid one.
    @usableFromInline package var selectedPath: TransportPath? { ice.selectedPath }
}
