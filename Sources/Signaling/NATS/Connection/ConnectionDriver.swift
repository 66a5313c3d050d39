internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import RTCCrypto
internal import RTCNetwork
internal import RTCWire

/// Carries out what a connection's rules say: the channel, the timer, and those who wait. It lives on one event loop.
final class ConnectionDriver {
    private var rules: ConnectionRules
    private let loop: any EventLoop
    private let tls: ClientTLS?
    private let tlsName: String?
    private let connectTimeout: TimeAmount
    private let log: Logger

    private var channel: (any Channel)?
    /// The number of the channel, or of the one that is being opened. What others report is late.
    private var attempt = 0
    private let timer: LoopTimer
    private var isSettling = false

    private var buffers: [UInt64: DeliveryBuffer] = [:]
    private var waiting: [UInt64: CheckedContinuation<Result<NATSMessage, NATSError>, Never>] = [:]
    private var early: [UInt64: Result<NATSMessage, NATSError>] = [:]
    private var writers: [CheckedContinuation<Void, Never>] = []
    private var starters: [CheckedContinuation<NATSError?, Never>] = []
    private var finishers: [CheckedContinuation<NATSError?, Never>] = []
    private var outcome: (started: NATSError??, finished: NATSError??) = (nil, nil)
    private var observers: [AsyncStream<NATSEvent>.Continuation] = []

    init(_ configuration: NATSClient.Configuration, on loop: any EventLoop) throws(NATSError) {
        rules = ConnectionRules(configuration.options, random: SystemRandom())
        self.loop = loop
        timer = LoopTimer(loop)
        connectTimeout = TimeAmount(configuration.connectTimeout)
        log = configuration.logger
        tls = try configuration.tls.map { tls throws(NATSError) in try Self.makeTLS(tls.trust) }
        tlsName = configuration.tls?.serverName
    }

    private static func makeTLS(_ trust: NATSClient.TLS.Trust) throws(NATSError) -> ClientTLS {
        do {
            switch trust {
            case .system: return try ClientTLS()
            case .file(let path): return try ClientTLS(trustedFile: path)
            }
        } catch {
            throw NATSError(.untrusted, "the trusted certificates cannot be read")
        }
    }

    private var now: Instant { NIODeadline.now().instant }

    // MARK: The client's calls

    var isConnected: Bool { rules.isConnected }
    var info: NATSServerInfo? { rules.isConnected ? rules.info : nil }
    var inbox: String { rules.inboxSubject }

    func start(_ continuation: CheckedContinuation<NATSError?, Never>) {
        if let started = outcome.started { return continuation.resume(returning: started) }
        starters.append(continuation)
        rules.start(at: now)
        settle()
    }

    func subscribe(
        _ filter: NATSSubjectFilter, queue: NATSSubject?, _ limits: NATSClient.BufferLimits
    ) throws(NATSError) -> (id: UInt64, buffer: DeliveryBuffer) {
        defer { settle() }
        let id = try rules.subscribe(filter, queue: queue)
        let buffer = DeliveryBuffer(limits, on: loop)
        buffers[id] = buffer
        return (id, buffer)
    }

    func unsubscribe(_ id: UInt64) {
        rules.unsubscribe(id)
        buffers.removeValue(forKey: id)?.end(nil)
        settle()
    }

    func publish(
        _ subject: NATSSubject, reply: NATSSubject?, headers: NATSHeaders, payload: [UInt8]
    ) throws(NATSError) {
        defer { settle() }
        try rules.publish(subject, reply: reply, headers: headers, payload: payload)
    }

    func request(
        _ subject: NATSSubject, headers: NATSHeaders, payload: [UInt8], timeout: TimeDelta
    ) throws(NATSError) -> UInt64 {
        defer { settle() }
        return try rules.request(subject, headers: headers, payload: payload, timeout: timeout, at: now)
    }

    func flush(timeout: TimeDelta) throws(NATSError) -> UInt64 {
        defer { settle() }
        return try rules.flush(timeout: timeout, at: now)
    }

    func expect(_ id: UInt64, _ continuation: CheckedContinuation<Result<NATSMessage, NATSError>, Never>) {
        if let result = early.removeValue(forKey: id) { return continuation.resume(returning: result) }
        waiting[id] = continuation
    }

    func cancel(_ id: UInt64) {
        rules.cancelRequest(id)
        settle()
    }

    func finish(
        drainingWithin time: TimeDelta?, _ continuation: CheckedContinuation<NATSError?, Never>
    ) {
        if let finished = outcome.finished { return continuation.resume(returning: finished) }
        finishers.append(continuation)
        if let time { rules.startDrain(within: time, at: now) } else { rules.close() }
        settle()
    }

    func close() {
        rules.close()
        settle()
    }

