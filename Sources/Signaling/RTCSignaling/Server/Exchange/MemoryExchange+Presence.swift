extension MemoryExchange {
    func watch(_ watch: Watch, _ session: SessionRecord) {
        stopWatching(session)
        var seen: Set<UserID> = []
        session.watched = watch.users.filter { seen.insert($0).inserted }
        for user in session.watched {
            let isReachable = mayReach(session.user, user)
            if isReachable { watchers[user, default: InsertionOrderedSet()].insert(session) }
            tell(isReachable ? presence(of: user) : Self.absence(of: user), to: session)
        }
    }

    func stopWatching(_ session: SessionRecord) {
        for user in session.watched {
            watchers[user]?.remove(session)
            if watchers[user]?.isEmpty == true { watchers[user] = nil }
        }
        if !session.watched.isEmpty { session.watched = [] }
    }

    func presenceChanged(_ user: UserID) {
        users[user]?.presence = nil
        guard let interested = watchers[user] else { return }
        // Serialized once, since all receive the same.
        let presence = presence(of: user)
        for session in interested.elements { tell(presence, to: session) }
    }

    /// A `presence`, as JSON.
    private func presence(of user: UserID) -> [UInt8] {
        guard let record = users[user], !record.sessions.isEmpty else { return Self.absence(of: user) }
        if let written = record.presence { return written }
        let devices = record.sessions.map {
            Presence.Device(
                device: $0.device, name: $0.peer.name, nameIsProven: $0.peer.nameIsProven,
                state: $0.connection == nil ? .away : .online)
        }
        let json = Envelope(ServerMessage.presence(Presence(user: user, devices: devices))).json()
        users[user]?.presence = json
        return json
    }

    /// A `presence` of a user who is not signed in. A client that watches a hundred users causes many of these; identifiers need
    /// no escaping in JSON.
    private static func absence(of user: UserID) -> [UInt8] {
        Array(#"{"type":"presence","user":"\#(user.rawValue)","devices":[]}"#.utf8)
    }
}
