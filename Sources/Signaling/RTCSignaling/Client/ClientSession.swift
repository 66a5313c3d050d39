/// The client's side of a session: sequence numbers, acknowledgements, and what a new socket or session requires.
///
/// Without sockets and clock; docs/signaling.md is its specification.
struct ClientSession: Sendable {
    private var ledger = CallLedger()
    private var token: String?
    /// The last number accepted from the server.
    private(set) var received: UInt64 = 0
    private var lastSent: UInt64 = 0
    /// The messages up to the number `lastSent` that the server has not acknowledged.
    private var unacknowledged: [Unacknowledged] = []
    private var unacknowledgedBytes = 0
    private(set) var watched: [UserID] = []
    /// What the app has last said of its push token; `nil` if nothing.
    private(set) var pushRegistration: PushRegistration?
    /// Whether there is a socket on which the server has sent `welcome`.
    private(set) var isSignedIn = false

    private struct Unacknowledged: Sendable {
        var message: ClientMessage
        var json: [UInt8]
        /// Whether it was sent.
        var isSent: Bool
    }

    /// The `id` of the pings with which the socket checks the connection.
    static let probeID = 0
    static let mostUnacknowledged = 1_024
    static let mostUnacknowledgedBytes = 4 * 1024 * 1024

    /// The member `resume` of the `hello` on a new socket.
    var resume: Hello.Resume? { token.map { Hello.Resume(session: $0, received: received) } }

    mutating func disconnected() {
        isSignedIn = false
    }

    /// - Returns: The messages to send now; `nil` if too many are waiting.
    mutating func send(_ message: ClientMessage, at now: Duration) -> [[UInt8]]? {
        if case .watch(let watch) = message { watched = watch.users }
        if case .pushToken(let registration) = message { pushRegistration = registration }
        guard message.isNumbered == true else {
            return isSignedIn ? [Envelope(message).json()] : []
        }
        guard unacknowledged.count < Self.mostUnacknowledged, unacknowledgedBytes < Self.mostUnacknowledgedBytes
        else { return nil }
        guard case .now = ledger.willSend(message, isSignedIn: isSignedIn, at: now) else { return [] }
        let json = number(message)
        return isSignedIn ? [json] : []
    }

    private mutating func number(_ message: ClientMessage) -> [UInt8] {
        lastSent += 1
        let json = Envelope(message, seq: lastSent).json()
        unacknowledged.append(Unacknowledged(message: message, json: json, isSent: isSignedIn))
        unacknowledgedBytes += json.count
        return json
    }

    /// - Returns: The messages to send now.
    mutating func welcomed(_ welcome: Welcome, at now: Duration) -> [[UInt8]] {
        isSignedIn = true
        var messages: [[UInt8]] = []
        if welcome.resumed {
            acknowledged(welcome.received)
            ledger.resumed()
            for index in unacknowledged.indices { unacknowledged[index].isSent = true }
            messages = unacknowledged.map(\.json)
        } else {
            let unsent = unacknowledged.filter { !$0.isSent }.map(\.message)
            let uncertain = unacknowledged.filter(\.isSent).map(\.message)
            token = welcome.session
            received = 0
            lastSent = 0
            unacknowledged = []
            unacknowledgedBytes = 0
            messages = ledger.startAnew(unsent: unsent, uncertain: uncertain, at: now).map { number($0) }
        }
        if !watched.isEmpty { messages.append(Envelope(ClientMessage.watch(Watch(users: watched))).json()) }
        if let pushRegistration { messages.append(Envelope(ClientMessage.pushToken(pushRegistration)).json()) }
        return messages
    }

    struct Reception {
        /// The message for the application, if there is one.
        var message: ServerMessage?
        /// What it means, for an application that knows only this.
        var consequence: ServerMessage?
        var replies: [[UInt8]] = []
        /// Whether a message is missing, which only a new socket can bring.
        var isGap = false
    }

    mutating func receive(_ envelope: Envelope<ServerMessage>, at now: Duration) -> Reception {
        if let ack = envelope.ack { acknowledged(ack) }
        guard envelope.isNumbered else { return receiveUnnumbered(envelope.message) }
        guard let seq = envelope.seq, seq <= received &+ 1 else { return Reception(isGap: true) }
        let acknowledgement = Envelope(ClientMessage.ack, ack: max(received, seq)).json()
        guard seq > received else { return Reception(replies: [acknowledgement]) }
        received = seq
        let noted = ledger.received(envelope.message, at: now)
        var replies = [acknowledgement]
        for message in noted.released { replies += send(message, at: now) ?? [] }
        return Reception(
            message: noted.isNews ? envelope.message.known : nil, consequence: noted.consequence, replies: replies)
    }

    private func receiveUnnumbered(_ message: ServerMessage) -> Reception {
        switch message {
        case .ping(let ping): Reception(replies: [Envelope(ClientMessage.pong(ping)).json()])
        case .ack: Reception()
        case .pong(let ping) where ping.id == Self.probeID: Reception()
        default: Reception(message: message.known)
        }
    }

    private mutating func acknowledged(_ number: UInt64) {
        let first = lastSent - UInt64(unacknowledged.count) + 1
        guard number >= first, number <= lastSent else { return }
        let count = Int(number - first + 1)
        unacknowledgedBytes -= unacknowledged[..<count].reduce(0) { $0 + $1.json.count }
        unacknowledged.removeFirst(count)
    }

    /// The messages to send now because of the time.
    mutating func repeated(at now: Duration) -> [[UInt8]] {
        guard isSignedIn, unacknowledged.count < Self.mostUnacknowledged else { return [] }
        return ledger.attachAgain(at: now).map { number($0) }
    }

    /// The messages that a server would have sent for expired calls.
    mutating func expired(at now: Duration) -> [ServerMessage] {
        ledger.expired(at: now).map { .noAnswer(CallReference(call: $0)) }
    }
}

extension ServerMessage {
    /// `nil` if the message is unknown or malformed.
    fileprivate var known: ServerMessage? {
        switch self {
        case .unknown, .malformed: nil
        default: self
        }
    }
}
