internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOWebSocket

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// All that a ``SignalingServer`` does on its event loop, which owns this and everything in it.
final class ServerCore {
    let configuration: SignalingServer.Configuration
    let limits: ServerLimits
    private let loop: any EventLoop
    private let exchange: any CallExchange
    private let addresses: AddressTable
    private var sockets: [ConnectionID: ServerSocket] = [:]
    private var lastID: UInt64 = 0
    private var figures = ServerStatistics()
    private(set) var isStopping = false
    private var whenEmpty: EventLoopPromise<Void>?

    /// The exchange's next deadline, and the timer that is set to it.
    private var timerDeadline: Duration?
    private var timer: Scheduled<Void>?
    private var sweeps: RepeatedTask?
    private var nextAddressSweep: Duration = .zero

    /// How long a client has to close its side after we closed ours.
    private static let closingTime: Duration = .seconds(2)

    init(_ configuration: SignalingServer.Configuration, on loop: any EventLoop) {
        self.configuration = configuration
        self.loop = loop
        limits = configuration.limits
        var exchangeLimits = limits.exchange
        exchangeLimits.pingInterval = limits.pingInterval.inSeconds
        exchange = configuration.makeExchange(exchangeLimits, configuration.authenticator)
        addresses = AddressTable(limits)

        let own = NIOLoopBound(self, eventLoop: loop)
        exchange.start { loop.execute { own.value.drain() } }
        // No timer for each socket: ten thousand of them are looked at in a fraction of a millisecond.
        let shortest = min(limits.signInTimeout, limits.pingInterval)
        let pause = TimeAmount(max(.milliseconds(10), min(.seconds(1), shortest / 4)))
        sweeps = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in own.value.sweep() }
    }

    var now: Duration { .nanoseconds(Int64(clamping: loop.now.uptimeNanoseconds)) }

    var statistics: ServerStatistics {
        var result = figures
        result.sockets = sockets.count
        result.exchange = exchange.statistics
        return result
    }
}

// MARK: - Sockets come and go

extension ServerCore {
    /// Prepares a connection that the system has accepted.
    ///
    /// - Throws: If there is no room for it, upon which it is closed.
    func accept(_ channel: any Channel, tls: NIOSSLContext?) throws {
        let key = AddressTable.Key(channel.remoteAddress, exemptsLoopback: limits.exemptsLoopback)
        guard !isStopping, sockets.count < limits.sockets, case .admitted(let entry) = addresses.admit(key, at: now)
        else {
            figures.socketsRefused += 1
            throw ChannelError.operationUnsupported
        }
        lastID += 1
        let socket = ServerSocket(ConnectionID(rawValue: lastID), channel, key, entry, limits, at: now)
        sockets[socket.id] = socket
        figures.socketsAccepted += 1

        let own = NIOLoopBound((core: self, socket: socket), eventLoop: loop)
        channel.closeFuture.whenComplete { _ in own.value.core.closed(own.value.socket) }
        let options = channel.syncOptions
        let mark = ChannelOptions.Types.WriteBufferWaterMark(low: limits.unsentBytes / 2, high: limits.unsentBytes)
        try options?.setOption(.writeBufferWaterMark, value: mark)
        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
        try HTTPHandler.addHTTP(to: channel, self, socket)
    }

    func countRequest() {
        figures.requests += 1
    }

    func opened(_ socket: ServerSocket) {
        socket.state = .opened
        socket.deadline = now + limits.signInTimeout
        figures.webSockets += 1
    }

    private func closed(_ socket: ServerSocket) {
        guard sockets.removeValue(forKey: socket.id) != nil else { return }
        addresses.release(socket.address)
        if socket.state == .signedIn {
            exchange.handle(.disconnected(socket.id), at: now)
            drain()
        }
        socket.state = .closing
        if sockets.isEmpty { whenEmpty?.succeed() }
    }

    /// Closes a socket with a WebSocket status.
    func close(_ socket: ServerSocket, _ code: UInt16, _ reason: String = "") {
        let wasSignedIn = socket.state == .signedIn
        socket.close(code, reason, by: now + Self.closingTime)
        // From now on it is as though it were gone, whatever its client does.
        if wasSignedIn { exchange.handle(.disconnected(socket.id), at: now) }
    }

    /// Says what is wrong, and closes.
    func fail(_ socket: ServerSocket, _ code: SignalingErrorCode, _ message: String, versions: [Int]? = nil) {
        figures.failures[code.rawValue, default: 0] += 1
        let error = SignalingErrorMessage(code, message, fatal: true, versions: versions)
        socket.write(Envelope(ServerMessage.error(error)).json())
        close(socket, code.closeCode, code.rawValue)
    }

