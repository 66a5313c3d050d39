internal import RTCWire

/// The sockets of a connection, by their identifiers in its peer. The engine closes them.
struct EngineSockets {
    /// The sockets for UDP, shared ones included.
    private(set) var udp: [SocketID: DatagramSocket] = [:]
    /// The connections over TCP and TLS: to TURN servers, and to the other peer.
    private(set) var streams: [SocketID: StreamConnection] = [:]
    /// The local addresses for TCP, and their listeners.
    private(set) var tcp: [SocketID: (ip: IPAddress, listener: StreamListener?)] = [:]
    /// The listener of each accepted connection that no connectivity check has confirmed yet.
    private(set) var unconfirmed: [SocketID: SocketID] = [:]
    private var lastNumber: UInt32 = 0

    /// An identifier of the engine, below those that the peer assigns.
    mutating func newID() -> SocketID {
        lastNumber += 1
        return SocketID(lastNumber)
    }

    /// Whether the socket accepts no data at present.
    func isFull(_ id: SocketID) -> Bool {
        if let socket = udp[id] { return !socket.isWritable }
        return streams[id].map { !$0.isWritable } ?? false
    }

    // MARK: UDP

    mutating func add(_ socket: DatagramSocket, as id: SocketID) {
        udp[id] = socket
    }

    @discardableResult
    mutating func removeUDP(_ id: SocketID) -> DatagramSocket? { udp.removeValue(forKey: id) }

    // MARK: Connections

    mutating func add(_ stream: StreamConnection, as id: SocketID) {
        streams[id] = stream
    }

    /// Adds a connection that `listener` has accepted, and which is unconfirmed.
    mutating func add(_ stream: StreamConnection, as id: SocketID, from listener: SocketID) {
        unconfirmed[id] = listener
        streams[id] = stream
    }

    mutating func confirm(_ stream: SocketID) {
        unconfirmed[stream] = nil
    }

    @discardableResult
    mutating func removeStream(_ id: SocketID) -> StreamConnection? {
        unconfirmed[id] = nil
        return streams.removeValue(forKey: id)
    }

    // MARK: Listeners

    /// Adds a local address for TCP, with its listener if there is one.
    mutating func addTCP(_ ip: IPAddress, _ listener: StreamListener?) -> SocketID {
        let id = newID()
        tcp[id] = (ip, listener)
        return id
    }

    func id(of listener: StreamListener) -> SocketID? {
        tcp.first { $0.value.listener === listener }?.key
    }

    /// - Returns: The listener to close.
    mutating func removeTCP(_ id: SocketID) -> StreamListener? { tcp.removeValue(forKey: id)?.listener }

    mutating func removeAll() {
        udp = [:]
        streams = [:]
        tcp = [:]
        unconfirmed = [:]
    }
}
