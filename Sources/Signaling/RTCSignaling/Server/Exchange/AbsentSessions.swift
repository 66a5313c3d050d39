/// The disconnected sessions, by network: a network with many of them loses its own first. Of networks with as many, the one that has
/// had that many for longest.
struct AbsentSessions {
    private struct Network {
        /// The sessions, earliest first, each with the number of its absence. Some may have returned; the first has not.
        var sessions = Queue<(session: SessionRecord, absence: Int)>()
        /// The number of disconnected sessions.
        var count = 0
    }

    private var networks: [String?: Network] = [:]
    /// The networks with n disconnected sessions, at the index n − 1.
    private var networksByCount: [InsertionOrderedSet<String?>] = []

    /// The number of entries in all queues.
    var count: Int { networks.values.reduce(0) { $0 + $1.sessions.count } }

    mutating func add(_ session: SessionRecord) {
        session.isCountedAway = true
        var network = networks.removeValue(forKey: session.network) ?? Network()
        network.sessions.append((session, session.absences))
        change(&network, of: session.network, by: 1)
        keep(network, of: session.network)
    }

    /// Removes a session that has returned or ended.
    mutating func remove(_ session: SessionRecord) {
        guard session.isCountedAway, var network = networks.removeValue(forKey: session.network) else { return }
        session.isCountedAway = false
        change(&network, of: session.network, by: -1)
        keep(network, of: session.network)
    }

    /// The session that has been disconnected for longest, of the network that has most of them.
    var first: SessionRecord? {
        guard let name = networksByCount.last?.first else { return nil }
        return networks[name]?.sessions.next?.session
    }

    private mutating func keep(_ network: consuming Network, of name: String?) {
        guard network.count > 0 else { return }
        network.sessions.trim { $0.session.isAway(since: $0.absence) }
        networks.updateValue(network, forKey: name)
    }

    private mutating func change(_ network: inout Network, of name: String?, by step: Int) {
        if network.count > 0 { networksByCount[network.count - 1].remove(name) }
        network.count += step
        if network.count > networksByCount.count { networksByCount.append(InsertionOrderedSet()) }
        if network.count > 0 { networksByCount[network.count - 1].insert(name) }
        while networksByCount.last?.isEmpty == true { networksByCount.removeLast() }
    }
}
