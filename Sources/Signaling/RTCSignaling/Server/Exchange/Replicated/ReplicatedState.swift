internal import RTCWire

/// What a log says: the nodes that live, the time, and the exchange. All nodes that have read a log up to one position have the same.
///
/// The time is that of the log. Each entry says how long ago, on its node's clock, the node formed its entry before; the time is that
/// of the node that has counted most. An entry moves it by two seconds at most, so that a log which stands still, because its servers
/// are gone, is no time in which anybody's session or call could end.
struct ReplicatedState {
    /// A node that lives.
    struct Member: Hashable {
        /// Its number among all nodes that ever joined.
        var serial: UInt64
        /// The number of its last entry.
        var ordinal: UInt64 = 0
        /// The time that it has counted.
        var clock: Duration
        /// The log's time at its last entry.
        var lastHeard: Duration
    }

    /// After so much of the log's time without an entry a node is dead: its clients are disconnected.
    /// A node that may not join yet. It counts the time while those that are there say nothing, perhaps because they are dead.
    private struct Candidate {
        var node: NodeID
        var clock: Duration
        /// The position of its last entry.
        var position: UInt64
    }

    static let silence: Duration = .seconds(8)
    /// How far an entry can move the time.
    static let longestStep: Duration = .seconds(2)
    /// The entries of others after which another candidate counts the time.
    private static let patience: UInt64 = 64
    static let mostMembers = 64
    /// How many nodes that are over are remembered, so that a late double of an entry does not bring one back.
    static let mostGone = 1_024
    /// The bits of a connection's number that its node chose. The others are the node's serial.
    static let connectionBits: UInt64 = 40

    /// The last position that was read.
    private(set) var position: UInt64 = 0
    private(set) var time: Duration = .zero
    private(set) var members: [NodeID: Member] = [:]
    private(set) var gone = InsertionOrderedSet<NodeID>()
    private(set) var lastSerial: UInt64 = 0
    /// The position of the last snapshot that was written.
    private(set) var snapshotPosition: UInt64 = 0
    private(set) var settings: [UInt8] = []
    /// Whether the nodes that live have other rules than this one, so that what their clients say cannot be understood: only who lives
    /// is known, and the time.
    private(set) var isForeign = false
    private var candidate: Candidate?
    /// What the inputs of the last entry have caused, if that was more than a message or two.
    private(set) var costs: [InputCost] = []
    /// Entries and inputs that could not be read.
    private(set) var unreadable: UInt64 = 0
    private(set) var exchange = ReplicatedState.newExchange()

    init() {}

    private static func newExchange() -> MemoryExchange {
        let exchange = MemoryExchange()
        exchange.pushTokens = PushRegistry(PushRegistry.sharedLimits)
        return exchange
    }

    /// The messages that an input has caused, at all nodes.
    struct InputCost: Hashable {
        /// The place of the input in its entry.
        var place: Int
        /// Its connection, by the number that the node chose.
        var connection: UInt64
        var messages: Int
        var bytes: Int
        var isSignIn: Bool
    }

    /// What became of an entry.
    enum Verdict: Hashable {
        case accepted
        /// It is a double, or its node is not alive.
        case ignored
        /// The node may not join: it has other settings than those that are there, or there are too many.
        case refused
        case unreadable
    }

    /// The push tokens that were registered at any node.
    var knownPushTokens: [KnownPushToken] {
        exchange.pushTokens?.entries.map { user, device, token, registeredAt in
            KnownPushToken(user: user, device: device, token: token, age: time - registeredAt)
        } ?? []
    }

    /// The living node with the lowest serial.
    var first: NodeID? { members.min { $0.value.serial < $1.value.serial }?.key }

    static func connection(_ number: UInt64, of serial: UInt64) -> ConnectionID {
        ConnectionID(rawValue: serial << connectionBits | number)
    }

    /// The serial of a connection's node, and the number that the node chose.
    static func parts(of connection: ConnectionID) -> (serial: UInt64, number: UInt64) {
        (connection.rawValue >> connectionBits, connection.rawValue & (1 << connectionBits - 1))
    }

    // MARK: Reading

