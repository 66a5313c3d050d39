@testable import RTCSignaling

/// Reads everything that somebody may have written where nodes share their state. No input may trap.
enum LogParsers {
    /// Reads an entry of the log. One that can be read can be written, and then says the same.
    static func readEntry(_ bytes: [UInt8]) {
        guard let entry = LogEntry(bytes) else { return }
        let written = entry.encoded()
        // Escaped characters make messages longer.
        guard written.count <= LogEntry.maximumSize else { return }
        guard let again = LogEntry(written) else { preconditionFailure("an entry cannot be read again") }
        precondition(again.node == entry.node && again.encoded() == written, "an entry says something else")
    }

    /// Reads a snapshot, which is the same state when it is written and read again; then the entries behind it.
    static func readSnapshot(_ bytes: [UInt8], then entries: [[UInt8]]) {
        guard var state = try? ReplicatedState(snapshot: bytes) else { return }
        if !state.isForeign { _ = copy(of: state) }
        for entry in entries { _ = read(entry, &state) }
    }

    /// Reads a log. Whoever begins with a snapshot has the same outputs as those who have read everything, and comes to the same state.
    ///
    /// - Parameter count: How many entries are in the snapshot.
    static func readLog(_ entries: [[UInt8]], snapshotAfter count: Int) {
        var state = ReplicatedState()
        var other: ReplicatedState?
        for (number, entry) in entries.enumerated() {
            // Of nodes with other rules only those write snapshots.
            if number == count, !state.isForeign { other = copy(of: state) }
            let outputs = read(entry, &state)
            guard var copy = other else { continue }
            precondition(read(entry, &copy) == outputs, "a node that came later does something else")
            other = copy
        }
        if let other { precondition(other.snapshot() == state.snapshot(), "a node that came later has another state") }
    }

    /// Returns a snapshot of what the entries say.
    static func snapshot(of entries: [[UInt8]]) -> [UInt8] {
        var state = ReplicatedState()
        for entry in entries { _ = read(entry, &state) }
        return state.snapshot()
    }

    private static func read(_ entry: [UInt8], _ state: inout ReplicatedState) -> [ExchangeOutput] {
        _ = state.apply(LogEntry(entry), at: state.position + 1)
        precondition(state.members.count <= ReplicatedState.mostMembers, "too many nodes")
        precondition(state.gone.count <= ReplicatedState.mostGone, "too many nodes that are over")
        var outputs: [ExchangeOutput] = []
        while let output = state.exchange.nextOutput() { outputs.append(output) }
        return outputs
    }

    private static func copy(of state: ReplicatedState) -> ReplicatedState {
        let bytes = state.snapshot()
        guard let copy = try? ReplicatedState(snapshot: bytes) else {
            preconditionFailure("a snapshot cannot be read again")
        }
        precondition(copy.snapshot() == bytes, "a snapshot says something else")
        return copy
    }
}

/// Forms entries as a node does.
struct EntryWriter {
    private let node: NodeID
    private var ordinal: UInt64 = 0

    /// - Parameter node: The name of the node.
    init(node: UInt64) {
        self.node = NodeID(rawValue: node)
    }

    /// - Parameter former: The node's name before.
    func join(_ limits: ExchangeLimits, former: UInt64?, after elapsed: Duration) -> [UInt8] {
        let join = LogEntry.Join(
            settings: ReplicaSettings.encode(limits), former: former.map(NodeID.init(rawValue:)), elapsed: elapsed)
        return LogEntry(node: node, body: .join(join)).encoded()
    }

    /// - Parameters:
    ///   - secret: That of the sessions which begin.
    ///   - forbidden: The users whom the senders may not reach.
    mutating func batch(
        _ inputs: [ExchangeInput], after elapsed: Duration, secret: String, forbidden: Set<UserID>
    ) -> [UInt8] {
        ordinal += 1
        let logged = inputs.map { input -> LoggedInput in
            switch input {
            case .signIn(let connection, var signIn):
                signIn.chosen = SignalingDeviceID(rawValue: "chosen").map { ChosenSession(token: secret, device: $0) }
                return .signIn(connection.rawValue, signIn)
            case .message(let connection, let envelope):
                return .message(connection.rawValue, envelope, forbidden: forbidden)
            case .disconnected(let connection): return .disconnected(connection.rawValue)
            case .unreachable(let call): return .unreachable(call)
            case .timeout: return .snapshot(1)
            }
        }
        let batch = LogEntry.Batch(ordinal: ordinal, elapsed: elapsed, inputs: logged)
        return LogEntry(node: node, body: .batch(batch)).encoded()
    }
}
