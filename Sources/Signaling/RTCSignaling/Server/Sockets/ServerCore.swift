internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOWebSocket
internal import RTCCrypto
internal import RTCNetwork
internal import RTCWire

/// The state of a ``SignalingServer`` on its event loop, which owns this and everything in it.
final class ServerCore {
    let configuration: SignalingServer.Configuration
    let limits: ServerLimits
    private(set) var hostNames: HostNames
    let loop: any EventLoop
    /// The certificate and key of new connections.
    var tls: NIOSSLContext?
    private let authenticator: CurrentAuthenticator
    private let exchange: any CallExchange
    private let pushes: PushDriver?
    let addresses: AddressTable
    private let scheduler: InputScheduler
    /// All sockets without limits by address, such as those of a proxy on this machine, take turns as one network.
    private let exemptNetworkQueue = InputScheduler.NetworkQueue()
    /// Likewise all connections of trusted proxies whose clients are not known yet.
    private let unknownNetworkQueue = InputScheduler.NetworkQueue()
    /// The socket to which costs are charged at the moment.
    var serving: ServerSocket?
    /// Whether its sign-in is being handled.
    var isSigningIn = false
    /// The cost of the message that is being served.
    var turnCost = MessageCost()
    /// The memory held by all sockets, in bytes.
    private var heldBytes = 0
    private var files: [String: ByteBuffer] = [:]
    private(set) var sockets: [ConnectionID: ServerSocket] = [:]
    private var lastID: UInt64 = 0
    private(set) var figures = ServerStatistics()
    let metrics: ServerMetrics
    let traces: ServerTraces
    private var loopProbe: RepeatedTask?
    /// When an error of the authenticator was last logged, by its type.
    private var reports: [String: Duration] = [:]
    /// Whether the server is about to end: requests are still answered, and WebSockets refused.
    private(set) var isStopping = false
    /// Whether no connection is accepted any more.
    private var isOver = false
    /// Whether `/readyz` says that there is no more to come.
    var isDraining = false
    /// Whether new WebSockets are refused.
    var refusesWebSockets = false
    private var whenEmpty: EventLoopPromise<Void>?

    private let timer: LoopTimer
    private var sweeps: RepeatedTask?
    private var nextAddressSweep: Duration = .zero

    /// The number of pings per sweep: all of 50,000 sockets within half a minute.
    private static let pingsAtOnce = 2_000
    /// How long a client has to close its side after the server has closed its own.
    private static let closingTime: Duration = .seconds(2)

    init(_ configuration: SignalingServer.Configuration, on loop: any EventLoop) {
        self.configuration = configuration
        hostNames = HostNames(configuration.names)
        self.loop = loop
        timer = LoopTimer(loop)
        limits = configuration.limits
        var exchangeLimits = limits.exchange
        exchangeLimits.pingInterval = limits.pingInterval.inSeconds
        exchangeLimits.waitingBytes = limits.waitingBytes / 2
        metrics = ServerMetrics(configuration.metrics)
        traces = ServerTraces(configuration.tracer)
        exchangeLimits.ringsAbsentUsers = configuration.pushes != nil
        let traces = traces
        pushes = configuration.pushes.map { PushDriver($0, traces, on: loop) }
        let authenticator = CurrentAuthenticator(configuration.authenticator)
        self.authenticator = authenticator
        let mayReach: @Sendable (UserID, UserID) -> Bool = { authenticator.mayReach($1, by: $0) }
        exchange =
            if let log = configuration.log {
                ReplicatedExchange(log: log, limits: exchangeLimits, mayReach: mayReach)
            } else {
                MemoryExchange(limits: exchangeLimits, mayReach: mayReach)
            }
        addresses = AddressTable(limits)
        scheduler = InputScheduler(loop)

        let own = NIOLoopBound(self, eventLoop: loop)
        exchange.start { loop.execute { own.value.resumeExchange() } }
        pushes?.onUnreachable = { [unowned self] in handleUnreachable($0) }
        scheduler.serve = { [unowned self] in serve($0) }
        scheduler.throttleDelay = { [unowned self] in throttleDelay(of: $0) }
        scheduler.onPause = { [unowned self] in figures.pauses += 1 }
        // One timer for all sockets: checking ten thousand takes a fraction of a millisecond.
        let shortest = min(limits.signInTimeout, limits.pingInterval)
        let pause = TimeAmount(max(.milliseconds(10), min(.seconds(1), shortest / 4)))
        sweeps = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in own.value.sweep() }
        loopProbe = metrics.watch(loop)
    }

    var now: Duration { .nanoseconds(Int64(clamping: loop.now.uptimeNanoseconds)) }

    var statistics: ServerStatistics {
        var result = figures
        result.sockets = sockets.count
        result.exchange = exchange.statistics
        result.pushes = pushes?.statistics
        return result
    }
}