    /// Takes the next entry of the log.
    ///
    /// - Parameters:
    ///   - entry: `nil` if it cannot be read.
    ///   - iceServers: Those of a sign-in, which only the node that has taken it knows, by the number of its connection.
    mutating func apply(
        _ entry: LogEntry?, at position: UInt64, iceServers: (UInt64) -> ICEServers? = { _ in nil }
    ) -> Verdict {
        self.position = position
        exchange.position = position
        if !costs.isEmpty { costs = [] }
        guard let entry else {
            unreadable += 1
            return .unreadable
        }
        switch entry.body {
        case .join(let join): return self.join(entry.node, join)
        case .batch(let batch): return take(batch, of: entry.node, iceServers)
        }
    }

    private mutating func join(_ node: NodeID, _ join: LogEntry.Join) -> Verdict {
        guard members[node] == nil, !gone.contains(node) else { return .ignored }
        if let former = join.former { end(former) }
        if settings != join.settings, !members.isEmpty { count(join.elapsed, of: node) }
        if members.isEmpty || settings != join.settings {
            // Nodes with other limits or rules would not do the same. When the last of the old ones has gone, new ones may begin.
            guard members.isEmpty else { return .refused }
            candidate = nil
            use(join.settings)
        }
        guard members.count < Self.mostMembers, lastSerial < 1 << (63 - Self.connectionBits) else { return .refused }
        lastSerial += 1
        members[node] = Member(serial: lastSerial, clock: time, lastHeard: time)
        return .accepted
    }

    /// Begins to live by the settings of a node, perhaps of another version, which is waited for like any other. What its exchange was
    /// is not known later, so that nothing is left of the present one, at any node.
    private mutating func use(_ settings: [UInt8]) {
        self.settings = settings
        let limits = ReplicaSettings.decode(settings)
        isForeign = limits == nil
        if let limits {
            exchange.limits = limits
        } else {
            exchange = Self.newExchange()
            exchange.position = position
        }
    }

    /// Moves the time by a node that may not join, unless another one does that.
    private mutating func count(_ elapsed: Duration, of node: NodeID) {
        var own = candidate.flatMap { $0.node == node ? $0 : nil }
        if own == nil, candidate.map({ position - $0.position > Self.patience }) ?? true {
            own = Candidate(node: node, clock: time, position: position)
        } else if let old = own {
            own?.clock = max(old.clock + min(elapsed, Self.longestStep), time)
            own?.position = position
        }
        guard let own else { return }
        candidate = own
        time = own.clock
        endSilent()
        exchange.handle(.timeout, at: time)
    }

    private mutating func endSilent() {
        let silent = members.filter { time - $0.value.lastHeard > Self.silence }
        for node in silent.sorted(by: { $0.value.serial < $1.value.serial }).map(\.key) { end(node) }
    }

    private mutating func take(
        _ batch: LogEntry.Batch, of node: NodeID, _ iceServers: (UInt64) -> ICEServers?
    ) -> Verdict {
        guard var member = members[node], batch.ordinal == member.ordinal &+ 1 else { return .ignored }
        member.clock = max(member.clock + min(batch.elapsed, Self.longestStep), time)
        member.ordinal = batch.ordinal
        time = member.clock
        member.lastHeard = time
        members[node] = member
        endSilent()
        exchange.handle(.timeout, at: time)
        for (place, input) in batch.inputs.enumerated() where !isForeign {
            let before = (messages: exchange.counters.messagesOut, bytes: exchange.bytesOut)
            take(input, member.serial, iceServers)
            let messages = Int(clamping: exchange.counters.messagesOut &- before.messages)
            guard messages > 0, let connection = input.connection else { continue }
            costs.append(
                InputCost(
                    place: place, connection: connection, messages: messages,
                    bytes: exchange.bytesOut &- before.bytes, isSignIn: input.isSignIn))
        }
        return .accepted
    }

