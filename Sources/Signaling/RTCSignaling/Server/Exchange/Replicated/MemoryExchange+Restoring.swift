internal import RTCWire

extension MemoryExchange {
    /// Takes the state of a snapshot over. The exchange is new.
    ///
    /// - Throws: ``StateError``. The exchange is of no use then.
    func restore(from reader: inout StateReader) throws {
        lastSerial = try reader.counter()
        var sessions: [UInt64: SessionRecord] = [:]
        for session in try reader.list({ try $0.session(self.memory) }) {
            guard session.serial <= lastSerial, sessions.updateValue(session, forKey: session.serial) == nil,
                tokens.updateValue(session, forKey: session.token) == nil
            else { throw StateError() }
            guard let connection = session.connection else { continue }
            guard connections.updateValue(session, forKey: connection) == nil else { throw StateError() }
        }
        for call in try reader.list({ try $0.call(sessions, self.memory) }) {
            guard calls.updateValue(call, forKey: call.id) == nil else { throw StateError() }
        }
        for (user, record) in try reader.list({ try $0.user(sessions) }) { users[user] = record }
        for (user, interested) in try reader.list({ try $0.watched(sessions) }) { watchers[user] = interested }
        for (deadline, time) in try reader.list({ try $0.deadline(sessions) }) {
            deadlines.insert(deadline, at: time)
        }
        for id in try reader.list({ try $0.identifier(CallID.self) }) { ended.append(try known(id)) }
        for id in try reader.list({ try $0.identifier(CallID.self) }) { detached.append(try known(id)) }
        for (name, absent) in try reader.list({ try $0.network(sessions) }) { try away.restore(name, absent) }
        guard away.sessionCount == tokens.count - connections.count else { throw StateError() }
        counters = try reader.counters()
        pushTokens = try reader.optional { try $0.pushTokens() }
    }

    private func known(_ id: CallID) throws -> CallRecord {
        guard let call = calls[id] else { throw StateError() }
        return call
    }
}

extension StateReader {
    fileprivate mutating func session(_ memory: MemoryUse) throws -> SessionRecord {
        let (serial, token, peer) = (try number(), try text(atMost: 128), try peer())
        let connection = try optional { ConnectionID(rawValue: try $0.number()) }
        let calls = try list { try $0.identifier(CallID.self) }
        let watched = try list(atMost: Watch.maximumCount) { try $0.identifier(UserID.self) }
        let absences = try signed()
        let isAuthenticated = try flag()
        let network = try optional { try $0.text(atMost: 128) }
        let session = SessionRecord(
            serial: serial, token: token, peer: peer, connection: connection, network: network,
            attachedAt: try number(), memory: memory)
        session.calls = Set(calls)
        session.watched = watched
        session.absences = absences
        session.isAuthenticated = isAuthenticated
        let (paid, received) = (try duration(), try counter())
        let (acknowledged, lastSent) = (try counter(), try counter())
        let unacknowledged = try list { try $0.data() }
        guard UInt64(unacknowledged.count) <= lastSent, absences < 1 << 62 else {
            throw StateError()
        }
        session.restore(
            invitesPaidUntil: paid, received: received, acknowledged: acknowledged, lastSent: lastSent,
            unacknowledged: unacknowledged)
        return session
    }

    private mutating func peer() throws -> SignalingPeer {
        SignalingPeer(
            user: try identifier(), device: try identifier(), name: try optional { try $0.identifier() },
            nameIsProven: try flag())
    }

    private mutating func session(in sessions: [UInt64: SessionRecord]) throws -> SessionRecord {
        guard let session = sessions[try number()] else { throw StateError() }
        return session
    }

    private mutating func party(_ sessions: [UInt64: SessionRecord]) throws -> CallRecord.Party {
        CallRecord.Party(peer: try peer(), session: try optional { try $0.session(in: sessions) })
    }

