extension LogEntry {
    private static let version: UInt8 = 1
    private static let marks: (join: UInt8, batch: UInt8) = (1, 2)
    static let longestSettings = 1_024

    /// - Parameter inputs: Encoded inputs (``LoggedInput/encoded()``), instead of those of the body.
    func encoded(inputs: [[UInt8]] = []) -> [UInt8] {
        var writer = StateWriter()
        writer.write(Self.version)
        writer.write(node.rawValue)
        switch body {
        case .join(let join):
            writer.write(Self.marks.join)
            writer.write(join.settings)
            writer.write(optional: join.former) { $0.write($1.rawValue) }
            writer.write(join.elapsed)
        case .batch(let batch):
            writer.write(Self.marks.batch)
            writer.write(batch.ordinal)
            writer.write(batch.elapsed)
            writer.write(list: inputs + batch.inputs.map { $0.encoded() }) { $0.write($1) }
        }
        return writer.bytes
    }

    /// - Returns: `nil` if the bytes are no entry.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, let entry = try? Self(reading: bytes) else { return nil }
        self = entry
    }

    private init(reading bytes: [UInt8]) throws {
        var reader = StateReader(bytes)
        guard try reader.byte() == Self.version else { throw StateError() }
        node = NodeID(rawValue: try reader.number())
        switch try reader.byte() {
        case Self.marks.join:
            let settings = try reader.data(atMost: Self.longestSettings)
            let former = try reader.optional { NodeID(rawValue: try $0.number()) }
            let elapsed = try reader.duration()
            guard elapsed >= .zero else { throw StateError() }
            body = .join(Join(settings: settings, former: former, elapsed: elapsed))
        case Self.marks.batch:
            let (ordinal, elapsed) = (try reader.number(), try reader.duration())
            guard elapsed >= .zero else { throw StateError() }
            let inputs = try reader.list(atMost: Self.mostInputs) { LoggedInput(try $0.data()) }
            body = .batch(Batch(ordinal: ordinal, elapsed: elapsed, inputs: inputs))
        default: throw StateError()
        }
        guard reader.isAtEnd else { throw StateError() }
    }
}

extension LoggedInput {
    private static let marks:
        (
            signIn: UInt8, message: UInt8, malformed: UInt8, disconnected: UInt8, unreachable: UInt8, snapshot: UInt8
        ) = (1, 2, 3, 4, 5, 6)
    /// A message that is written again may be a little longer than it came.
    private static let longestMessage = 3 * SignalingProtocol.maximumMessageSize
    /// The most bytes of an encoded input: an entry of 256 KiB has room for one more of them.
    static let longest = longestMessage

    /// The input without its ICE servers, which only the node that has the connection needs.
    func encoded() -> [UInt8] {
        var writer = StateWriter()
        switch self {
        case .signIn(let connection, let signIn):
            writer.write(Self.marks.signIn)
            writer.write(connection)
            writer.write(signIn)
        case .message(let connection, let envelope, let forbidden):
            if case .malformed(let reason, let type, let call) = envelope.message {
                writer.write(Self.marks.malformed)
                writer.write(connection)
                writer.write(optional: envelope.seq) { $0.write($1) }
                writer.write(optional: envelope.ack) { $0.write($1) }
                writer.write(reason.description)
                writer.write(reason.isTooLarge)
                writer.write(type)
                writer.write(optional: call) { $0.write($1) }
            } else {
                writer.write(Self.marks.message)
                writer.write(connection)
                writer.write(envelope.json())
                writer.write(list: forbidden.sorted()) { $0.write($1) }
            }
        case .disconnected(let connection):
            writer.write(Self.marks.disconnected)
            writer.write(connection)
        case .unreachable(let call):
            writer.write(Self.marks.unreachable)
            writer.write(call)
        case .snapshot(let position):
            writer.write(Self.marks.snapshot)
            writer.write(position)
        case .unreadable: writer.write(0 as UInt8)
        }
        return writer.bytes
    }

    init(_ bytes: [UInt8]) {
        self = (try? Self(reading: bytes)) ?? .unreadable
    }

    private init(reading bytes: [UInt8]) throws {
        var reader = StateReader(bytes)
        switch try reader.byte() {
        case Self.marks.signIn: self = .signIn(try reader.number(), try reader.signIn())
        case Self.marks.message:
            let connection = try reader.number()
            let json = try reader.data(atMost: Self.longestMessage)
            let envelope = try Envelope<ClientMessage>(json: json, limit: Self.longestMessage)
            let forbidden = try reader.list(atMost: Watch.maximumCount) { try $0.identifier(UserID.self) }
            self = .message(connection, envelope, forbidden: Set(forbidden))
        case Self.marks.malformed:
            let (connection, seq) = (try reader.number(), try reader.optional { try $0.number() })
            let ack = try reader.optional { try $0.number() }
            let reason = MalformedMessage(
                try reader.text(atMost: Self.longestMessage), isTooLarge: try reader.flag())
            let type = try reader.text(atMost: Self.longestMessage)
            let call = try reader.optional { try $0.identifier(CallID.self) }
            let message = ClientMessage.malformed(reason, type: type, call: call)
            self = .message(connection, Envelope(message, seq: seq, ack: ack), forbidden: [])
        case Self.marks.disconnected: self = .disconnected(try reader.number())
        case Self.marks.unreachable: self = .unreachable(try reader.identifier())
        case Self.marks.snapshot: self = .snapshot(try reader.number())
        default: throw StateError()
        }
        guard reader.isAtEnd else { throw StateError() }
    }
}

extension StateWriter {
    fileprivate mutating func write(_ signIn: ExchangeSignIn) {
        write(signIn.user)
        write(optional: signIn.device) { $0.write($1) }
        write(optional: signIn.name) { $0.write($1) }
        write(signIn.nameIsProven)
        write(signIn.isAuthenticated)
        write(optional: signIn.resume) {
            $0.write($1.session)
            $0.write($1.received)
        }
        write(optional: signIn.network) { $0.write($1) }
        write(optional: signIn.chosen) {
            $0.write($1.token)
            $0.write($1.device)
        }
        write(optional: signIn.seen) { $0.write($1) }
    }
}

extension StateReader {
    fileprivate mutating func signIn() throws -> ExchangeSignIn {
        var signIn = ExchangeSignIn(user: try identifier())
        signIn.device = try optional { try $0.identifier() }
        signIn.name = try optional { try $0.identifier() }
        signIn.nameIsProven = try flag()
        signIn.isAuthenticated = try flag()
        signIn.resume = try optional {
            Hello.Resume(session: try $0.text(atMost: 128), received: try $0.number())
        }
        signIn.network = try optional { try $0.text(atMost: 128) }
        signIn.chosen = try optional {
            ChosenSession(token: try $0.text(atMost: 128), device: try $0.identifier())
        }
        signIn.seen = try optional { try $0.number() }
        return signIn
    }
}
