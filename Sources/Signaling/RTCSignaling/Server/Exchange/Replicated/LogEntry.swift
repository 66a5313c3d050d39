/// A server's process that writes to a log: a random number, new with every start and whenever the node begins again.
struct NodeID: Hashable, Sendable, Comparable, CustomStringConvertible {
    var rawValue: UInt64

    static func < (one: NodeID, other: NodeID) -> Bool { one.rawValue < other.rawValue }

    var description: String { String(rawValue, radix: 36) }
}

/// An entry of the log by which the nodes of a server share their state.
struct LogEntry {
    var node: NodeID
    var body: Body

    enum Body {
        case join(Join)
        case batch(Batch)
    }

    /// The first entry of a node.
    struct Join {
        /// What all nodes have to agree about: see ``ReplicaSettings``.
        var settings: [UInt8]
        /// The same process under its former name, which is over now.
        var former: NodeID?
        /// The time since the node asked to join before, on its own clock; zero at first.
        var elapsed: Duration = .zero
    }

    struct Batch {
        /// The number of the entry among those of its node, from 1. A double of an entry, which was written twice because its answer was
        /// lost, is recognized by it.
        var ordinal: UInt64
        /// The time since the node formed its entry before, on its own clock.
        var elapsed: Duration
        var inputs: [LoggedInput]
    }

    /// The most bytes of an entry. A server of NATS accepts a mebibyte unless it is configured otherwise.
    static let maximumSize = 512 * 1024
    static let mostInputs = 4_096
}

/// What has happened at a node. Connections have the numbers that the node gave them.
enum LoggedInput {
    case signIn(UInt64, ExchangeSignIn)
    /// A message, and those of the users it names whom its sender may not reach.
    case message(UInt64, Envelope<ClientMessage>, forbidden: Set<UserID>)
    case disconnected(UInt64)
    case unreachable(CallID)
    /// There is a snapshot of the state behind this position.
    case snapshot(UInt64)
    /// Cannot be read. All nodes do the same with it: nothing.
    case unreadable

    /// The connection of the client that it comes from.
    var connection: UInt64? {
        switch self {
        case .signIn(let number, _), .message(let number, _, _), .disconnected(let number): number
        case .unreachable, .snapshot, .unreadable: nil
        }
    }

    var isSignIn: Bool { if case .signIn = self { true } else { false } }
}

/// What all nodes of a log have to agree about, or they would not do the same.
enum ReplicaSettings {
    /// To be raised with every change of the exchange's rules. Nodes with other rules wait for each other, for which the form of entries,
    /// and of what a snapshot has before its exchange, has to stay.
    static let rules: UInt64 = 3

    static func encode(_ limits: ExchangeLimits) -> [UInt8] {
        var writer = StateWriter()
        writer.write(rules)
        writer.write(limits)
        return writer.bytes
    }

    /// - Returns: `nil` if they are of other rules, or cannot be read.
    static func decode(_ bytes: [UInt8]) -> ExchangeLimits? {
        var reader = StateReader(bytes)
        guard let rules = try? reader.number(), rules == Self.rules, let limits = try? reader.limits(), reader.isAtEnd
        else { return nil }
        return limits
    }
}