    private mutating func take(
        _ input: LoggedInput, _ serial: UInt64, _ iceServers: (UInt64) -> ICEServers?
    ) {
        switch input {
        case .signIn(let number, var signIn):
            // Without what is random each node would choose for itself. Where it is not new, two sessions would be one.
            guard number < 1 << Self.connectionBits, let chosen = signIn.chosen, exchange.tokens[chosen.token] == nil,
                exchange.connections[Self.connection(number, of: serial)] == nil
            else { return unreadable += 1 }
            signIn.iceServers = iceServers(number) ?? ICEServers(iceServers: [])
            exchange.handle(.signIn(Self.connection(number, of: serial), signIn), at: time)
        case .message(let number, let envelope, let forbidden):
            guard number < 1 << Self.connectionBits else { return unreadable += 1 }
            exchange.forbidden = forbidden
            exchange.handle(.message(Self.connection(number, of: serial), envelope), at: time)
            exchange.forbidden = nil
        case .disconnected(let number):
            guard number < 1 << Self.connectionBits else { return unreadable += 1 }
            exchange.handle(.disconnected(Self.connection(number, of: serial)), at: time)
        case .unreachable(let call): exchange.handle(.unreachable(call), at: time)
        case .snapshot(let position):
            if position <= self.position { snapshotPosition = max(snapshotPosition, position) }
        case .unreadable: unreadable += 1
        }
    }

    /// A node is over: its clients are disconnected.
    private mutating func end(_ node: NodeID) {
        guard let member = members.removeValue(forKey: node) else { return }
        gone.insert(node)
        while gone.count > Self.mostGone, let first = gone.first { gone.remove(first) }
        let connections = exchange.connections.keys.filter { Self.parts(of: $0).serial == member.serial }
        for connection in connections.sorted(by: { $0.rawValue < $1.rawValue }) {
            exchange.handle(.disconnected(connection), at: time)
        }
    }
}

// MARK: - Snapshots

/// What is before the exchange has the same form in each version: one with other rules has to know who lives.
extension ReplicatedState {
    private static let mark: [UInt8] = Array("duet exchange 1".utf8)

    /// The state as bytes.
    func snapshot() -> [UInt8] {
        var writer = StateWriter(capacity: exchange.memory.bytes)
        writer.write(Self.mark)
        writer.write(ReplicaSettings.rules)
        writer.write(position)
        writer.write(time)
        writer.write(lastSerial)
        writer.write(settings)
        writer.write(list: gone.elements) { $0.write($1.rawValue) }
        writer.write(list: members.sorted { $0.value.serial < $1.value.serial }) { writer, element in
            writer.write(element.key.rawValue)
            writer.write(element.value.serial)
            writer.write(element.value.ordinal)
            writer.write(element.value.clock)
            writer.write(element.value.lastHeard)
        }
        writer.write(optional: candidate) {
            $0.write($1.node.rawValue)
            $0.write($1.clock)
            $0.write($1.position)
        }
        writer.write(exchange)
        return writer.bytes
    }

    /// Takes over a snapshot; of one of other rules, everything but the exchange.
    ///
    /// - Throws: ``StateError`` if the bytes are no snapshot.
    init(snapshot bytes: [UInt8]) throws {
        self.init()
        var reader = StateReader(bytes)
        guard try reader.data(atMost: 64) == Self.mark else { throw StateError() }
        let rules = try reader.number()
        position = try reader.counter()
        snapshotPosition = position
        time = try reader.duration()
        lastSerial = try reader.counter()
        settings = try reader.data(atMost: LogEntry.longestSettings)
        for node in try reader.list(atMost: Self.mostGone, { try $0.number() }) { gone.insert(NodeID(rawValue: node)) }
        let members = try reader.list(atMost: Self.mostMembers) { reader in
            (
                NodeID(rawValue: try reader.number()),
                Member(
                    serial: try reader.number(), ordinal: try reader.number(), clock: try reader.duration(),
                    lastHeard: try reader.duration())
            )
        }
        var serials: Set<UInt64> = []
        for (node, member) in members {
            guard member.serial <= lastSerial, member.lastHeard <= time, member.clock <= time,
                serials.insert(member.serial).inserted, self.members.updateValue(member, forKey: node) == nil
            else { throw StateError() }
        }
        candidate = try reader.optional { reader in
            Candidate(
                node: NodeID(rawValue: try reader.number()), clock: try reader.duration(),
                position: try reader.number())
        }
        if let candidate, candidate.clock > time || candidate.position > position { throw StateError() }
        if !settings.isEmpty { use(settings) }
        guard rules == ReplicaSettings.rules else {
            isForeign = true
            return
        }
        guard !isForeign else { throw StateError() }
        try exchange.restore(from: &reader)
        guard reader.isAtEnd, let tokens = exchange.pushTokens, tokens.isPossible(at: time) else { throw StateError() }
    }
}