    fileprivate mutating func call(_ sessions: [UInt64: SessionRecord], _ memory: MemoryUse) throws -> CallRecord {
        let (id, caller) = (try identifier(CallID.self), try party(sessions))
        let target = SignalingAddress(user: try identifier(), device: try optional { try $0.identifier() })
        let (lifetime, deadline, isRepeated) = (try double(), try duration(), try flag())
        let media = try optional { reader in
            try reader.list(atMost: 8) { element in
                guard let medium = InvitedMedia(rawValue: try element.text(atMost: 16)) else { throw StateError() }
                return medium
            }
        }
        let call = CallRecord(
            id: id, caller: caller, target: target, lifetime: lifetime, deadline: deadline, isRepeated: isRepeated,
            media: media, description: try optional { try $0.description() }, memory: memory)
        guard let state = CallRecord.State(mark: try byte()) else { throw StateError() }
        call.state = state
        // One for all of them, or a few bytes for each would take much memory.
        var gone: SessionRecord?
        call.devices = try list { reader in
            let session = try reader.optional { try $0.session(in: sessions) }
            if session == nil, gone == nil { gone = Self.gone(caller.peer, memory) }
            guard let session = session ?? gone else { throw StateError() }
            return CallRecord.RingingDevice(
                session: session, isRinging: try reader.flag(), isBusy: try reader.flag())
        }
        call.callee = try optional { try $0.party(sessions) }
        call.restore(earlyCandidates: try list { try $0.candidate() })
        call.isAnnounced = try flag()
        call.reason = try optional { try $0.identifier() }
        call.forgetTime = try duration()
        return call
    }

    /// In place of a device that was busy and has left.
    private static func gone(_ peer: SignalingPeer, _ memory: MemoryUse) -> SessionRecord {
        let session = SessionRecord(
            serial: 0, token: "", peer: peer, connection: nil, network: nil, attachedAt: 0, memory: memory)
        session.end()
        return session
    }

    /// A number that has room to grow.
    mutating func counter() throws -> UInt64 {
        let number = try number()
        guard number < 1 << 62 else { throw StateError() }
        return number
    }

    private mutating func description() throws -> CallDescription {
        guard try flag() else { return .data(try data(atMost: CallDescription.maximumLength)) }
        guard let type = CallDescription.DescriptionType(rawValue: try text(atMost: 16)) else { throw StateError() }
        return .sdp(type: type, sdp: try text(atMost: CallDescription.maximumLength))
    }

    private mutating func candidate() throws -> CallCandidate {
        let limit = CallCandidate.maximumLength
        guard try flag() else { return .data(try data(atMost: limit)) }
        let (line, mid) = (try text(atMost: limit), try optional { try $0.text(atMost: limit) })
        let index: UInt16? = try optional { reader in
            guard let index = UInt16(exactly: try reader.number()) else { throw StateError() }
            return index
        }
        return .candidate(
            CallCandidate.ICECandidate(
                candidate: line, sdpMid: mid, sdpMLineIndex: index,
                usernameFragment: try optional { try $0.text(atMost: limit) }))
    }

    fileprivate mutating func user(
        _ sessions: [UInt64: SessionRecord]
    ) throws -> (UserID, MemoryExchange.UserRecord) {
        let user = try identifier(UserID.self)
        var record = MemoryExchange.UserRecord()
        record.sessions = try list { try $0.session(in: sessions) }
        record.incoming = Set(try list { try $0.identifier(CallID.self) })
        record.missed = Set(try list { try $0.identifier(CallID.self) })
        return (user, record)
    }

    fileprivate mutating func watched(
        _ sessions: [UInt64: SessionRecord]
    ) throws -> (UserID, InsertionOrderedSet<SessionRecord>) {
        let user = try identifier(UserID.self)
        var interested = InsertionOrderedSet<SessionRecord>()
        for session in try list({ try $0.session(in: sessions) }) { interested.insert(session) }
        return (user, interested)
    }

    fileprivate mutating func deadline(
        _ sessions: [UInt64: SessionRecord]
    ) throws -> (MemoryExchange.Deadline, Duration) {
        let time = try duration()
        switch try byte() {
        case 0: return (.resumeWindow(try session(in: sessions), absence: try signed()), time)
        case 1: return (.noAnswer(try identifier()), time)
        case 2: return (.attachWindow(try identifier()), time)
        case 3: return (.forget(try identifier()), time)
        default: throw StateError()
        }
    }

    fileprivate mutating func network(
        _ sessions: [UInt64: SessionRecord]
    ) throws -> (String?, [SessionRecord]) {
        (try optional { try $0.text(atMost: 128) }, try list { try $0.session(in: sessions) })
    }

    fileprivate mutating func counters() throws -> ExchangeStatistics {
        var counters = ExchangeStatistics()
        counters.signIns = try counter()
        counters.resumptions = try counter()
        counters.resumptionsFailed = try counter()
        counters.invites = try counter()
        counters.answers = try counter()
        counters.glares = try counter()
        counters.messagesIn = try counter()
        counters.messagesOut = try counter()
        counters.duplicates = try counter()
        counters.errors = try counter()
        counters.sessionsEvicted = try counter()
        for (name, count) in try list(atMost: 64, { (try $0.text(atMost: 64), try $0.counter()) }) {
            guard MemoryExchange.Ending.names.contains(name) else { throw StateError() }
            counters.endings[name] = count
        }
        return counters
    }
}
