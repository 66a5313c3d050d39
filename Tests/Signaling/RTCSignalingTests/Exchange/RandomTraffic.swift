@testable import RTCSignaling

/// Inputs of an exchange at random: users of few names who sign in, come back, call, answer, hang up, signal, watch, and vanish. Some of
/// it makes no sense, as with real clients.
struct RandomTraffic {
    private struct Client {
        var user: UserID
        var device: SignalingDeviceID
        var connection: ConnectionID?
        var session: String?
        var lastSent: UInt64 = 0
        var received: UInt64 = 0
        var acknowledges: Bool
    }

    private var random: SeededGenerator
    private var clients: [Client] = []
    private var lastConnection: UInt64 = 0
    private var calls: [CallID] = []
    private let isAuthenticated: Bool

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        isAuthenticated = seed % 3 != 0
        for number in 0..<12 {
            let user = UserID(stringLiteral: "user\(number / 2)")
            let device = SignalingDeviceID(stringLiteral: "device\(number % 2)")
            clients.append(Client(user: user, device: device, acknowledges: number % 5 != 0))
        }
    }

    /// How long it is until the next input.
    mutating func pause() -> Duration {
        .milliseconds([0, 0, 0, 1, 40, 900, 6_000][Int(random.next() % 7)])
    }

    mutating func next() -> ExchangeInput {
        let index = Int(random.next() % UInt64(clients.count))
        guard let connection = clients[index].connection else { return signIn(index) }
        switch random.next() % 24 {
        case 0...1:
            clients[index].connection = nil
            return .disconnected(connection)
        case 2: return .timeout
        // On another socket, while the first is still there.
        case 3: return signIn(index)
        case 4: return .message(connection, Envelope(.watch(Watch(users: [user(), user(), user()]))))
        case 5...6 where clients[index].acknowledges:
            return .message(connection, Envelope(.ack, ack: clients[index].received))
        default:
            clients[index].lastSent += 1
            return .message(connection, Envelope(numbered(), seq: clients[index].lastSent))
        }
    }

    private mutating func user() -> UserID { UserID(stringLiteral: "user\(random.next() % 7)") }

    private mutating func numbered() -> ClientMessage {
        if calls.isEmpty || random.next() % 4 == 0 {
            let call = CallID(stringLiteral: "call\(random.next() % 40)")
            calls.append(call)
            let target = SignalingAddress(user: user())
            return .invite(call, to: target, lifetime: Double(1 + random.next() % 30), again: random.next() % 3 == 0)
        }
        let call = calls[Int(random.next() % UInt64(calls.count))]
        switch random.next() % 12 {
        case 0: return .ringing(call)
        case 1...3: return .answer(call)
        case 4: return .reject(call)
        case 5: return .busy(call)
        case 6: return .cancel(call)
        case 7: return .candidates(call, (0..<random.next() % 5).map { "candidate:\($0)" })
        case 8: return .negotiate(call, String(repeating: "x", count: Int(random.next() % 4_000)))
        case 9: return .hangup(call)
        case 10:
            let peer = SignalingAddress(
                user: user(), device: SignalingDeviceID(stringLiteral: "device\(random.next() % 2)"))
            return .attach(call, to: peer, caller: random.next() % 2 == 0)
        default:
            return .signal(
                String(repeating: "y", count: Int(random.next() % 4_000)), to: SignalingAddress(user: user()))
        }
    }

    private mutating func signIn(_ index: Int) -> ExchangeInput {
        lastConnection += 1
        let connection = ConnectionID(rawValue: lastConnection)
        clients[index].connection = connection
        let resume = clients[index].session.map {
            Hello.Resume(session: $0, received: clients[index].received)
        }
        let network = ["one", "two", "three", nil][Int(random.next() % 4)]
        return .signIn(
            connection,
            ExchangeSignIn(
                user: clients[index].user, device: random.next() % 8 == 0 ? nil : clients[index].device,
                isAuthenticated: isAuthenticated, resume: random.next() % 8 == 0 ? nil : resume, network: network))
    }

    /// Takes notice of what an exchange said.
    mutating func note(_ output: ExchangeOutput) {
        switch output {
        case .send(let connection, let json):
            guard let index = clients.firstIndex(where: { $0.connection == connection }),
                let envelope = try? Envelope<ServerMessage>(json: json, limit: 1_000_000)
            else { return }
            if case .welcome(let welcome) = envelope.message {
                if !welcome.resumed { clients[index].received = 0 }
                clients[index].lastSent = welcome.received
                clients[index].session = welcome.session
            } else if let seq = envelope.seq {
                clients[index].received = seq
            }
        case .close(let connection, _):
            guard let index = clients.firstIndex(where: { $0.connection == connection }) else { return }
            clients[index].connection = nil
        case .ring, .charge: return
        }
    }

    /// Limits that this traffic reaches.
    static var limits: ExchangeLimits {
        var limits = ExchangeLimits()
        limits.sessions = 10
        limits.sessionsAway = 5
        limits.waitingBytes = 60_000
        limits.unacknowledgedMessages = 40
        limits.inviteInterval = .milliseconds(100)
        limits.resumeWindow = .seconds(20)
        limits.endedCallMemory = .seconds(10)
        limits.attachWindow = .seconds(15)
        limits.ringsAbsentUsers = true
        return limits
    }
}

extension MemoryExchange {
    /// Handles an input, and returns all that comes of it.
    func outputs(for input: ExchangeInput, at now: Duration) -> [ExchangeOutput] {
        handle(input, at: now)
        var outputs: [ExchangeOutput] = []
        while let output = nextOutput() { outputs.append(output) }
        return outputs
    }
}