// MARK: - Sockets come and go

extension ServerCore {
    /// Prepares an accepted connection.
    ///
    /// - Throws: If there is no room for it; it is then closed.
    func accept(_ channel: any Channel, tls: NIOSSLContext?) throws {
        let peer = IPAddress(of: channel.remoteAddress)
        let proxies = configuration.proxies
        // A proxy's connections count to the networks of its clients, when those are known.
        let isProxy = peer.map(proxies.isProxy) ?? false
        let key =
            isProxy ? nil : AddressTable.Key(channel.remoteAddress, exemptsLoopback: limits.exemptsLoopback)
        guard !isOver else { throw refusal(.stopping) }
        guard sockets.count < limits.sockets else { throw refusal(.full) }
        guard case .admitted(let entry) = addresses.admit(key, at: now) else { throw refusal(.network) }
        lastID += 1
        let networkQueue = entry?.networkQueue ?? (isProxy ? unknownNetworkQueue : exemptNetworkQueue)
        let socket = ServerSocket(
            ConnectionID(rawValue: lastID), channel, peer, key, entry, networkQueue, limits, at: now)
        socket.forwardsRequests = isProxy && proxies.header != .none
        sockets[socket.id] = socket
        figures.socketsAccepted += 1

        let own = NIOLoopBound((core: self, socket: socket), eventLoop: loop)
        channel.closeFuture.whenComplete { _ in own.value.core.closed(own.value.socket) }
        let options = channel.syncOptions
        let mark = ChannelOptions.Types.WriteBufferWaterMark(low: limits.unsentBytes / 2, high: limits.unsentBytes)
        try options?.setOption(.writeBufferWaterMark, value: mark)
        if isProxy, proxies.proxyProtocol != .off {
            try channel.pipeline.syncOperations.addHandler(ProxyHeaderHandler(self, socket))
        }
        if let tls {
            let handshake = HandshakeQueue(scheduler, socket)
            socket.handshake = handshake
            try channel.pipeline.syncOperations.addHandlers(handshake, NIOSSLServerHandler(context: tls))
        }
        let inbound = InboundQueue(scheduler, socket) { [unowned self] in isFrameCountAllowed($0, on: own.value.socket)
        }
        socket.inbound = inbound
        try channel.pipeline.syncOperations.addHandler(inbound)
        try HTTPHandler.addHTTP(to: channel, self, socket)
    }

    func countRequest() {
        figures.requests += 1
    }

    /// Why a connection or a request was refused.
    enum Refusal: String {
        case full, network, stopping
        case host, origin, draining

        var isOfSocket: Bool { self == .full || self == .network || self == .stopping }
    }

    func countRefusal(_ reason: Refusal) {
        figures.refusals[reason.rawValue, default: 0] += 1
        if reason.isOfSocket { figures.socketsRefused += 1 }
    }

    private func refusal(_ reason: Refusal) -> any Error {
        countRefusal(reason)
        return ChannelError.operationUnsupported
    }

