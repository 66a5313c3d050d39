@testable import RTCSignaling

/// A client that comes back whenever it loses its connection, to any node, and says and hears what the test counts.
final class VirtualCaller {
    private unowned let world: VirtualCluster
    let address: SignalingAddress
    private var session = ClientSession()
    private var socket: CallerSocket?
    private var attempt: UInt64 = 0
    private(set) var isSignedIn = false
    private var wasSignedIn = false
    private var isAsleep = false

    /// The signals that came, by sender, in their order.
    private(set) var signals: [UserID: [String]] = [:]
    private(set) var sentSignals: [UserID: [String]] = [:]
    /// How often each thing came, by call.
    private(set) var heard: [String: Int] = [:]

    init(_ world: VirtualCluster, _ address: SignalingAddress) {
        self.world = world
        self.address = address
    }

    // MARK: Connections

    func connect() {
        guard socket == nil, !isAsleep else { return }
        attempt += 1
        let attempt = attempt
        guard let node = world.anyNode() else { return connectLater() }
        let socket = CallerSocket(world.time, node, self)
        self.socket = socket
        let signIn = ExchangeSignIn(
            user: address.user, device: address.device, isAuthenticated: true, resume: session.resume,
            network: world.time.chance(50) ? "net" : nil)
        socket.send { .signIn($0, signIn) }
        world.time.after(.seconds(5)) {
            guard self.attempt == attempt, !self.isSignedIn, self.socket === socket else { return }
            socket.leave()
        }
    }

    private func connectLater() {
        world.time.after(world.time.between(50, 1_500)) { self.connect() }
    }

    /// Says goodbye, and does not come back.
    func sleep() {
        isAsleep = true
        say(.bye)
    }

    /// The network cuts its connection.
    func cut() { socket?.leave() }

    func lost(_ socket: CallerSocket) {
        guard self.socket === socket else { return }
        self.socket = nil
        isSignedIn = false
        session.disconnected()
        connectLater()
    }

    // MARK: Messages

    func say(_ message: ClientMessage) {
        guard let messages = session.send(message, at: world.time.now) else { return world.note("too much waits") }
        send(messages)
    }

    private func send(_ messages: [[UInt8]]) {
        for json in messages {
            guard let envelope = try? Envelope<ClientMessage>(json: json) else { return world.note("no message") }
            socket?.send { .message($0, envelope) }
        }
    }

    func receive(_ json: [UInt8], on socket: CallerSocket) {
        guard self.socket === socket else { return }
        guard let envelope = try? Envelope<ServerMessage>(json: json, limit: 1_000_000) else {
            return world.note("not a message")
        }
        if case .welcome(let welcome) = envelope.message {
            if wasSignedIn, !welcome.resumed { world.note("\(address): the session was lost") }
            (isSignedIn, wasSignedIn) = (true, true)
            return send(session.welcomed(welcome, at: world.time.now))
        }
        let reception = session.receive(envelope, at: world.time.now)
        if reception.isGap { world.note("\(address): a number is missing") }
        send(reception.replies)
        if let message = reception.message { hear(message) }
    }

    private func hear(_ message: ServerMessage) {
        switch message {
        case .error(let error) where error.fatal && error.code == .internal: break
        case .error(let error): world.note("\(address): \(error.code) \(error.message)")
        case .signal(let signal):
            signals[signal.from.user, default: []].append(String(decoding: signal.data, as: UTF8.self))
        case .invite(let invite):
            hear("invite", invite.call)
            world.rings(invite.call, at: self)
        case .answer(let answer):
            hear("answer", answer.call)
            world.answered(answer.call)
        case .hangup(let hangUp): hear("hangup", hangUp.call)
        case .candidates(let candidates): hear("candidates", candidates.call)
        case .negotiate(let negotiate):
            hear("negotiate", negotiate.call)
            world.negotiated(negotiate.call)
        case .cancel, .reject, .busy, .noAnswer, .unavailable, .glare, .answeredElsewhere:
            world.note("\(address): \(message.type)")
        default: break
        }
    }

    private func hear(_ what: String, _ call: CallID) {
        heard["\(what) \(call)", default: 0] += 1
    }

    func signal(to other: VirtualCaller, _ text: String) {
        sentSignals[other.address.user, default: []].append(text)
        say(.signal(text, to: other.address))
    }
}
