/// The sessions that are away, by the network from which they came: one network's make room for its own before they push out those of
/// others.
struct AbsentSessions {
    private struct Network {
        /// Those that are away, the earliest first, or were: each with the number of that absence. The first one is away.
        var sessions = Queue<(session: SessionRecord, absence: Int)>()
        /// How many of them are away.
        var count = 0
    }

    private var networks: [String?: Network] = [:]
    /// The networks that have so many of them, at that index.
    private var networksByCount: [Set<String?>] = []

    /// How many are in the queues.
    var count: Int { networks.values.reduce(0) { $0 + $1.sessions.count } }

    mutating func add(_ session: SessionRecord) {
        session.isCountedAway = true
        var network = networks.removeValue(forKey: session.network) ?? Network()
        network.sessions.append((session, session.absences))
        change(&network, of: session.network, by: 1)
        keep(network, of: session.network)
    }

    /// A session has come back, or has ended.
    mutating func remove(_ session: SessionRecord) {
        guard session.isCountedAway, var network = networks.removeValue(forKey: session.network) else { return }
        session.isCountedAway = false
        change(&network, of: session.network, by: -1)
        keep(network, of: session.network)
    }

    /// The session that has been away for longest, of the network that has most of them.
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
        if network.count > networksByCount.count { networksByCount.append([]) }
        if network.count > 0 { networksByCount[network.count - 1].insert(name) }
        while networksByCount.last?.isEmpty == true { networksByCount.removeLast() }
    }
}