    func countDrain() {
        figures.drains += 1
    }

    /// Counts malformed values of trusted proxies.
    func countMalformedForwarding(_ count: Int) {
        figures.malformedForwarding &+= UInt64(clamping: count)
    }

    /// Counts a connection or request of a trusted proxy without a usable address of its client.
    func countUnknownClient() {
        figures.unknownClients += 1
    }

    func isOpen(_ socket: ServerSocket) -> Bool { sockets[socket.id] != nil }

    /// Replaces the certificate for new connections, the names in it, and the authenticator for new sign-ins.
    func reload(_ tls: NIOSSLContext?, names: Set<String>, _ authenticator: (any Authenticator)?) {
        if let tls {
            self.tls = tls
            hostNames = HostNames(names)
        }
        if let authenticator { self.authenticator.replace(by: authenticator) }
    }

    /// The bytes of a file, shared by all responses.
    ///
    /// - Parameter target: The request's target.
    func buffer(of file: StaticPage.File, at target: String) -> ByteBuffer {
        let path = StaticPage.path(of: target)
        if let buffer = files[path] { return buffer }
        let buffer = ByteBuffer(bytes: file.body)
        files[path] = buffer
        return buffer
    }

    func opened(_ socket: ServerSocket) {
        guard socket.state == .upgrading else { return socket.drop() }
        socket.open(until: now + limits.signInTimeout)
        figures.webSockets += 1
    }

    private func closed(_ socket: ServerSocket) {
        guard sockets.removeValue(forKey: socket.id) != nil else { return }
        addresses.release(socket.address)
        heldBytes -= socket.heldBytes
        if socket.state == .signedIn { disconnect(socket) }
        socket.state = .closing
        recordEnd(of: socket)
        traces.sessionEnded(socket)
        if sockets.isEmpty { whenEmpty?.succeed() }
    }

    private func disconnect(_ socket: ServerSocket) {
        charging(socket) {
            exchange.handle(.disconnected(socket.id), at: now)
            drain()
        }
    }

    /// Closes a socket with a WebSocket status.
    func close(_ socket: ServerSocket, _ code: UInt16, _ reason: String = "") {
        let wasSignedIn = socket.state == .signedIn
        socket.close(code, reason, by: now + Self.closingTime)
        // From now on it counts as disconnected, whatever its client does.
        if wasSignedIn { exchange.handle(.disconnected(socket.id), at: now) }
    }

    /// Sends an error, and closes.
    ///
    /// - Parameter retryAfter: The seconds after which another attempt may succeed.
    func fail(
        _ socket: ServerSocket, _ code: SignalingErrorCode, _ message: String, versions: [Int]? = nil,
        retryAfter: Double? = nil
    ) {
        figures.failures[code.rawValue, default: 0] += 1
        let error = SignalingErrorMessage(code, message, retryAfter: retryAfter, fatal: true, versions: versions)
        socket.write(Envelope(ServerMessage.error(error)).json())
        close(socket, code.closeCode, code.rawValue)
    }

    func isTooSlow(_ socket: ServerSocket) {
        figures.failures[SignalingErrorCode.tooSlow.rawValue, default: 0] += 1
        // The client does not read, so no message is sent.
        socket.drop()
    }

    func peerCloses(_ payload: ByteBuffer, on socket: ServerSocket) {
        close(socket, Self.answer(toClose: payload))
        socket.deadline = min(now + .milliseconds(200), now + Self.closingTime)
    }

    /// The status that answers a client's: the same (RFC 6455, section 5.5.1), unless no endpoint may send it (section 7.4).
    private static func answer(toClose payload: ByteBuffer) -> UInt16 {
        guard payload.readableBytes > 0 else { return 1000 }
        switch payload.getInteger(at: payload.readerIndex, as: UInt16.self) {
        case let status? where (1000...1003).contains(status) || (1007...1014).contains(status): return status
        case let status? where (3000...4999).contains(status): return status
        default: return 1002
        }
    }
}

