internal import RTCWire

// The state of an exchange as bytes. An exchange that is made of them does with further inputs what the first one does.
extension StateWriter {
    mutating func write(_ exchange: MemoryExchange) {
        let sessions = exchange.tokens.values.sorted { $0.serial < $1.serial }
        let calls = exchange.calls.values.sorted { $0.id < $1.id }
        write(exchange.lastSerial)
        write(list: sessions) { $0.write($1) }
        write(list: calls) { $0.write($1) }
        write(list: exchange.users.sorted { $0.key < $1.key }) { $0.write($1.key, $1.value) }
        write(list: exchange.watchers.sorted { $0.key < $1.key }) { writer, watched in
            writer.write(watched.key)
            writer.write(list: watched.value.elements) { $0.write($1.serial) }
        }
        write(list: exchange.deadlines.sorted.filter { $0.element.isValid }) { $0.write($1.element, at: $1.priority) }
        // Entries of calls that are forgotten change nothing.
        write(list: exchange.ended.elements.filter { exchange.calls[$0.id] === $0 }) { $0.write($1.id) }
        write(list: exchange.detached.elements.filter { exchange.calls[$0.id] === $0 }) { $0.write($1.id) }
        write(list: exchange.away.networksInOrder) { writer, network in
            writer.write(optional: network.name) { $0.write($1) }
            writer.write(list: network.sessions) { $0.write($1.serial) }
        }
        write(exchange.counters)
        write(optional: exchange.pushTokens) { $0.write($1) }
    }

    private mutating func write(_ session: SessionRecord) {
        write(session.serial)
        write(session.token)
        write(session.peer)
        write(optional: session.connection) { $0.write($1.rawValue) }
        write(list: session.calls.sorted()) { $0.write($1) }
        write(list: session.watched) { $0.write($1) }
        write(session.absences)
        write(session.isAuthenticated)
        write(optional: session.network) { $0.write($1) }
        write(session.attachedAt)
        write(session.invitesPaidUntil)
        write(session.received)
        write(session.acknowledged)
        write(session.lastSent)
        write(list: session.unacknowledged) { $0.write($1) }
    }

    private mutating func write(_ peer: SignalingPeer) {
        write(peer.user)
        write(peer.device)
        write(optional: peer.name) { $0.write($1) }
        write(peer.nameIsProven)
    }

    private mutating func write(_ call: CallRecord) {
        write(call.id)
        write(call.caller)
        write(call.target.user)
        write(optional: call.target.device) { $0.write($1) }
        write(call.lifetime)
        write(call.deadline)
        write(call.isRepeated)
        write(optional: call.media) { writer, media in writer.write(list: media) { $0.write($1.rawValue) } }
        write(optional: call.description) { $0.write($1) }
        write(call.state.mark)
        write(list: call.devices) { writer, device in
            writer.write(optional: device.session.hasEnded ? nil : device.session.serial) { $0.write($1) }
            writer.write(device.isRinging)
            writer.write(device.isBusy)
        }
        write(optional: call.callee) { $0.write($1) }
        write(list: call.earlyCandidates) { $0.write($1) }
        write(call.isAnnounced)
        write(optional: call.reason) { $0.write($1) }
        write(call.forgetTime)
    }

    private mutating func write(_ party: CallRecord.Party) {
        write(party.peer)
        write(optional: party.session) { $0.write($1.serial) }
    }

    private mutating func write(_ description: CallDescription) {
        switch description {
        case .sdp(let type, let sdp):
            write(true)
            write(type.rawValue)
            write(sdp)
        case .data(let data):
            write(false)
            write(data)
        }
    }

    private mutating func write(_ candidate: CallCandidate) {
        switch candidate {
        case .candidate(let value):
            write(true)
            write(value.candidate)
            write(optional: value.sdpMid) { $0.write($1) }
            write(optional: value.sdpMLineIndex) { $0.write(UInt64($1)) }
            write(optional: value.usernameFragment) { $0.write($1) }
        case .data(let data):
            write(false)
            write(data)
        }
    }

    private mutating func write(_ user: UserID, _ record: MemoryExchange.UserRecord) {
        write(user)
        write(list: record.sessions) { $0.write($1.serial) }
        write(list: record.incoming.sorted()) { $0.write($1) }
        write(list: record.missed.sorted()) { $0.write($1) }
    }

    private mutating func write(_ deadline: MemoryExchange.Deadline, at time: Duration) {
        write(time)
        switch deadline {
        case .resumeWindow(let session, let absence):
            write(0 as UInt8)
            write(session.serial)
            write(absence)
        case .noAnswer(let call):
            write(1 as UInt8)
            write(call)
        case .attachWindow(let call):
            write(2 as UInt8)
            write(call)
        case .forget(let call):
            write(3 as UInt8)
            write(call)
        }
    }

    private mutating func write(_ counters: ExchangeStatistics) {
        for number in [
            counters.signIns, counters.resumptions, counters.resumptionsFailed, counters.invites, counters.answers,
            counters.glares, counters.messagesIn, counters.messagesOut, counters.duplicates, counters.errors,
            counters.sessionsEvicted,
        ] {
            write(number)
        }
        write(list: counters.endings.sorted { $0.key < $1.key }) {
            $0.write($1.key)
            $0.write($1.value)
        }
    }
}

extension CallRecord.State {
    /// Its number in snapshots.
    var mark: UInt8 {
        switch self {
        case .ringing: 0
        case .running: 1
        case .half: 2
        case .ended: 3
        }
    }

    init?(mark: UInt8) {
        switch mark {
        case 0: self = .ringing
        case 1: self = .running
        case 2: self = .half
        case 3: self = .ended
        default: return nil
        }
    }
}

extension MemoryExchange.Deadline {
    /// Whether something may happen when it is reached.
    fileprivate var isValid: Bool {
        switch self {
        case .resumeWindow(let session, let absence): session.isAway(since: absence)
        case .noAnswer, .attachWindow, .forget: true
        }
    }
}
