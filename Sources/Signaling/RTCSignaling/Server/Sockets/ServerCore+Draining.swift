internal import NIOCore
internal import RTCNetwork

// MARK: - Draining

extension ServerCore {
    /// Refuses new WebSockets, and sends `goingAway` to all clients, some after the other.
    ///
    /// - Returns: A future that completes when all were told, or the server is stopped.
    func sendEverybodyAway(
        over time: Duration, retryAfter: Duration, message: String?
    ) -> EventLoopFuture<Void> {
        if phase.drain() { countDrain() }
        // Kept alive, they would last as long as the server. Others are closed after their answer.
        for socket in sockets.all where socket.state == .http && socket.hasAnswered && socket.isIdle {
            socket.drop()
        }
        let promise = loop.makePromise(of: Void.self)
        // In a random order, or those of one network would go and come back together.
        let leaving = sockets.all.filter { $0.state != .http }.shuffled()
        Drain(self, leaving, over: time, retryAfter, message, promise).run()
        return promise.futureResult
    }

    /// Sends `goingAway`, and closes. The session counts as disconnected, and others can still send to it.
    func sendAway(_ socket: ServerSocket, retryAfter: Duration, message: String?) {
        switch socket.state {
        case .opened, .authenticating, .signedIn: break
        case .http, .upgrading: return socket.drop()
        case .closing: return
        }
        socket.writeGoingAway(retryAfter: retryAfter, message: message)
        close(socket, 1001, "goingAway")
    }
}

// MARK: - The end

extension ServerCore {
    /// Closes all sockets, and completes when they are gone.
    func goAway(retryAfter: Duration, message: String?, grace: TimeAmount) -> EventLoopFuture<Void> {
        if phase.stop() { countDrain() }
        pushes?.stop()
        // The server may be stopped once more, for example with less time.
        let promise = whenEmpty ?? loop.makePromise(of: Void.self)
        whenEmpty = promise
        // Those that are closing were told already, and have until the end to read it.
        for socket in sockets.all where socket.state != .closing {
            // A request, such as one for “/readyz”, is answered.
            if socket.state == .http, !socket.isIdle { continue }
            guard socket.state == .signedIn || socket.state == .opened || socket.state == .authenticating else {
                socket.drop()
                continue
            }
            socket.writeGoingAway(retryAfter: retryAfter, message: message)
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
        phase.end()
        sweeps?.cancel()
        loopProbe?.cancel()
        timer.cancel()
        pushes?.stop()
        for socket in sockets.all {
            socket.state = .closing
            socket.drop()
            // The loop may end before another one has told that the socket is closed.
            (socket.channel as? RelayChannel)?.finish()
        }
        whenEmpty?.succeed()
    }
}

extension ServerSocket {
    /// Writes `goingAway`. Clients get different delays, or all would come back at once.
    fileprivate func writeGoingAway(retryAfter: Duration, message: String?) {
        let delay = retryAfter.inSeconds * Double.random(in: 0.5...1.5)
        let rounded = (delay * 100).rounded() / 100
        write(Envelope(ServerMessage.goingAway(GoingAway(retryAfter: rounded, message: message))).json())
    }
}

/// The clients that are still to be sent away.
private final class Drain {
    private let core: ServerCore
    private var rest: [ServerSocket]
    private var plan: DrainPlan
    private let retryAfter: Duration
    private let message: String?
    private let promise: EventLoopPromise<Void>

    init(
        _ core: ServerCore, _ sockets: [ServerSocket], over time: Duration, _ retryAfter: Duration, _ message: String?,
        _ promise: EventLoopPromise<Void>
    ) {
        self.core = core
        rest = sockets
        plan = DrainPlan(sockets.count, over: time)
        self.retryAfter = retryAfter
        self.message = message
        self.promise = promise
    }

    func run() {
        for _ in 0..<plan.next() {
            guard let socket = rest.popLast() else { break }
            if core.isOpen(socket) { core.sendAway(socket, retryAfter: retryAfter, message: message) }
        }
        core.drain()
        guard !plan.isOver, !core.phase.isStopping else { return promise.succeed() }
        let own = NIOLoopBound(self, eventLoop: core.loop)
        let step = core.loop.scheduleTask(in: TimeAmount(DrainPlan.pause)) { own.value.run() }
        // The event loop may be stopped before the next step.
        step.futureResult.whenFailure { [promise] _ in promise.succeed() }
    }
}