    func isTooSlow(_ socket: ServerSocket) {
        figures.failures[SignalingErrorCode.tooSlow.rawValue, default: 0] += 1
        // It does not read: there is no use in telling it.
        socket.drop()
    }

    func peerCloses(_ payload: ByteBuffer, on socket: ServerSocket) {
        // RFC 6455, section 5.5.1: the status is sent back.
        close(socket, payload.getInteger(at: payload.readerIndex, as: UInt16.self) ?? 1000)
        socket.deadline = min(now + .milliseconds(200), now + Self.closingTime)
    }
}

// MARK: - Messages

extension ServerCore {
    /// Counts a frame.
    ///
    /// - Returns: `false` when the socket has sent so much at once that it was closed.
    func heard(_ count: Int, from socket: ServerSocket) -> Bool {
        let now = now
        socket.lastHeard = now
        socket.isPinged = false
        socket.messages.take(1, limits.messagesPerSocket, at: now)
        socket.bytes.take(Double(count), limits.bytesPerSocket, at: now)
        socket.address?.messages.take(1, limits.messagesPerAddress, at: now)
        guard socket.messages.tokens < -limits.messagesPerSocket.burst else { return true }
        fail(socket, .rateLimited, "You send far too much at once.")
        return false
    }

    /// Reads a socket no further until its messages are within its rate: it then feels the pressure by itself.
    func pauseIfInDebt(_ socket: ServerSocket) {
        guard !socket.isPaused, socket.state != .closing else { return }
        let delay = max(
            socket.messages.delay(limits.messagesPerSocket), socket.bytes.delay(limits.bytesPerSocket),
            socket.address?.messages.delay(limits.messagesPerAddress) ?? .zero)
        guard delay > .zero else { return }
        figures.pauses += 1
        socket.isPaused = true
        try? socket.channel.syncOptions?.setOption(.autoRead, value: false)
        let own = NIOLoopBound(socket, eventLoop: loop)
        loop.scheduleTask(in: TimeAmount(min(delay, .seconds(5)))) {
            own.value.isPaused = false
            try? own.value.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }

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
        case (.closing, _), (.http, _): return
        }
    }

    private func receivedSignedIn(_ envelope: Envelope<ClientMessage>, on socket: ServerSocket) {
        switch envelope.message {
        case .ping(let ping):
            socket.write(Envelope(ServerMessage.pong(ping)).json())
            if envelope.ack == nil { return }
        case .iceServers:
            if let user = socket.user {
                socket.write(Envelope(ServerMessage.iceServers(iceServers(for: user, on: socket))).json())
            }
            if envelope.ack == nil { return }
        case .ack:
            // It is caused by what others send, and must not use up what the client itself may.
            if let ack = envelope.ack, ack > socket.acknowledged {
                socket.acknowledged = ack
                socket.messages.giveBack(1)
            }
        default: break
        }
        exchange.handle(.message(socket.id, envelope), at: now)
    }

    private func signIn(_ hello: Hello, on socket: ServerSocket) {
        guard hello.version == SignalingProtocol.version else {
            return fail(
                socket, .unsupportedVersion, "This server speaks version \(SignalingProtocol.version).",
                versions: [SignalingProtocol.version])
        }
        socket.state = .authenticating
        let authenticator = configuration.authenticator
        if let immediate = authenticator as? any ImmediateAuthenticator {
            let result = Result { try immediate.authenticateNow(hello) }
            return authenticated(result, hello, on: socket)
        }
        let own = NIOLoopBound((core: self, socket: socket), eventLoop: loop)
        let loop = loop
        Task {
            let result: Result<AuthenticatedUser, any Error>
            do { result = .success(try await authenticator.authenticate(hello)) } catch { result = .failure(error) }
            loop.execute { own.value.core.authenticated(result, hello, on: own.value.socket) }
        }
    }

    private func authenticated(
        _ result: Result<AuthenticatedUser, any Error>, _ hello: Hello, on socket: ServerSocket
    ) {
        guard socket.state == .authenticating else { return }
        switch result {
        case .success(let identity):
            socket.state = .signedIn
            socket.deadline = nil
            socket.user = identity.user
            socket.isProven = identity.isProven
            let signIn = ExchangeSignIn(
                user: identity.user, device: hello.device, name: hello.name ?? identity.name,
                isAuthenticated: identity.isProven, resume: hello.resume,
                iceServers: iceServers(for: identity.user, on: socket))
            exchange.handle(.signIn(socket.id, signIn), at: now)
        case .failure(let failure as AuthenticationFailure): fail(socket, failure.code, failure.message)
        case .failure(let error):
            configuration.logger.error("the authenticator failed", metadata: ["error": "\(error)"])
            fail(socket, .internal, "The server cannot tell who you are.")
        }
        drain()
    }

    private func iceServers(for user: UserID, on socket: ServerSocket) -> ICEServers {
        guard let credentials = configuration.relayCredentials else {
            return ICEServers(iceServers: configuration.iceServers)
        }
        let time = Int64(Date().timeIntervalSince1970)
        // Who chooses its name chooses another one when a relay has given that one enough.
        if !socket.isProven, let network = socket.network {
            return credentials.fill(configuration.iceServers, forNetwork: network.name, at: time)
        }
        return credentials.fill(configuration.iceServers, for: user, at: time)
    }
}

