/// The open connections of a server, and the memory that they hold.
struct SocketTable {
    private var sockets: [ConnectionID: ServerSocket] = [:]
    private var lastID: UInt64 = 0
    /// The memory held by all sockets when last measured, in bytes.
    private(set) var heldBytes = 0

    var count: Int { sockets.count }
    var isEmpty: Bool { sockets.isEmpty }
    /// In no order.
    var all: Dictionary<ConnectionID, ServerSocket>.Values { sockets.values }

    subscript(id: ConnectionID) -> ServerSocket? { sockets[id] }

    func contains(_ socket: ServerSocket) -> Bool { sockets[socket.id] != nil }

    /// A number that no connection had before.
    mutating func nextID() -> ConnectionID {
        lastID += 1
        return ConnectionID(rawValue: lastID)
    }

    mutating func insert(_ socket: ServerSocket) {
        sockets[socket.id] = socket
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ socket: ServerSocket) -> Bool {
        guard sockets.removeValue(forKey: socket.id) != nil else { return false }
        heldBytes -= socket.heldBytes
        return true
    }

    /// Updates the memory held by a socket.
    mutating func measure(_ socket: ServerSocket) {
        guard contains(socket) else { return }
        let held = socket.measuredBytes
        heldBytes += held - socket.heldBytes
        socket.heldBytes = held
    }

    /// Returns the sockets that hold most, without which the others are within three quarters of a limit; none if all are within the
    /// limit. They count as holding nothing from then on.
    mutating func excessSockets(over limit: Int) -> [ServerSocket] {
        for socket in sockets.values { measure(socket) }
        guard heldBytes > limit else { return [] }
        var excess = heldBytes - limit / 4 * 3
        var result: [ServerSocket] = []
        for socket in sockets.values.sorted(by: { $0.heldBytes > $1.heldBytes }) where excess > 0 {
            excess -= socket.heldBytes
            heldBytes -= socket.heldBytes
            socket.heldBytes = 0
            result.append(socket)
        }
        return result
    }
}
