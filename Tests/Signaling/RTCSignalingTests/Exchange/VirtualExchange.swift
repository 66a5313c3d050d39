@testable import RTCSignaling

/// A ``MemoryExchange`` in virtual time, and devices that are signed in at it.
final class VirtualExchange {
    let exchange: MemoryExchange
    private(set) var now: Duration = .seconds(1_000)
    private var lastConnection: UInt64 = 0
    private var devices: [ConnectionID: VirtualDevice] = [:]
    private var rawEnds: [ConnectionID: RawEnd] = [:]
    /// What pushes were told, since it was last taken.
    private var ringEvents: [RingEvent] = []

    init(
        limits: ExchangeLimits = ExchangeLimits(),
        mayReach: @escaping @Sendable (UserID, UserID) -> Bool = { _, _ in true }
    ) {
        exchange = MemoryExchange(limits: limits, random: SeededGenerator(seed: 7), mayReach: mayReach)
    }

    /// Signs a device in.
    @discardableResult
    func device(
        _ address: String, proven: Bool = false, network: String? = nil, acknowledges: Bool = true
    ) -> VirtualDevice {
        let parts = SignalingAddress(address)
        guard let parts else { preconditionFailure("no address: \(address)") }
        let device = VirtualDevice(self, parts.user, parts.device ?? SignalingDeviceID(rawValue: "one"), proven: proven)
        device.network = network
        device.acknowledges = acknowledges
        device.connect()
        return device
    }

    func advance(_ duration: Duration) {
        let end = now + duration
        while let deadline = exchange.nextDeadline, deadline <= end {
            now = max(now, deadline)
            handle(.timeout)
        }
        now = end
    }

    fileprivate func open(_ device: VirtualDevice) -> ConnectionID {
        lastConnection += 1
        let connection = ConnectionID(rawValue: lastConnection)
        devices[connection] = device
        return connection
    }

    fileprivate func open(_ end: RawEnd) -> ConnectionID {
        lastConnection += 1
        let connection = ConnectionID(rawValue: lastConnection)
        rawEnds[connection] = end
        return connection
    }

    func handle(_ input: ExchangeInput) {
        exchange.handle(input, at: now)
        while let output = exchange.nextOutput() {
            switch output {
            case .send(let connection, let json):
                devices[connection]?.receive(json, on: connection)
                rawEnds[connection]?.receive(json, on: connection)
            case .close(let connection, let code): devices[connection]?.closed(code, on: connection)
            case .ring(let event): ringEvents.append(event)
            case .charge: break
            }
        }
    }

    /// What pushes were told since the last time.
    func takeRingEvents() -> [RingEvent] {
        defer { ringEvents = [] }
        return ringEvents
    }
}

/// A client that does what it is told.
final class VirtualDevice {
    private let world: VirtualExchange
    let user: UserID
    let device: SignalingDeviceID?
    private let proven: Bool
    /// Where it comes from.
    var network: String?
    private(set) var connection: ConnectionID?
    private(set) var welcome: Welcome?
    /// What came, without acknowledgements, since it was last taken.
    private var inbox: [ServerMessage] = []
    private(set) var refusal: SignalingErrorCode?
    private(set) var received: UInt64 = 0
    /// All numbers that came, in their order.
    private(set) var numbers: [UInt64] = []
    private var lastSent: UInt64 = 0
    /// The last number that the server acknowledged.
    private(set) var acknowledged: UInt64 = 0
    /// Whether it says what it has received.
    var acknowledges = true

    fileprivate init(_ world: VirtualExchange, _ user: UserID, _ device: SignalingDeviceID?, proven: Bool) {
        self.world = world
        self.user = user
        self.device = device
        self.proven = proven
    }

    var address: SignalingAddress { SignalingAddress(user: user, device: welcome?.device ?? device) }

    func connect(resume: Hello.Resume? = nil) {
        let connection = world.open(self)
        self.connection = connection
        refusal = nil
        let signIn = ExchangeSignIn(
            user: user, device: device, isAuthenticated: proven, resume: resume, network: network)
        world.handle(.signIn(connection, signIn))
    }

    /// Its socket is lost.
    func cut() {
        guard let connection else { return }
        self.connection = nil
        world.handle(.disconnected(connection))
    }

    /// Comes back to its session.
    func comeBack(received: UInt64? = nil) {
        connect(resume: Hello.Resume(session: welcome?.session ?? "", received: received ?? self.received))
    }

    @discardableResult
    func say(_ message: ClientMessage) -> UInt64 {
        guard message.isNumbered == true else {
            sendRaw(Envelope(message))
            return 0
        }
        lastSent += 1
        sendRaw(Envelope(message, seq: lastSent))
        return lastSent
    }

    func sendRaw(_ envelope: Envelope<ClientMessage>) {
        guard let connection else { return }
        // Through JSON, as everything would come.
        let decoded = try? Envelope<ClientMessage>(json: envelope.json())
        world.handle(.message(connection, decoded ?? envelope))
    }

