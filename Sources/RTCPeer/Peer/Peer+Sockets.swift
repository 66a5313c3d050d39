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
        ice.addSocket(id, address: address, properties: properties, at: now)
        process(at: now)
    }

    /// A socket's interface is gone.
    public mutating func removeSocket(_ id: SocketID, at now: Instant) {
        guard phase != .closed else { return }
        ice.removeSocket(id, at: now)
        process(at: now)
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
