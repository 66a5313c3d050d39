@_spi(Testing) import RTCSignaling

/// What somebody has written to the log that nodes share, and in place of its snapshot.
func fuzzNodes(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.number(below: 5) {
    case 0: LogParsers.readEntry(input.rest())
    case 1:
        let count = input.number(below: 8)
        let entries = (0..<count).map { _ in input.chunk(limit: 200) }
        LogParsers.readSnapshot(input.rest(), then: entries)
    case 2:
        let place = input.number(below: 64)
        var log = FuzzLog()
        log.fill(&input, steps: 64, isHostile: false)
        let entries = log.entries
        let snapshot = LogParsers.snapshot(of: Array(entries.prefix(place)))
        LogParsers.readSnapshot(input.mutate(snapshot), then: Array(entries.dropFirst(place)))
    case 3:
        let place = input.number(below: 64)
        var log = FuzzLog()
        log.fill(&input, steps: 100, isHostile: true)
        LogParsers.readLog(log.entries, snapshotAfter: place)
    default: runNode(&input)
    }
}

/// A node with clients, whose log others write to as well: some of it in its own name.
private func runNode(_ input: inout FuzzInput) {
    let snapshot = input.number(below: 4) == 0 ? input.chunk() : nil
    var node = NodeAtLog(seed: UInt64(input.byte()), FuzzLog.limits, snapshot: snapshot)
    var log = FuzzLog()
    var steps = 0
    while !input.isEmpty, steps < 150 {
        steps += 1
        switch input.number(below: 8) {
        case 0...1: node.answer(isStored: input.number(below: 8) > 0)
        case 2: node.advance(.milliseconds(Int64(input.byte()) * 40))
        case 3:
            log.add(&input, isHostile: true)
            if let entry = log.entries.last { node.read(entry) }
        case 4:
            var forger = EntryWriter(node: node.name)
            for _ in 0..<input.number(below: 3) { _ = log.batch(&input, by: &forger) }
            node.read(log.batch(&input, by: &forger))
        case 5 where !node.written.isEmpty: node.read(input.mutate(node.written[0]))
        default: node.handle(log.next(&input))
        }
    }
}

/// The log of three nodes.
private struct FuzzLog {
    private(set) var entries: [[UInt8]] = []
    private var writers = (0..<3).map { EntryWriter(node: UInt64($0 + 1)) }
    private var sessions = 0

    static var limits: ExchangeLimits {
        var limits = ExchangeLimits()
        (limits.devicesPerUser, limits.callsPerDevice, limits.ringingPerPair, limits.ringingPerCallee) = (2, 3, 2, 3)
        (limits.sessions, limits.sessionsAway, limits.unacknowledgedMessages) = (6, 3, 12)
        (limits.unacknowledgedBytes, limits.waitingBytes) = (3_000, 5_000)
        (limits.earlyCandidates, limits.earlyCandidateBytes) = (6, 600)
        (limits.resumeWindow, limits.endedCallMemory, limits.attachWindow) = (.seconds(9), .seconds(5), .seconds(12))
        limits.ringsAbsentUsers = true
        return limits
    }

    mutating func fill(_ input: inout FuzzInput, steps: Int, isHostile: Bool) {
        for number in 0..<2 { entries.append(writers[number].join(Self.limits, former: nil, after: .zero)) }
        for _ in 0..<steps where !input.isEmpty { add(&input, isHostile: isHostile) }
    }

    mutating func add(_ input: inout FuzzInput, isHostile: Bool) {
        let index = input.number(below: 3)
        switch input.number(below: isHostile ? 12 : 8) {
        case 0:
            var limits = Self.limits
            if input.number(below: 4) == 0 { limits.devicesPerUser = 3 }
            let former = input.number(below: 4) == 0 ? UInt64(input.number(below: 4)) : nil
            let elapsed = Duration.milliseconds(Int64(input.byte()) * 20)
            // Under the old name it does not come back.
            if former != nil { writers[index] = EntryWriter(node: UInt64(input.byte())) }
            entries.append(writers[index].join(limits, former: former, after: elapsed))
        case 8: entries.append(input.chunk(limit: 200))
        case 9:
            let old = entries.isEmpty ? [] : entries[input.number(below: min(256, entries.count))]
            entries.append(input.mutate(old))
        case 10: if let last = entries.last { entries.append(last) }
        default:
            var writer = writers[index]
            entries.append(batch(&input, by: &writer))
            writers[index] = writer
        }
    }

    mutating func batch(_ input: inout FuzzInput, by writer: inout EntryWriter) -> [UInt8] {
        let inputs = (0..<(1 + input.number(below: 5))).map { _ in next(&input) }
        let forbidden = input.number(below: 8) == 0 ? UserID(rawValue: "user1") : nil
        sessions += 1
        return writer.batch(
            inputs, after: .milliseconds(Int64(input.byte()) * 10), secret: "secret\(sessions)",
            forbidden: Set([forbidden].compactMap(\.self)))
    }

    /// What a client says, or nearly.
    func next(_ input: inout FuzzInput) -> ExchangeInput {
        let connection = ConnectionID(rawValue: UInt64(input.number(below: 6)))
        switch input.number(below: 10) {
        case 0...1:
            guard let address = SignalingAddress("user\(input.number(below: 3))/device\(input.number(below: 3))"),
                let device = address.device
            else { preconditionFailure("no address") }
            let resume =
                input.number(below: 2) == 0
                ? Hello.Resume(session: "secret\(input.number(below: 64))", received: UInt64(input.number(below: 16)))
                : nil
            let network = input.number(below: 2) == 0 ? nil : "192.0.2.\(input.number(below: 3))"
            return .signIn(
                connection,
                ExchangeSignIn(
                    user: address.user, device: input.number(below: 4) == 0 ? nil : device,
                    isAuthenticated: input.number(below: 3) > 0, resume: resume, network: network))
        case 2: return .disconnected(connection)
        case 3:
            guard let call = CallID(rawValue: "0123456789abcde\(input.number(below: 4))") else { return .timeout }
            return .unreachable(call)
        case 4:
            let kind = input.number(below: 8)
            guard kind < 6 else { return .timeout }
            let token = kind == 0 ? nil : PushToken(bytes: [UInt8](repeating: UInt8(kind), count: 32))
            return .message(connection, Envelope(.pushToken(PushRegistration(token: token))))
        default:
            let json = FuzzSocket.message(&input)
            guard let envelope = try? Envelope<ClientMessage>(json: json) else { return .timeout }
            return .message(connection, envelope)
        }
    }
}
