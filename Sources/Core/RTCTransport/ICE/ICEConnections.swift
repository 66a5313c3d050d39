import RTCWire

/// The identifiers that the agent gives to its TCP sockets, and the unfinished input of each open connection.
struct ICEConnections {
    private var streams: [SocketID: StreamReassembly] = [:]
    private var lastNumber: UInt32 = 0
    /// The agent's active sockets, by the owner's identifiers.
    private var active: [SocketID: SocketID] = [:]

    /// Whether connections may be opened from anywhere.
    var hasActiveSockets: Bool { !active.isEmpty }

    mutating func makeID() -> SocketID {
        lastNumber &+= 1
        return SocketID(0xC000_0000 | lastNumber & 0x3FFF_FFFF)
    }

    /// Makes an active socket for a socket of the owner.
    mutating func makeActiveSocket(of owner: SocketID) -> SocketID {
        let id = makeID()
        active[owner] = id
        return id
    }

    mutating func removeActiveSocket(of owner: SocketID) -> SocketID? { active.removeValue(forKey: owner) }

    func isOpen(_ id: SocketID) -> Bool { !streams.isEmpty && streams[id] != nil }

    mutating func open(_ id: SocketID) { streams[id] = StreamReassembly(.lengthPrefixed) }

    mutating func close(_ id: SocketID) { streams[id] = nil }

    mutating func closeAll() { streams = [:] }

    /// The next packet in a chunk of a connection's stream; removes it from the chunk.
    mutating func nextPacket(in piece: inout UnsafeRawBufferPointer, on id: SocketID) -> StreamReassembly.Message {
        guard var stream = streams.removeValue(forKey: id) else { return .none }
        defer { streams[id] = stream }
        return stream.next(in: &piece)
    }
}
