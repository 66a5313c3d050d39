extension MemoryExchange {
    func watch(_ watch: Watch, _ session: SessionRecord) {
        stopWatching(session)
        var seen: Set<UserID> = []
        session.watched = watch.users.filter { seen.insert($0).inserted }
        for user in session.watched {
            if mayReach(session.user, user) { watchers[user, default: [:]][ObjectIdentifier(session)] = session }
            deliver(.presence(presence(of: user, for: session)), to: session)
        }
    }

    func stopWatching(_ session: SessionRecord) {
        for user in session.watched {
            watchers[user]?[ObjectIdentifier(session)] = nil
            if watchers[user]?.isEmpty == true { watchers[user] = nil }
        }
        session.watched = []
    }

    func presenceChanged(_ user: UserID) {
        guard let interested = watchers[user] else { return }
        for session in interested.values { deliver(.presence(presence(of: user, for: session)), to: session) }
    }

    private func presence(of user: UserID, for session: SessionRecord) -> Presence {
        guard mayReach(session.user, user) else { return Presence(user: user, devices: []) }
        let sessions = users[user]?.sessions ?? []
        return Presence(
            user: user,
            devices: sessions.map {
                Presence.Device(
                    device: $0.device, name: $0.peer.name, state: $0.connection == nil ? .away : .online)
            })
    }
}
