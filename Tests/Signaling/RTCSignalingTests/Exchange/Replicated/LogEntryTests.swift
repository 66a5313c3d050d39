import Testing

@testable import RTCSignaling

@Suite("Entries of the log as bytes")
struct LogEntryTests {
    private static let inputs: [ExchangeInput] = [
        .signIn(
            ConnectionID(rawValue: 7),
            ExchangeSignIn(
                user: "alice", device: "a", name: DisplayName(rawValue: "Alice 🦊"), nameIsProven: true,
                isAuthenticated: true, resume: Hello.Resume(session: "secret", received: 9), network: "10.0.0.1")),
        .message(ConnectionID(rawValue: 8), Envelope(.invite("call", to: "bob/b"), seq: 1, ack: 2)),
        .message(ConnectionID(rawValue: 8), Envelope(.candidates("call", ["a", "b\n\"/"]), seq: 2)),
        .message(ConnectionID(rawValue: 8), Envelope(.attach("call", to: "bob/b", caller: true), seq: 3)),
        .message(ConnectionID(rawValue: 8), Envelope(.signal("hi", to: "bob"), seq: 4)),
        .message(ConnectionID(rawValue: 8), Envelope(.watch(Watch(users: ["bob", "carol"])))),
        .message(ConnectionID(rawValue: 8), Envelope(.unknown(type: "later"), seq: 5)),
        .message(ConnectionID(rawValue: 8), Envelope(.bye)),
        .message(ConnectionID(rawValue: 8), Envelope(.ack, ack: .max)),
    ]

    private static func logged(_ input: ExchangeInput) -> LoggedInput {
        switch input {
        case .signIn(let connection, var signIn): .signIn(connection.rawValue, chosen(for: &signIn))
        case .message(let connection, let envelope): .message(connection.rawValue, envelope, forbidden: ["eve"])
        case .disconnected(let connection): .disconnected(connection.rawValue)
        case .unreachable(let call): .unreachable(call)
        case .timeout: .unreadable
        }
    }

    private static func chosen(for signIn: inout ExchangeSignIn) -> ExchangeSignIn {
        signIn.chosen = ChosenSession(token: "another secret", device: "b")
        return signIn
    }

    @Test("What is written is read again")
    func roundTrip() throws {
        let inputs = Self.inputs.map(Self.logged) + [.disconnected(3), .unreachable("call"), .snapshot(77)]
        let batch = LogEntry.Batch(ordinal: 5, elapsed: .milliseconds(1_234), inputs: inputs)
        let bytes = LogEntry(node: NodeID(rawValue: .max), body: .batch(batch)).encoded()
        let read = try #require(LogEntry(bytes))
        #expect(read.node == NodeID(rawValue: .max))
        guard case .batch(let other) = read.body else { return #expect(Bool(false)) }
        #expect(other.ordinal == 5 && other.elapsed == .milliseconds(1_234))
        #expect(other.inputs.count == inputs.count)
        #expect(LogEntry(node: read.node, body: .batch(other)).encoded() == bytes)
        guard case .message(8, let envelope, let forbidden) = other.inputs[1] else { return #expect(Bool(false)) }
        #expect(envelope == Envelope(.invite("call", to: "bob/b"), seq: 1, ack: 2) && forbidden == ["eve"])
    }

    @Test("A malformed message keeps its number and the reason")
    func malformed() {
        let reason = MalformedMessage("“call” is missing", isTooLarge: true)
        let message = ClientMessage.malformed(reason, type: "invite", call: "call")
        let input = LoggedInput.message(1, Envelope(message, seq: 4, ack: 3), forbidden: [])
        guard case .message(1, let envelope, _) = LoggedInput(input.encoded()) else { return #expect(Bool(false)) }
        #expect(envelope == Envelope(message, seq: 4, ack: 3))
    }

    @Test("The limits of the nodes are read again")
    func limits() throws {
        var limits = RandomTraffic.limits
        limits.longestLifetime = 33.5
        let bytes = ReplicaSettings.encode(limits)
        let read = try #require(ReplicaSettings.decode(bytes))
        #expect(ReplicaSettings.encode(read) == bytes)
        #expect(read.longestLifetime == 33.5 && read.sessions == limits.sessions && read.ringsAbsentUsers)
        limits.devicesPerUser += 1
        #expect(ReplicaSettings.encode(limits) != bytes)
    }

    @Test("Limits that cannot be calculated with are refused", arguments: [-1e300, -1, 1e300, .infinity, .nan])
    func impossibleLimits(seconds: Double) {
        var limits = ExchangeLimits()
        limits.longestLifetime = seconds
        #expect(ReplicaSettings.decode(ReplicaSettings.encode(limits)) == nil)
        limits = ExchangeLimits()
        limits.pingInterval = seconds
        #expect(ReplicaSettings.decode(ReplicaSettings.encode(limits)) == nil)
    }

    @Test("Bytes of strangers are refused, whatever they are", arguments: 0..<20 as Range<UInt64>)
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let batch = LogEntry.Batch(
            ordinal: 5, elapsed: .milliseconds(1_234), inputs: Self.inputs.map(Self.logged))
        let bytes = LogEntry(node: NodeID(rawValue: 9), body: .batch(batch)).encoded()
        for length in 0..<bytes.count { #expect(LogEntry(Array(bytes[..<length])) == nil) }
        var state = ReplicatedState()
        let join = LogEntry.Join(settings: ReplicaSettings.encode(ExchangeLimits()))
        #expect(state.apply(LogEntry(node: NodeID(rawValue: 9), body: .join(join)), at: 1) == .accepted)
        for position in 2..<2_000 as Range<UInt64> {
            var changed = bytes
            for _ in 0..<(1 + random.next() % 4) {
                changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            _ = state.apply(LogEntry(changed), at: position)
            while state.exchange.nextOutput() != nil {}
        }
        #expect(LogEntry([UInt8](repeating: 0, count: LogEntry.maximumSize + 1)) == nil)
    }
}
