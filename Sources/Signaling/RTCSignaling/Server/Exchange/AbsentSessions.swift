internal import RTCWire

/// The disconnected sessions, by network: a network with many of them loses its own first. Of networks with as many, the one that has
/// had that many for longest.
struct AbsentSessions {
    private struct Network {
        /// The sessions, earliest first, each with the number of its absence. Some may have returned; the first has not.
        var sessions = RingBuffer<(session: SessionRecord, absence: Int)>()
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
        return networks[name]?.sessions.first?.session
    }

    /// The networks with their disconnected sessions, those with fewest first; of as many, the one first that has had them for longest.
    var networksInOrder: [(name: String?, sessions: [SessionRecord])] {
        networksByCount.flatMap(\.elements).map { name in
            let entries = networks[name]?.sessions.elements ?? []
            return (name, entries.filter { $0.session.isAway(since: $0.absence) }.map(\.session))
        }
    }

    /// The number of disconnected sessions.
    var sessionCount: Int { networks.values.reduce(0) { $0 + $1.count } }

    /// Takes over a network of a snapshot, in the order of ``networksInOrder``.
    mutating func restore(_ name: String?, _ sessions: [SessionRecord]) throws {
        guard !sessions.isEmpty, networks[name] == nil else { throw StateError() }
        var network = Network()
        for session in sessions {
            guard session.isAway(since: session.absences), !session.isCountedAway, session.network == name else {
                throw StateError()
            }
            session.isCountedAway = true
            network.sessions.append((session, session.absences))
        }
        network.count = sessions.count
        while networksByCount.count < sessions.count { networksByCount.append(InsertionOrderedSet()) }
        networksByCount[sessions.count - 1].insert(name)
        networks.updateValue(network, forKey: name)
    }

    private mutating func keep(_ network: consuming Network, of name: String?) {
        guard network.count > 0 else { return }
        while let first = network.sessions.first, !first.session.isAway(since: first.absence) {
            network.sessions.popFirst()
        }
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
