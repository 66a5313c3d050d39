import RTCWire

/// The numbers of the sockets over TCP that the agent names itself, and what each open connection has left unfinished.
struct ICEConnections {
    private var streams: [SocketID: StreamReassembly] = [:]
    private var lastNumber: UInt32 = 0
    /// The active sockets, by the owner's numbers.
    private var active: [SocketID: SocketID] = [:]

    /// Whether connections may be opened from anywhere.
    var hasActiveSockets: Bool { !active.isEmpty }

    mutating func makeID() -> SocketID {
        lastNumber &+= 1
        return SocketID(0xC000_0000 | lastNumber & 0x3FFF_FFFF)
    }

    /// Makes an active socket that belongs to one of the owner's.
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

    /// The next packet in a piece of a connection's stream, and the piece without it.
    mutating func nextPacket(in piece: inout UnsafeRawBufferPointer, on id: SocketID) -> StreamReassembly.Message {
        guard var stream = streams.removeValue(forKey: id) else { return .none }
        defer { streams[id] = stream }
        return stream.next(in: &piece)
    }
}