// MARK: - Messages

extension ServerCore {
    func received(_ message: ByteBuffer, on socket: ServerSocket) {
        figures.messagesReceived += 1
        let envelope: Envelope<ClientMessage>
        do {
            envelope = try Envelope(json: message.readableBytesView, limit: limits.messageSize)
        } catch {
            return fail(socket, error.isTooLarge ? .tooLarge : .malformed, error.description)
        }
        switch (socket.state, envelope.message) {
        case (.opened, .hello(let hello)): signIn(hello, on: socket)
        case (.opened, .malformed(let reason, _, _)): fail(socket, .malformed, reason.description)
        case (.opened, _), (.authenticating, _):
            fail(socket, .notSignedIn, "Say “hello”, and wait for “welcome”.")
        case (.signedIn, .hello): fail(socket, .notSignedIn, "You said “hello” already.")
        case (.signedIn, _): receivedSignedIn(envelope, on: socket)
        case (.closing, _), (.http, _), (.upgrading, _): return
        }
    }

    private func receivedSignedIn(_ envelope: Envelope<ClientMessage>, on socket: ServerSocket) {
        switch envelope.message {
        case .ping(let ping):
            socket.write(Envelope(ServerMessage.pong(ping)).json())
            if envelope.ack == nil { return }
        case .iceServers:
            sendICEServers(socket)
            if envelope.ack == nil { return }
        case .renew(let renewal):
            renew(renewal, on: socket)
            if envelope.ack == nil { return }
        case .ack:
            // Not charged, since others cause acknowledgements.
            if let ack = envelope.ack, ack > socket.acknowledged {
                socket.acknowledged = ack
                socket.messages.refund(1)
                turnCost.messages -= 1
            }
        default: break
        }
        traces.received(envelope.message, on: socket, at: now)
        exchange.handle(.message(socket.id, envelope), at: now)
    }

    private func sendICEServers(_ socket: ServerSocket) {
        guard let user = socket.user else { return }
        socket.write(Envelope(ServerMessage.iceServers(iceServers(for: user, on: socket))).json())
    }

    /// Verifies another token of the same user.
    private func renew(_ renewal: Renewal, on socket: ServerSocket) {
        charge(socket, messages: Self.costOfRenewal)
        // One at a time; of those that arrive meanwhile, the newest is next.
        guard socket.renewalEnd == nil else { return socket.nextRenewal = renewal }
        socket.renewalEnd = now + limits.signInTimeout
        look(at: renewal, on: socket)
    }

    private func look(at renewal: Renewal, on socket: ServerSocket) {
        guard let user = socket.user else { return }
        authenticate(Hello(user: user, token: renewal.token), on: socket) { core, result, socket in
            guard socket.state == .signedIn else { return }
            switch result {
            case .success(let identity) where identity.user != user:
                core.fail(socket, .forbidden, "The token belongs to another user.")
            case .success(let identity):
                (socket.tokenExpiry, socket.credentialEnd) = (core.end(of: identity), identity.credentialEnd)
                core.sendICEServers(socket)
            case .failure(let failure as AuthenticationFailure): core.fail(socket, failure.code, failure.message)
            // The client may try again until the old token expires.
            case .failure(let error): core.report(error)
            }
            core.continueVerifying(renewing: socket)
            socket.flush()
            core.drain()
        }
    }

    /// Verifies the newest token that arrived meanwhile, if there is one.
    private func continueVerifying(renewing socket: ServerSocket) {
        guard socket.state == .signedIn else { return }
        let (end, next) = (socket.renewalEnd ?? now, socket.nextRenewal)
        (socket.renewalEnd, socket.nextRenewal) = (nil, nil)
        let hasEnded = hasTokenExpired(socket)
        guard let next, !hasEnded || now < end else {
            if hasEnded { handleTokenExpiry(of: socket) }
            return
        }
        // Once the token has expired, further renewals do not extend the time limit.
        socket.renewalEnd = hasEnded ? end : now + limits.signInTimeout
        look(at: next, on: socket)
    }

