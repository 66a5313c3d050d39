public import RTCTransport
public import RTCWire

// What the owner of the sockets tells a peer.
extension Peer {
    /// Adds a socket, in answer to ``PeerEvent/needsSockets`` or when an interface appeared later.
    ///
    /// - Parameters:
    ///   - id: A number of the owner's choice, never used again.
    ///   - address: Where the socket is bound. Not unspecified.
    public mutating func addSocket(
        _ id: SocketID, address: TransportAddress, properties: ICESocketProperties, at now: Instant
    ) {
        guard phase != .closed else { return }
        if case .noSocket = failure { failure = nil }
        ice.addSocket(id, address: address, properties: properties, at: now)
        process(at: now)
    }

    /// Not one socket could be opened, for this reason. The connection is `failed` until one is added.
    public mutating func noSockets(reason: String) {
        fail(.noSocket(reason))
    }

    /// A socket's interface is gone.
    public mutating func removeSocket(_ id: SocketID, at now: Instant) {
        guard phase != .closed else { return }
        let gone = ice.statistics().localCandidates.filter { $0.socket == id }.map(\.candidate.description)
        ice.removeSocket(id, at: now)
        withdraw(gone)
        process(at: now)
    }

    /// Candidates of a socket that is gone: later descriptions do not announce them.
    private mutating func withdraw(_ candidates: [String]) {
        localCandidates.removeAll { candidates.contains($0) }
        replaced?.localCandidates.removeAll { candidates.contains($0) }
        for index in negotiator.generations.indices {
            negotiator.generations[index].candidates.removeAll { candidates.contains($0) }
        }
    }

    /// Adds a STUN server whose name was looked up.
    public mutating func addSTUNServer(_ address: TransportAddress, at now: Instant) {
        guard phase != .closed else { return }
        ice.addSTUNServer(address, at: now)
        process(at: now)
    }

    /// All sockets and servers that there are have been added.
    public mutating func endOfSockets(at now: Instant) {
        guard phase != .closed else { return }
        ice.endOfSockets(at: now)
        process(at: now)
    }

    /// The answer to ``PeerEvent/needsResolution(name:)``; no addresses when the name is unknown.
    public mutating func resolved(name: String, to addresses: [IPAddress], at now: Instant) {
        guard phase != .closed else { return }
        ice.resolved(name: name, to: addresses, at: now)
        process(at: now)
    }

    /// Where data go: the nominated pair, else the best valid one.
    public var selectedPath: TransportPath? { ice.selectedPath }
}
