internal import RTCTransport

/// The lookups of servers' names that are in progress, and the failed ones. One lookup per server at a time.
struct PendingLookups {
    private var servers: Set<TURNServerID> = []
    /// Set while lookups are started: a literal address completes before the next one starts.
    private var isHeld = false
    /// The number of consecutive failures per server.
    private var failures: [TURNServerID: Int] = [:]
    /// Unusable servers, which are logged once.
    private var unusable: Set<TURNServerID> = []

    var isEmpty: Bool { servers.isEmpty }
    /// Whether all lookups are done, and no other one is about to start.
    var areComplete: Bool { servers.isEmpty && !isHeld }

    func contains(_ server: TURNServerID) -> Bool { servers.contains(server) }
    func failureCount(of server: TURNServerID) -> Int { failures[server, default: 0] }

    mutating func hold() {
        isHeld = true
    }

    mutating func release() {
        isHeld = false
    }

    mutating func begin(_ server: TURNServerID) {
        servers.insert(server)
    }

    mutating func succeed(_ server: TURNServerID) {
        servers.remove(server)
        failures[server] = nil
    }

    /// - Returns: The number of consecutive failures before this one.
    mutating func fail(_ server: TURNServerID) -> Int {
        servers.remove(server)
        let count = failures[server, default: 0]
        failures[server] = count + 1
        return count
    }

    /// - Returns: Whether it is the first time.
    mutating func leaveOut(_ server: TURNServerID) -> Bool { unusable.insert(server).inserted }

    mutating func forget(_ server: TURNServerID) {
        servers.remove(server)
        failures[server] = nil
        unusable.remove(server)
    }
}
