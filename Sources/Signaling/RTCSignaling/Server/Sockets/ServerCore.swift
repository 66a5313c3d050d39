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
    var hostNames: HostNames
    let loop: any EventLoop
    let tasks: ServerTasks
    /// The certificate and key of new connections.
    var tls: NIOSSLContext?
    let authentication: ClientAuthentication
    let exchange: any CallExchange
    let pushes: PushDriver?
    let addresses: AddressTable
    let scheduler: InputScheduler
    /// All sockets without limits by address, such as those of a proxy on this machine, take turns as one network.
    let exemptNetworkQueue = InputScheduler.NetworkQueue()
    /// Likewise all connections of trusted proxies whose clients are not known yet.
    let unknownNetworkQueue = InputScheduler.NetworkQueue()
    var turn = Turn()
    var sockets = SocketTable()
    /// The sockets of another HTTP server whose upgrade was accepted and is not complete, by their channels.
    var mounting: [ObjectIdentifier: ServerSocket] = [:]
    var pageBuffers = PageBuffers()
    var figures = ServerStatistics()
    let metrics: ServerMetrics
    let traces: ServerTraces
    var loopProbe: RepeatedTask?
    var phase = ServerPhase()
    /// Completes when the last socket has gone, or the server ends.
    var whenEmpty: EventLoopPromise<Void>?

    let timer: LoopTimer
    var sweeps: RepeatedTask?
    var nextAddressSweep: Duration = .zero
    var pings = PingTurns()

    /// How long a client has to close its side after the server has closed its own.
    static let closingTime: Duration = .seconds(2)

    /// - Parameter exchange: Instead of the one that the configuration describes.
    init(_ configuration: SignalingServer.Configuration, on loop: any EventLoop, exchange: (any CallExchange)? = nil) {
        hostNames = HostNames(configuration.names)
        self.loop = loop
        tasks = ServerTasks(on: loop)
        timer = LoopTimer(loop)
        limits = configuration.limits
        var exchangeLimits = limits.exchange
        exchangeLimits.pingInterval = limits.pingInterval.inSeconds
        exchangeLimits.waitingBytes = limits.waitingBytes / 2
        metrics = ServerMetrics(configuration.metrics)
        traces = ServerTraces(configuration.tracer)
        exchangeLimits.ringsAbsentUsers = configuration.pushes != nil
        let traces = traces
        let tasks = tasks
        pushes = configuration.pushes.map { PushDriver($0, traces, on: loop, tasks) }
        var configuration = configuration
        // They would stay as they were at the start, for as long as the server runs.
        configuration.pushes?.storedTokens = []
        self.configuration = configuration
        let authenticator = CurrentAuthenticator(configuration.authenticator)
        authentication = ClientAuthentication(authenticator, tasks, configuration.logger)
        let mayReach: @Sendable (UserID, UserID) -> Bool = { authenticator.mayReach($1, by: $0) }
        self.exchange =
            if let exchange {
                exchange
            } else if let log = configuration.log {
                ReplicatedExchange(log: log, limits: exchangeLimits, mayReach: mayReach)
            } else {
                MemoryExchange(limits: exchangeLimits, mayReach: mayReach)
            }
        addresses = AddressTable(limits)
        scheduler = InputScheduler(loop)

        let own = NIOLoopBound(self, eventLoop: loop)
        self.exchange.start { tasks.enter { $0.execute { own.value.resumeExchange() } } }
        pushes?.onUnreachable = { [unowned self] in handleUnreachable($0) }
        scheduler.serve = { [unowned self] in serve($0) }
        scheduler.throttleDelay = { [unowned self] in throttleDelay(of: $0) }
        scheduler.exchangeDelay = { [unowned self] in self.exchange.pause(ofNetwork: $0.name) }
        scheduler.onPause = { [unowned self] in figures.pauses += 1 }
        // One timer for all sockets: checking ten thousand takes a fraction of a millisecond.
        let shortest = min(limits.signInTimeout, limits.pingInterval)
        let pause = TimeAmount(max(.milliseconds(10), min(.seconds(1), shortest / 4)))
        sweeps = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in own.value.sweep() }
        loopProbe = metrics.watch(loop)
    }

    /// What `/readyz` answers: why there should be no new clients; `nil` if they are welcome.
    var reasonAgainstClients: String? {
        if phase.isDraining || phase.isStopping { return "draining" }
        return exchange.isReady ? nil : "the log of the nodes is out of reach"
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
            case .charge(let id, let messages, let bytes, let isSignIn):
                guard let socket = sockets[id] else { continue }
                charge(socket, late: messages, bytes: bytes, isSignIn: isSignIn)
            case .ring(let event):
                for call in pushes?.handle(event) ?? [] { exchange.handle(.unreachable(call), at: now) }
            }
        }
        for socket in written {
            socket.flush()
            sockets.measure(socket)
        }
        if !exchange.saysCosts, let socket = turn.socket, count > 0 { charge(socket, sent: count, bytes: bytes) }
        if sockets.heldBytes > limits.waitingBytes / 2 { evict() }
        setTimer()
    }

    private func handleUnreachable(_ calls: [CallID]) {
        for call in calls { exchange.handle(.unreachable(call), at: now) }
        drain()
    }

    /// The exchange has something to do of its own.
    private func resumeExchange() {
        guard !phase.isOver else { return }
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
