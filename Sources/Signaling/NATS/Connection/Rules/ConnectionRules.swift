internal import RTCWire

/// The rules of a client's connection: when it connects, to which server, what is said then, and what becomes of subscriptions
/// and requests when it is lost. A value without I/O; its owner passes in what happens, and carries effects out.
struct ConnectionRules {
    enum Phase: Hashable {
        case idle
        case opening
        case awaitingInfo
        case securing
        /// CONNECT and PING were sent.
        case greeting
        case connected
        /// Until the next attempt.
        case waiting
        case closed
    }

    /// What a PONG answers.
    enum Pinged: Hashable {
        case greeting
        case keepAlive
        case flush(UInt64)
        case drainedSubscriptions
        case drained
    }

    enum Drain: Hashable {
        case subscriptions
        case requests
        case flush
    }

    struct Subscription {
        var filter: NATSSubjectFilter
        var queue: NATSSubject?
    }

    let options: ConnectionOptions
    let random: any RandomSource
    var phase = Phase.idle
    var info = NATSServerInfo()
    var subscriptions: [UInt64: Subscription] = [:]
    var lastSubscription: UInt64 = Self.inbox
    /// The subjects of answers begin with it.
    let inboxSubject: String
    /// Requests, and flushes, that have no answer yet.
    var pending: Set<UInt64> = []
    var lastRequest: UInt64 = 0
    var requestDeadlines = PriorityQueue<Instant, UInt64>()
    var pings: [Pinged] = []
    var drain: Drain?
    var buffered: [(size: Int, bytes: [UInt8])] = []
    var bufferedBytes = 0
    var output: [UInt8] = []
    var effects: [ConnectionEffect] = []

    private var pool: ServerPool
    private var server: NATSServer?
    private var parser: ServerParser
    private var isSecured = false
    private var wasConnected = false
    private var attemptDeadline: Instant?
    private var retryTime: Instant?
    private var pingTime: Instant?
    private var drainDeadline: Instant?
    /// What the server said last, which may be why it closes the connection.
    private var refusal: (error: NATSError, time: Instant)?
    /// The first attempt's most telling failure.
    private var failure: NATSError?

    /// The number of the subscription for answers.
    static let inbox: UInt64 = 1
    private static let refusalAge = TimeDelta.seconds(2)

    init(_ options: ConnectionOptions, random: any RandomSource) {
        self.options = options
        self.random = random
        pool = ServerPool(
            options.servers, first: options.firstDelay, longest: options.longestDelay, random: random)
        parser = ServerParser(limits: options.limits)
        inboxSubject = "\(options.inboxPrefix.text).\(Base64.encode(random.bytes(16), as: .url))"
    }

    var isConnected: Bool { phase == .connected }
    var servers: [NATSServer] { pool.servers }
    var currentServer: NATSServer? { server }

    // MARK: Polled

    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    mutating func takeEffects() -> [ConnectionEffect] {
        defer { effects = [] }
        return effects
    }

    var nextDeadline: Instant? {
        [attemptDeadline, retryTime, pingTime, drainDeadline, requestDeadlines.next].compactMap { $0 }.min()
    }

    mutating func tick(at now: Instant) {
        expireRequests(at: now)
        if let deadline = drainDeadline, deadline <= now {
            return finish(NATSError(.timeout, "the client could not be drained in time"))
        }
        if let deadline = attemptDeadline, deadline <= now {
            lose(NATSError(.unreachable, "\(serverName) did not answer in time"), isOpen: true, at: now)
        }
        if let time = retryTime, time <= now { attempt(at: now) }
        if let time = pingTime, time <= now { keepAlive(at: now) }
    }

    private var serverName: String { server.map { "\($0)" } ?? "the server" }

    // MARK: Connecting

    mutating func start(at now: Instant) {
        guard phase == .idle else { return }
        attempt(at: now)
    }

    private mutating func attempt(at now: Instant) {
        retryTime = nil
        guard let next = pool.next() else {
            return finish(NATSError(.invalidArgument, "there is no server to connect to"))
        }
        server = next
        phase = .opening
        isSecured = false
        refusal = nil
        parser = ServerParser(limits: options.limits)
        attemptDeadline = now + options.connectTimeout
        effects.append(.open(next, tlsFirst: options.tls == .first))
    }

    /// The channel is open, and secured if it was opened with TLS.
    mutating func opened(at now: Instant) {
        guard phase == .opening else { return }
        isSecured = options.tls == .first
        phase = .awaitingInfo
    }

