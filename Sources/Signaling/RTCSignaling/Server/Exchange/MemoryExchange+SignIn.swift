internal import RTCWire

// Signing in and out.
extension MemoryExchange {
    func signIn(_ connection: ConnectionID, _ signIn: ExchangeSignIn, at now: Duration) {
        if let resume = signIn.resume, let session = tokens[resume.session], session.user == signIn.user,
            signIn.device == nil || signIn.device == session.device
        {
            guard isCurrent(signIn, session) else { return refuseOutdated(connection) }
            if session.canResume(after: resume.received) {
                self.resume(session, on: connection, after: resume.received, signIn, at: now)
                return
            }
            close(session, .sequence, "The session does not have what you ask for any more.")
            end(session, .failure, at: now)
        }

        if signIn.resume != nil { counters.resumptionsFailed += 1 }
        let device = signIn.device ?? signIn.chosen?.device ?? SignalingDeviceID.random(using: &random)
        if let older = users[signIn.user]?.sessions.first(where: { $0.device == device }) {
            guard isCurrent(signIn, older) else { return refuseOutdated(connection) }
            guard signIn.isAuthenticated else {
                refuse(connection, .deviceInUse, "Somebody is signed in under this name and device.")
                return
            }
            close(older, .replaced, "This device signed in elsewhere.")
            end(older, .failure, at: now)
        }
        if users[signIn.user]?.sessions.count ?? 0 >= limits.devicesPerUser {
            // Only with authentication: in open mode, a client could remove others this way.
            let away = users[signIn.user]?.sessions.first { $0.connection == nil }
            guard signIn.isAuthenticated, let away else {
                refuse(connection, .serverFull, "This user is signed in on too many devices.")
                return
            }
            end(away, .failure, at: now)
        }

        while tokens.count >= limits.sessions {
            guard endLongestAway(at: now) else {
                return refuse(connection, .serverFull, "There are too many sessions.")
            }
        }
        lastSerial += 1
        let session = SessionRecord(
            serial: lastSerial, token: signIn.chosen?.token ?? Alphabet.randomText(length: 32, using: &random),
            peer: SignalingPeer(
                user: signIn.user, device: device, name: signIn.name, nameIsProven: signIn.nameIsProven),
            connection: connection, network: signIn.network, attachedAt: position, memory: memory)
        session.isAuthenticated = signIn.isAuthenticated
        tokens[session.token] = session
        connections[connection] = session
        users[session.user, default: UserRecord()].sessions.append(session)
        counters.signIns += 1
        welcome(session, on: connection, resumed: false, signIn)
        inviteNewDevice(session, at: now)
        presenceChanged(session.user)
    }

    /// Whether whoever took the sign-in knew of the session's last connection. If not, that is the newer one, and the sign-in was on its
    /// way for a while: it must not take the session from its client.
    private func isCurrent(_ signIn: ExchangeSignIn, _ session: SessionRecord) -> Bool {
        signIn.seen.map { session.attachedAt <= $0 } ?? true
    }

    private func refuseOutdated(_ connection: ConnectionID) {
        refuse(connection, .internal, "This device has signed in elsewhere at the same time.", retryAfter: 1)
    }

    private func resume(
        _ session: SessionRecord, on connection: ConnectionID, after received: UInt64, _ signIn: ExchangeSignIn,
        at now: Duration
    ) {
        let wasAway = session.connection == nil
        close(session, .replaced, "This session goes on on another socket.")
        session.connection = connection
        session.absences += 1
        connections[connection] = session
        away.remove(session)
        session.network = signIn.network
        session.attachedAt = position
        session.isAuthenticated = signIn.isAuthenticated
        counters.resumptions += 1
        _ = session.acknowledge(received)
        session.noteAcknowledged()
        welcome(session, on: connection, resumed: true, signIn)
        for bytes in session.unacknowledged { output(.send(connection, bytes)) }
        if wasAway {
            notifyOtherParties(of: session, .present)
            presenceChanged(session.user)
        }
    }

    private func welcome(
        _ session: SessionRecord, on connection: ConnectionID, resumed: Bool, _ signIn: ExchangeSignIn
    ) {
        let welcome = Welcome(
            server: "duet", user: session.user, device: session.device, name: session.peer.name,
            session: session.token, resumed: resumed, received: session.received,
            resumeWindow: limits.resumeWindow.inSeconds, iceServers: signIn.iceServers.iceServers,
            iceServersLifetime: signIn.iceServers.iceServersLifetime, tokenLifetime: signIn.iceServers.tokenLifetime,
            limits: Welcome.Limits(lifetime: limits.longestLifetime, pingInterval: limits.pingInterval))
        output(.send(connection, Envelope(ServerMessage.welcome(welcome)).json()))
    }

    func disconnected(_ connection: ConnectionID, at now: Duration) {
        guard let session = connections.removeValue(forKey: connection) else { return }
        session.connection = nil
        session.absences += 1
        stopWatching(session)
        deadlines.insert(.resumeWindow(session, absence: session.absences), at: now + limits.resumeWindow)
        away.add(session)
        while tokens.count - connections.count > limits.sessionsAway, endLongestAway(at: now) {}
        guard !session.hasEnded else { return }
        notifyOtherParties(of: session, .away)
        presenceChanged(session.user)
    }

    func end(_ session: SessionRecord, _ sessionEnd: SessionEnd, at now: Duration) {
        guard !session.hasEnded else { return }
        if let connection = session.connection { connections[connection] = nil }
        session.end()
        away.remove(session)
        tokens[session.token] = nil
        stopWatching(session)
        for call in session.calls.sorted() { leave(call, session, sessionEnd, at: now) }
        session.calls = []
        users[session.user]?.sessions.removeAll { $0 === session }
        forgetIfUnused(session.user)
        presenceChanged(session.user)
    }

    func forgetIfUnused(_ user: UserID) {
        guard let record = users[user] else { return }
        if record.sessions.isEmpty, record.incoming.isEmpty, record.missed.isEmpty { users[user] = nil }
    }
}