// MARK: - The exchange

extension ServerCore {
    /// Does what the exchange wants done, and sets the timer to its next deadline.
    func drain() {
        var written: [ServerSocket] = []
        while let output = exchange.nextOutput() {
            switch output {
            case .send(let id, let json):
                guard let socket = sockets[id] else { continue }
                if !socket.hasUnflushed { written.append(socket) }
                socket.write(json)
                figures.messagesSent += 1
            case .close(let id, let code):
                guard let socket = sockets[id] else { continue }
                // The exchange has let go of it already.
                if socket.state == .signedIn { socket.state = .opened }
                if let code { figures.failures[code.rawValue, default: 0] += 1 }
                close(socket, code?.closeCode ?? 1000, code?.rawValue ?? "")
            }
        }
        for socket in written { socket.flush() }
        setTimer()
    }

    private func setTimer() {
        let deadline = exchange.nextDeadline
        guard deadline != timerDeadline else { return }
        timer?.cancel()
        timerDeadline = deadline
        guard let deadline else { return }
        let own = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleTask(in: TimeAmount(max(.zero, deadline - now))) {
            own.value.timerDeadline = nil
            own.value.exchange.handle(.timeout, at: own.value.now)
            own.value.drain()
        }
    }
}

// MARK: - Silence, and the end

extension ServerCore {
    private func sweep() {
        let now = now
        for socket in sockets.values {
            if let deadline = socket.deadline {
                if deadline <= now { expire(socket) }
            } else if now - socket.lastHeard >= limits.pingInterval, !socket.isPaused {
                if !socket.isPinged {
                    socket.isPinged = true
                    socket.write(.ping, ByteBuffer())
                    socket.flush()
                } else if now - socket.lastHeard >= limits.pingInterval * 2 {
                    fail(socket, .idle, "Nothing was heard of you.")
                }
            }
        }
        if now >= nextAddressSweep {
            nextAddressSweep = now + .seconds(30)
            addresses.sweep(at: now)
        }
        drain()
    }

    private func expire(_ socket: ServerSocket) {
        switch socket.state {
        case .opened, .authenticating: fail(socket, .signInTimeout, "There was no “hello” in time.")
        case .http, .closing, .signedIn: socket.drop()
        }
    }

    /// Sends every client away, and completes when they are gone.
    func goAway(retryAfter: Duration, message: String?, grace: TimeAmount) -> EventLoopFuture<Void> {
        isStopping = true
        let promise = loop.makePromise(of: Void.self)
        whenEmpty = promise
        for socket in sockets.values {
            guard socket.state == .signedIn || socket.state == .opened || socket.state == .authenticating else {
                socket.drop()
                continue
            }
            let delay = retryAfter.inSeconds * Double.random(in: 0.5...1.5)
            let rounded = (delay * 100).rounded() / 100
            socket.write(
                Envelope(ServerMessage.goingAway(GoingAway(retryAfter: rounded, message: message))).json())
            // Nobody is to be told that the others are gone: they all are.
            socket.state = .opened
            socket.close(1001, "goingAway", by: now + .nanoseconds(grace.nanoseconds))
        }
        if sockets.isEmpty { promise.succeed() }
        let own = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: grace) { own.value.dropAll() }
        return promise.futureResult
    }

    func dropAll() {
        isStopping = true
        sweeps?.cancel()
        timer?.cancel()
        for socket in sockets.values {
            socket.state = .closing
            socket.drop()
        }
        whenEmpty?.succeed()
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(
            seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue + attoseconds / 1_000_000_000)
    }
}