    private func hasTokenExpired(_ socket: ServerSocket) -> Bool { socket.tokenExpiry.map { $0 <= now } ?? false }

    private func handleTokenExpiry(of socket: ServerSocket) {
        fail(socket, .tokenExpired, "Your token has expired: sign in with another.")
    }

    private func end(of identity: AuthenticatedUser) -> Duration? {
        identity.expiry.map { now + .seconds(min(max($0 - SystemTime.seconds, 0), Self.maximumTokenLifetime)) }
    }

    /// The longest lifetime of a token, in seconds: a century, so that no time overflows.
    private static let maximumTokenLifetime: Int64 = 3_155_760_000

    /// Logs that the authenticator failed, once a minute for each type of error, since any client can cause it.
    ///
    /// The text of an app's error may contain the token: only level `debug` has it.
    private func report(_ error: any Error) {
        let (now, type) = (now, "\(type(of: error))")
        configuration.logger.debug("the authenticator failed", metadata: ["error": "\(error)"])
        if let last = reports[type], now - last < .seconds(60) { return }
        reports[type] = now
        let cause = (error as? AuthenticationUnavailable)?.message ?? type
        configuration.logger.error("the authenticator failed", metadata: ["cause": "\(cause)"])
    }

    private func signIn(_ hello: Hello, on socket: ServerSocket) {
        guard hello.version == SignalingProtocol.version else {
            return fail(
                socket, .unsupportedVersion, "This server speaks version \(SignalingProtocol.version).",
                versions: [SignalingProtocol.version])
        }
        socket.state = .authenticating
        authenticate(hello, on: socket) { core, result, socket in core.authenticated(result, hello, on: socket) }
    }

    private typealias AuthenticationResult = Result<AuthenticatedUser, any Error>

    private func authenticate(
        _ hello: Hello, on socket: ServerSocket,
        then: @escaping @Sendable (ServerCore, AuthenticationResult, ServerSocket) -> Void
    ) {
        let authenticator = authenticator.value
        if let immediate = authenticator as? any ImmediateAuthenticator {
            return then(self, Result { try immediate.authenticateNow(hello) }, socket)
        }
        let own = NIOLoopBound((core: self, socket: socket), eventLoop: loop)
        let loop = loop
        Task {
            let result: AuthenticationResult
            do { result = .success(try await authenticator.authenticate(hello)) } catch { result = .failure(error) }
            loop.execute { then(own.value.core, result, own.value.socket) }
        }
    }

    private func authenticated(
        _ result: Result<AuthenticatedUser, any Error>, _ hello: Hello, on socket: ServerSocket
    ) {
        guard socket.state == .authenticating else { return }
        let before = serving
        serving = socket
        isSigningIn = true
        defer { (serving, isSigningIn) = (before, false) }
        switch result {
        case .success(let identity):
            socket.state = .signedIn
            socket.deadline = nil
            socket.user = identity.user
            socket.signedInAt = now
            socket.isProven = identity.isProven
            traces.sessionBegan(socket, resumes: hello.resume != nil)
            (socket.tokenExpiry, socket.credentialEnd) = (end(of: identity), identity.credentialEnd)
            let signIn = ExchangeSignIn(
                user: identity.user, device: hello.device, name: identity.name ?? hello.name,
                nameIsProven: identity.isProven && identity.name != nil, isAuthenticated: identity.isProven,
                resume: hello.resume,
                iceServers: iceServers(for: identity.user, on: socket), network: socket.network?.widest.name)
            exchange.handle(.signIn(socket.id, signIn), at: now)
        case .failure(let failure as AuthenticationFailure): fail(socket, failure.code, failure.message)
        case .failure(let error):
            report(error)
            let pause = (error as? AuthenticationUnavailable)?.retryAfter.inSeconds ?? 1
            fail(socket, .internal, "The server cannot tell who you are.", retryAfter: min(max(pause, 1), 300))
        }
        drain()
    }