    /// The channel has been secured.
    mutating func secured(at now: Instant) {
        guard phase == .securing else { return }
        isSecured = true
        greet()
    }

    private mutating func receivedFirst(_ info: NATSServerInfo, at now: Instant) {
        take(info)
        switch options.tls {
        case .none:
            guard !info.requiresTLS else {
                return lose(
                    NATSError(.untrusted, "\(serverName) requires TLS: set `tls`"), isOpen: true, at: now)
            }
            greet()
        case .first: greet()
        case .afterInfo:
            guard info.offersTLS else {
                return lose(NATSError(.untrusted, "\(serverName) offers no TLS"), isOpen: true, at: now)
            }
            // It would be taken for what the secured server says.
            guard parser.unconsumed == 0 else {
                return lose(NATSError(.untrusted, "somebody speaks before TLS"), isOpen: true, at: now)
            }
            phase = .securing
            if let server { effects.append(.secure(server)) }
        }
    }

    private mutating func greet() {
        phase = .greeting
        let message = ConnectMessage(
            name: options.name, credentials: options.credentials, isSecured: isSecured, echo: options.echo)
        say(.connect(JSONCoding.encode(message)))
        ping(.greeting)
    }

    private mutating func take(_ new: NATSServerInfo) {
        info = new
        parser.limits.announcedPayload = max(new.maximumPayload, options.limits.payload)
        // An INFO in the clear could lead to another server, whose certificate is valid for itself.
        if options.acceptsAdvertisedServers, options.tls == .none || isSecured {
            pool.advertise(new.advertised, random: random)
        }
    }

    private mutating func becomeConnected(at now: Instant) {
        guard let server else { return }
        phase = .connected
        attemptDeadline = nil
        failure = nil
        pool.connected()
        pingTime = now + options.pingInterval
        if !wasConnected { effects.append(.started(nil)) }
        effects.append(.event(.connected(to: server, info)))
        if info.isLameDuck { effects.append(.event(.lameDuck(server))) }
        say(.subscribe(NATSSubjectFilter(unchecked: "\(inboxSubject).*"), queue: nil, subscription: Self.inbox))
        for (id, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
            say(.subscribe(subscription.filter, queue: subscription.queue, subscription: id))
            if wasConnected { effects.append(.lost(id, .reconnection)) }
        }
        wasConnected = true
        sendBuffered()
    }

    // MARK: What the server says

    mutating func received(_ bytes: some Collection<UInt8>, at now: Instant) {
        guard canReceive else { return }
        parser.append(bytes)
        while canReceive {
            do throws(ServerViolation) {
                guard let operation = try parser.next() else { return }
                receive(operation, at: now)
            } catch {
                lose(
                    NATSError(.protocolViolation, "\(serverName) broke the protocol: \(error)"), isOpen: true, at: now)
            }
        }
    }

    private var canReceive: Bool {
        switch phase {
        case .awaitingInfo, .greeting, .connected: true
        case .idle, .opening, .securing, .waiting, .closed: false
        }
    }

    private mutating func receive(_ operation: ServerOperation, at now: Instant) {
        switch operation {
        case .info(let json):
            guard let info = NATSServerInfo(json: json) else {
                return lose(
                    NATSError(.protocolViolation, "\(serverName) sent an invalid INFO"), isOpen: true, at: now)
            }
            if phase == .awaitingInfo { return receivedFirst(info, at: now) }
            let wasLameDuck = self.info.isLameDuck
            take(info)
            if info.isLameDuck, !wasLameDuck, phase == .connected, let server {
                effects.append(.event(.lameDuck(server)))
            }
        case .error(let text): receivedError(text, at: now)
        case _ where phase == .awaitingInfo:
            lose(NATSError(.protocolViolation, "\(serverName) is no NATS server"), isOpen: true, at: now)
        case .message(let id, let message): deliver(message, to: id, at: now)
        case .oversizedMessage(let id, let size):
            if subscriptions[id] != nil { effects.append(.lost(id, .tooLarge(size: size))) }
        case .invalidMessage(let id):
            if subscriptions[id] != nil { effects.append(.lost(id, .invalid)) }
        case .ping: say(.pong)
        case .pong: receivedPong(at: now)
        case .ok: break
        }
    }

    private mutating func receivedPong(at now: Instant) {
        guard !pings.isEmpty else { return }
        switch pings.removeFirst() {
        case .greeting: if phase == .greeting { becomeConnected(at: now) }
        case .keepAlive: break
        case .flush(let id): answer(id, .success(NATSMessage(subject: options.inboxPrefix)))
        case .drainedSubscriptions: drainedSubscriptions()
        case .drained: finish(nil)
        }
    }