    fileprivate func receive(_ json: [UInt8], on connection: ConnectionID) {
        guard connection == self.connection else { return }
        guard let envelope = try? Envelope<ServerMessage>(json: json, limit: 1_000_000) else {
            preconditionFailure("not a message: \(String(decoding: json, as: UTF8.self))")
        }
        if let ack = envelope.ack { acknowledged = max(acknowledged, ack) }
        if case .welcome(let welcome) = envelope.message {
            if !welcome.resumed { (received, lastSent, acknowledged) = (0, 0, 0) }
            self.welcome = welcome
            return
        }
        if let seq = envelope.seq {
            numbers.append(seq)
            received = seq
        }
        if envelope.message != .ack { inbox.append(envelope.message) }
        if acknowledges, envelope.seq != nil { sendRaw(Envelope(.ack, ack: received)) }
    }

    fileprivate func closed(_ code: SignalingErrorCode?, on connection: ConnectionID) {
        guard connection == self.connection else { return }
        self.connection = nil
        refusal = code
    }

    /// What came since the last time.
    func take() -> [ServerMessage] {
        defer { inbox = [] }
        return inbox
    }

    /// The types of what came since the last time.
    func types() -> [String] { take().map(\.type) }
}

/// The end of a connection whose client is somewhere else: it carries JSON, and loses it when it is cut.
final class RawEnd {
    private let world: VirtualExchange
    private var connection: ConnectionID?
    private var waiting: [[UInt8]] = []

    init(_ world: VirtualExchange) {
        self.world = world
    }

    var isConnected: Bool { connection != nil }

    func connect(resume: Hello.Resume?) {
        let connection = world.open(self)
        self.connection = connection
        waiting = []
        world.handle(.signIn(connection, ExchangeSignIn(user: "alice", device: "a", resume: resume)))
    }

    func cut() {
        guard let connection else { return }
        self.connection = nil
        waiting = []
        world.handle(.disconnected(connection))
    }

    func send(_ json: [UInt8]) {
        guard let connection, let envelope = try? Envelope<ClientMessage>(json: json) else { return }
        world.handle(.message(connection, envelope))
    }

    fileprivate func receive(_ json: [UInt8], on connection: ConnectionID) {
        if connection == self.connection { waiting.append(json) }
    }

    /// What came next; `nil` if nothing did.
    func next() -> [UInt8]? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }
}

/// The same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension CallID: ExpressibleByStringLiteral {
    /// Tests give calls short names, whose order is that of the identifiers.
    init(stringLiteral name: String) {
        guard let call = CallID(rawValue: name + String(repeating: "-", count: max(0, 16 - name.utf8.count))) else {
            preconditionFailure("no identifier: \(name)")
        }
        self = call
    }
}

extension SignalingAddress: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let address = SignalingAddress(text) else { preconditionFailure("no address: \(text)") }
        self = address
    }
}

extension UserID: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let user = UserID(rawValue: text) else { preconditionFailure("no user: \(text)") }
        self = user
    }
}

extension SignalingDeviceID: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let device = SignalingDeviceID(rawValue: text) else { preconditionFailure("no device: \(text)") }
        self = device
    }
}

extension ClientMessage {
    static func invite(_ call: CallID, to address: SignalingAddress, lifetime: Double = 30, again: Bool = false)
        -> ClientMessage
    {
        .invite(
            Invite(
                call: call, to: address, lifetime: lifetime, media: [.audio, .video],
                description: .sdp(type: .offer, sdp: "v=0 offer"), again: again))
    }

    static func ringing(_ call: CallID) -> ClientMessage { .ringing(CallReference(call: call)) }
    static func answer(_ call: CallID) -> ClientMessage {
        .answer(Answer(call: call, description: .sdp(type: .answer, sdp: "v=0 answer")))
    }
    static func reject(_ call: CallID) -> ClientMessage { .reject(Reject(call: call)) }
    static func busy(_ call: CallID) -> ClientMessage { .busy(CallReference(call: call)) }
    static func cancel(_ call: CallID) -> ClientMessage { .cancel(Cancel(call: call)) }
    static func hangup(_ call: CallID, _ reason: CallReason? = nil) -> ClientMessage {
        .hangup(HangUp(call: call, reason: reason))
    }
    static func negotiate(_ call: CallID, _ sdp: String = "v=0 later") -> ClientMessage {
        .negotiate(Negotiate(call: call, description: .sdp(type: .offer, sdp: sdp)))
    }
    static func candidates(_ call: CallID, _ lines: [String] = ["candidate:1"]) -> ClientMessage {
        .candidates(
            Candidates(call: call, candidates: lines.map { .candidate(CallCandidate.ICECandidate(candidate: $0)) }))
    }
    static func attach(_ call: CallID, to peer: SignalingAddress, caller: Bool) -> ClientMessage {
        .attach(Attach(call: call, peer: peer, caller: caller))
    }
    static func signal(_ text: String, to address: SignalingAddress) -> ClientMessage {
        .signal(OutgoingSignal(target: .address(address), kind: nil, data: Array(text.utf8)))
    }
}

extension [ServerMessage] {
    /// The lines of the candidates in them, in order.
    var candidates: [String] {
        flatMap { message -> [String] in
            guard case .candidates(let delivered) = message else { return [] }
            return delivered.candidates.compactMap {
                if case .candidate(let candidate) = $0 { candidate.candidate } else { nil }
            }
        }
    }

    /// The codes of the errors among them.
    var errors: [SignalingErrorCode] {
        compactMap { if case .error(let error) = $0 { error.code } else { nil } }
    }
}