    private func iceServers(for user: UserID, on socket: ServerSocket) -> ICEServers {
        let rest = socket.tokenExpiry.map { max($0 - now, .zero) }
        var servers = relays(for: user, on: socket, atMost: rest)
        servers.tokenLifetime = rest.map { ($0.inSeconds * 1_000).rounded() / 1_000 }
        return servers
    }

    private func relays(for user: UserID, on socket: ServerSocket, atMost rest: Duration?) -> ICEServers {
        let servers = configuration.iceServers
        guard let credentials = configuration.relayCredentials else { return ICEServers(iceServers: servers) }
        // A client that chooses its own name could evade a relay's quota per name.
        guard socket.isProven else {
            return credentials.fill(servers, forNetwork: socket.network?.widest.name, at: SystemTime.seconds)
        }
        let time = SystemTime.seconds
        let own = socket.credentialEnd.map { Duration.seconds(min(max($0 - time, 0), Self.maximumTokenLifetime)) }
        return credentials.fill(servers, for: user, atMost: rest.map { min($0, own ?? $0) } ?? own, at: time)
    }
}

// MARK: - The exchange

extension ServerCore {
    /// Carries out the exchange's output, and sets the timer to its next deadline.
    func drain() {
        var written: [ServerSocket] = []
        var last: (json: [UInt8], buffer: ByteBuffer)?
        var (count, bytes) = (0, 0)
        while let output = exchange.nextOutput() {
            switch output {
            case .send(let id, let json):
                guard let socket = sockets[id] else { continue }
                if !socket.hasUnflushed { written.append(socket) }
                // A message to many receivers is copied once.
                let buffer = last?.json == json ? last?.buffer : nil
                let shared = buffer ?? socket.channel.allocator.buffer(bytes: json)
                last = (json, shared)
                socket.write(shared)
                figures.messagesSent += 1
                count += 1
                bytes += buffer == nil ? json.count : 0
            case .close(let id, let code):
                guard let socket = sockets[id] else { continue }
                // The exchange has closed it already.
                if socket.state == .signedIn { socket.state = .opened }
                if let code { figures.failures[code.rawValue, default: 0] += 1 }
                close(socket, code?.closeCode ?? 1000, code?.rawValue ?? "")
            case .ring(let event):
                for call in pushes?.handle(event) ?? [] { exchange.handle(.unreachable(call), at: now) }
            }
        }
        for socket in written {
            socket.flush()
            measure(socket)
        }
        if let serving, count > 0 { charge(serving, sent: count, bytes: bytes) }
        if heldBytes > limits.waitingBytes / 2 { evict() }
        setTimer()
    }

    private func handleUnreachable(_ calls: [CallID]) {
        for call in calls { exchange.handle(.unreachable(call), at: now) }
        drain()
    }

    /// The exchange has something to do of its own.
    private func resumeExchange() {
        guard !isOver else { return }
        exchange.handle(.timeout, at: now)
        drain()
    }

    private func setTimer() {
        let deadline = exchange.nextDeadline
        timer.set(to: deadline.map { NIODeadline.uptimeNanoseconds(0) + TimeAmount($0) }) { [self] in
            exchange.handle(.timeout, at: now)
            drain()
        }
    }
}

// MARK: - Silence, and the end