    private mutating func receivedError(_ text: String, at now: Instant) {
        let words = text.lowercased()
        if words.hasPrefix("permissions violation") {
            effects.append(.event(.serverError(text)))
            if words.hasPrefix("permissions violation for subscription") { refuseSubscription(text) }
            return
        }
        let isAuthorization =
            words.hasPrefix("authorization") || words.contains("authentication") || words.contains("credentials")
        refusal = (
            isAuthorization
                ? NATSError(.unauthorized, "\(serverName) refused \(options.credentials): \(text)")
                : NATSError(.refused, "\(serverName): \(text)"), now
        )
        if phase == .connected { effects.append(.event(.serverError(text))) }
    }

    private mutating func keepAlive(at now: Instant) {
        guard pings.count(where: { $0 == .keepAlive }) < options.missedPongs else {
            return lose(
                NATSError(.connectionLost, "\(serverName) does not answer any more"), isOpen: true, at: now)
        }
        ping(.keepAlive)
        pingTime = now + options.pingInterval
    }

    mutating func ping(_ reason: Pinged) {
        pings.append(reason)
        say(.ping)
    }

    mutating func say(_ operation: ClientOperation) {
        operation.write(to: &output)
    }

    // MARK: Losing the connection

    /// The channel was closed, or could not be opened or secured.
    ///
    /// - Parameter error: Why, if that is known.
    mutating func channelClosed(_ error: NATSError?, at now: Instant) {
        switch phase {
        case .idle, .waiting, .closed: return
        case .opening, .awaitingInfo, .securing, .greeting, .connected: break
        }
        let recent = refusal.flatMap { now - $0.time <= Self.refusalAge ? $0.error : nil }
        let usual = NATSError(.connectionLost, "\(serverName) closed the connection")
        lose(recent ?? error ?? usual, isOpen: false, at: now)
    }

    private mutating func lose(_ error: NATSError, isOpen: Bool, at now: Instant) {
        let wasUp = phase == .connected
        phase = .waiting
        attemptDeadline = nil
        pingTime = nil
        pings = []
        output = []
        if isOpen { effects.append(.close) }
        failPending(NATSError(.connectionLost, error.message))
        if wasUp { effects.append(.event(.disconnected(error))) }
        if drain != nil { return finish(error) }
        if !wasConnected {
            // A server that cannot be reached says less than one that refuses.
            if failure == nil || failure?.code == .unreachable { failure = error }
            if pool.isExhausted { return finish(failure) }
        }
        retryTime = now + (wasConnected ? pool.delay(random: random) : .zero)
    }

    /// Ends everything.
    mutating func finish(_ error: NATSError?) {
        guard phase != .closed else { return }
        if [.opening, .awaitingInfo, .securing, .greeting, .connected].contains(phase) { effects.append(.close) }
        phase = .closed
        attemptDeadline = nil
        retryTime = nil
        pingTime = nil
        drainDeadline = nil
        pings = []
        buffered = []
        bufferedBytes = 0
        failPending(error ?? NATSError(.closed, "the client was closed"))
        requestDeadlines.removeAll()
        for id in subscriptions.keys.sorted() { effects.append(.end(id, error)) }
        subscriptions = [:]
        if !wasConnected { effects.append(.started(error ?? NATSError(.closed, "the client was closed"))) }
        effects.append(.event(.closed(error)))
        effects.append(.finished(error))
    }

    mutating func close() {
        finish(nil)
    }

    // MARK: Draining

    /// Ends subscriptions after the messages that are on their way, waits for answers, sends what was published, and closes.
    mutating func startDrain(within time: TimeDelta, at now: Instant) {
        guard drain == nil, phase != .closed else { return }
        guard phase == .connected else { return finish(nil) }
        drain = .subscriptions
        drainDeadline = now + time
        for id in subscriptions.keys.sorted() { say(.unsubscribe(id)) }
        ping(.drainedSubscriptions)
    }

    private mutating func drainedSubscriptions() {
        guard drain == .subscriptions else { return }
        for id in subscriptions.keys.sorted() { effects.append(.end(id, nil)) }
        subscriptions = [:]
        drain = .requests
        continueDrain()
    }

    mutating func continueDrain() {
        guard drain == .requests, pending.isEmpty else { return }
        drain = .flush
        ping(.drained)
    }
}