    func observe(_ observer: AsyncStream<NATSEvent>.Continuation) {
        if let server = rules.currentServer, let info { observer.yield(.connected(to: server, info)) }
        if let finished = outcome.finished {
            observer.yield(.closed(finished))
            return observer.finish()
        }
        observers.append(observer)
    }

    /// Whether the socket takes no more at the moment.
    var isCongested: Bool { channel.map { !$0.isWritable } ?? false }

    func waitUntilWritable(_ continuation: CheckedContinuation<Void, Never>) {
        guard isCongested else { return continuation.resume() }
        writers.append(continuation)
    }

    // MARK: The channel's reports

    func opened(_ attempt: Int, _ channel: any Channel) {
        guard attempt == self.attempt else { return channel.close(promise: nil) }
        self.channel = channel
        rules.opened(at: now)
        settle()
    }

    func secured(_ attempt: Int) {
        guard attempt == self.attempt else { return }
        rules.secured(at: now)
        settle()
    }

    func received(_ attempt: Int, _ bytes: ByteBuffer) {
        guard attempt == self.attempt else { return }
        rules.received(bytes.readableBytesView, at: now)
        settle()
    }

    func writabilityChanged(_ attempt: Int) {
        guard attempt == self.attempt, !isCongested else { return }
        resumeWriters()
    }

    private func resumeWriters() {
        let writers = writers
        self.writers = []
        for writer in writers { writer.resume() }
    }

    func channelClosed(_ attempt: Int, _ error: (any Error)?) {
        guard attempt == self.attempt else { return }
        self.attempt += 1
        channel = nil
        rules.channelClosed(error.map(Self.describe), at: now)
        settle()
        resumeWriters()
    }

    private static func describe(_ error: any Error) -> NATSError {
        switch error {
        case let error as NATSError: error
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
            NATSError(.untrusted, "the server's certificate is not trusted, or it does not speak TLS at this point")
        case is NIOConnectionError: NATSError(.unreachable, "no NATS server answers there")
        default: NATSError(.unreachable, "the connection failed: \(ReadableText.of("\(error)"))")
        }
    }

    // MARK: Effects

    /// Writes what is to be said, carries effects out, and sets the timer.
    private func settle() {
        // An effect may call back, such as the closing of a channel.
        guard !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        while true {
            let output = rules.takeOutput()
            if let channel, !output.isEmpty {
                channel.writeAndFlush(channel.allocator.buffer(bytes: output), promise: nil)
            }
            let effects = rules.takeEffects()
            guard !effects.isEmpty || !output.isEmpty else { break }
            for effect in effects { perform(effect) }
        }
        timer.set(to: rules.nextDeadline?.deadline) { [weak self] in
            guard let self else { return }
            rules.tick(at: now)
            settle()
        }
    }

    private func perform(_ effect: ConnectionEffect) {
        switch effect {
        case .open(let server, let tlsFirst): open(server, tlsFirst: tlsFirst)
        case .secure(let server): secure(server)
        case .close:
            let old = channel
            channel = nil
            attempt += 1
            old?.close(promise: nil)
            resumeWriters()
        case .started(let error):
            outcome.started = .some(error)
            for starter in starters { starter.resume(returning: error) }
            starters = []
        case .deliver(let id, let message): buffers[id]?.push(message)
        case .lost(let id, let loss): buffers[id]?.lose(loss)
        case .end(let id, let error): buffers.removeValue(forKey: id)?.end(error)
        case .answer(let id, let result):
            if let continuation = waiting.removeValue(forKey: id) {
                continuation.resume(returning: result)
            } else {
                early[id] = result
            }
        case .event(let event):
            log.debug("\(event)")
            for observer in observers { observer.yield(event) }
        case .finished(let error):
            outcome.finished = .some(error)
            for finisher in finishers { finisher.resume(returning: error) }
            finishers = []
            for observer in observers { observer.finish() }
            observers = []
            resumeWriters()
        }
    }

    private func open(_ server: NATSServer, tlsFirst: Bool) {
        attempt += 1
        let attempt = attempt
        let own = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: 65_536, high: 1_048_576))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let driver = own.value
                    if tlsFirst { try driver.addTLS(to: channel, server) }
                    let handler = ConnectionHandler(driver, attempt: attempt, isSecuredFirst: tlsFirst)
                    // A server that sends and does not read would fill our memory with answers.
                    try channel.pipeline.syncOperations.addHandlers([BackPressureHandler(), handler])
                }
            }
            .connect(host: server.host, port: server.port)
            .whenFailure { error in own.value.channelClosed(attempt, error) }
    }

    private func secure(_ server: NATSServer) {
        guard let channel else { return }
        do {
            try addTLS(to: channel, server)
        } catch {
            channel.close(promise: nil)
        }
    }

    private func addTLS(to channel: any Channel, _ server: NATSServer) throws {
        guard let tls else { throw NATSError(.untrusted, "TLS is not configured") }
        let handler = try tls.handler(for: tlsName ?? server.host)
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }
}