extension ServerCore {
    private func sweep() {
        let now = now
        var pings = 0
        for socket in sockets.values {
            measure(socket)
            closeIfExcessive(socket)
            if let deadline = socket.deadline {
                if deadline <= now { expire(socket) }
            } else if hasTokenExpired(socket), socket.renewalEnd.map({ $0 <= now }) ?? true {
                handleTokenExpiry(of: socket)
            } else if now - socket.lastReceived >= limits.pingInterval, !socket.isQueued {
                if !socket.isPinged {
                    // Sockets that were opened at the same time are pinged in several sweeps.
                    guard pings < Self.pingsAtOnce else { continue }
                    pings += 1
                    socket.isPinged = true
                    socket.write(.ping, ByteBuffer())
                    socket.flush()
                } else if now - socket.lastReceived >= limits.pingInterval * 2 {
                    fail(socket, .idle, "Nothing was heard of you.")
                }
            }
        }
        if now >= nextAddressSweep {
            nextAddressSweep = now + .seconds(30)
            addresses.sweep(at: now)
        }
        drain()
        traces.sweep(at: now)
        if metrics.isEnabled { metrics.sample(statistics) }
    }

    /// Updates the memory held by a socket.
    func measure(_ socket: ServerSocket) {
        guard sockets[socket.id] != nil else { return }
        let unsent = (try? socket.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let unheard = (socket.inbound?.heldBytes ?? 0) + (socket.handshake?.heldBytes ?? 0)
        let held =
            unsent + unheard + socket.requestBytes + socket.fragmentBytes
            + (socket.nextRenewal?.token.utf8.count ?? 0)
        heldBytes += held - socket.heldBytes
        socket.heldBytes = held
    }

    /// Closes the sockets that hold most, until there is room again.
    private func evict() {
        for socket in sockets.values { measure(socket) }
        var excess = heldBytes - limits.waitingBytes / 2 / 4 * 3
        guard heldBytes > limits.waitingBytes / 2 else { return }
        for socket in sockets.values.sorted(by: { $0.heldBytes > $1.heldBytes }) where excess > 0 {
            excess -= socket.heldBytes
            heldBytes -= socket.heldBytes
            socket.heldBytes = 0
            isTooSlow(socket)
        }
    }

    private func expire(_ socket: ServerSocket) {
        switch socket.state {
        case .opened, .authenticating: fail(socket, .signInTimeout, "There was no “hello” in time.")
        case .http, .upgrading, .closing, .signedIn: socket.drop()
        }
    }

    /// Closes all sockets, and completes when they are gone.
    func goAway(retryAfter: Duration, message: String?, grace: TimeAmount) -> EventLoopFuture<Void> {
        if !refusesWebSockets { countDrain() }
        (isStopping, isDraining, refusesWebSockets) = (true, true, true)
        pushes?.stop()
        // The server may be stopped once more, for example with less time.
        let promise = whenEmpty ?? loop.makePromise(of: Void.self)
        whenEmpty = promise
        // Those that are closing were told already, and have until the end to read it.
        for socket in sockets.values where socket.state != .closing {
            // A request, such as one for “/readyz”, is answered.
            if socket.state == .http, !socket.isIdle { continue }
            guard socket.state == .signedIn || socket.state == .opened || socket.state == .authenticating else {
                socket.drop()
                continue
            }
            let delay = retryAfter.inSeconds * Double.random(in: 0.5...1.5)
            let rounded = (delay * 100).rounded() / 100
            socket.write(
                Envelope(ServerMessage.goingAway(GoingAway(retryAfter: rounded, message: message))).json())
            // No presence is sent about clients that leave now, since all do.
            socket.state = .opened
            socket.close(1001, "goingAway", by: now + .nanoseconds(grace.nanoseconds))
        }
        if sockets.isEmpty { promise.succeed() }
        let own = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: grace) { own.value.dropAll() }
        return promise.futureResult
    }

    func dropAll() {
        (isStopping, isOver) = (true, true)
        sweeps?.cancel()
        loopProbe?.cancel()
        timer.cancel()
        pushes?.stop()
        for socket in sockets.values {
            socket.state = .closing
            socket.drop()
        }
        whenEmpty?.succeed()
    }
}
