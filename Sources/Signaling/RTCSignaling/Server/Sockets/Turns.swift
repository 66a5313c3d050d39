internal import NIOCore

/// Serves the input of all sockets in turns: one network at a time, one of its sockets at a time, one message at a time.
///
/// So a network waits for at most one message of each other network, and within a network each socket has an equal share of the
/// cost (``FairQueue``). Input beyond the rate of a network or socket stays outside: a socket is read when all of its input was
/// served.
final class Turns {
    private let loop: any EventLoop
    private var lines = Queue<Line>()
    private var isScheduled = false

    /// The time after which the event loop may read and write again.
    private static let slice: TimeAmount = .milliseconds(2)
    private static let pause: TimeAmount = .microseconds(50)

    /// The sockets of one network that have input to be served.
    final class Line {
        fileprivate var sockets = FairQueue()
        fileprivate var isQueued = false
        fileprivate var isAsleep = false
        /// The limit for frames of closed sockets, which are served out of turn.
        fileprivate var farewells = TokenBucket(Line.farewellLimit, at: .zero)
        fileprivate static let farewellLimit = TokenBucket.Limit(rate: 100, burst: 32)
        /// How long the network has to wait.
        let debt: (Duration) -> Duration

        init(debt: @escaping (Duration) -> Duration = { _ in .zero }) {
            self.debt = debt
        }
    }

    /// Serves one message, or the available part of it, and returns its cost in messages.
    var serve: (ServerSocket) -> Double = { _ in 1 }
    /// How long a socket has to wait because of its own rate.
    var debt: (ServerSocket) -> Duration = { _ in .zero }
    /// Called when a socket or a network has to wait.
    var onPause: () -> Void = {}

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Adds a socket with input.
    func add(_ socket: ServerSocket) {
        guard !socket.isInLine, socket.isReady else { return }
        socket.isInLine = true
        socket.line.sockets.append(socket)
        enqueue(socket.line)
    }

    /// Returns whether one more message of a closed socket, which has no turn to wait for, is served. Counts it.
    func mayHearFarewell(of socket: ServerSocket) -> Bool {
        let (now, line) = (now, socket.line)
        guard debt(socket) <= .zero, line.debt(now) <= .zero else { return false }
        line.farewells.take(0, Line.farewellLimit, at: now)
        guard line.farewells.tokens >= 1 else { return false }
        line.farewells.take(1, Line.farewellLimit, at: now)
        return true
    }

    private var now: Duration { .nanoseconds(Int64(clamping: loop.now.uptimeNanoseconds)) }

    private func enqueue(_ line: Line) {
        guard !line.isQueued, !line.isAsleep, !line.sockets.isEmpty else { return }
        line.isQueued = true
        lines.append(line)
        schedule(in: nil)
    }

    private func schedule(in pause: TimeAmount?) {
        guard !isScheduled else { return }
        isScheduled = true
        let own = NIOLoopBound(self, eventLoop: loop)
        guard let pause else { return loop.execute { own.value.run() } }
        // Not immediately, because the loop runs tasks until there are none.
        loop.scheduleTask(in: pause) { own.value.run() }
    }

    private func run() {
        let end = loop.now + Self.slice
        while let line = lines.popFirst() {
            line.isQueued = false
            turn(of: line)
            if loop.now >= end { break }
        }
        isScheduled = false
        if !lines.isEmpty { schedule(in: Self.pause) }
    }

    private func turn(of line: Line) {
        let wait = line.debt(now)
        guard wait <= .zero else { return sleep(line, wait) }
        if let socket = line.sockets.popFirst() {
            let wait = debt(socket)
            if wait > .zero {
                sleep(socket, wait)
            } else {
                let cost = serve(socket)
                // A request of a proxy may have moved it to its client's network.
                socket.line.sockets.charge(socket, cost)
                socket.isInLine = false
                add(socket)
            }
        }
        enqueue(line)
    }

    private func sleep(_ line: Line, _ wait: Duration) {
        onPause()
        line.isAsleep = true
        let own = NIOLoopBound((turns: self, line: line), eventLoop: loop)
        loop.scheduleTask(in: Self.amount(wait)) {
            own.value.line.isAsleep = false
            own.value.turns.enqueue(own.value.line)
        }
    }

    private func sleep(_ socket: ServerSocket, _ wait: Duration) {
        onPause()
        let own = NIOLoopBound((turns: self, socket: socket), eventLoop: loop)
        loop.scheduleTask(in: Self.amount(wait)) {
            own.value.socket.isInLine = false
            own.value.turns.add(own.value.socket)
        }
    }

    /// The wait, limited to a few seconds: a debt is then checked again.
    private static func amount(_ wait: Duration) -> TimeAmount {
        TimeAmount(min(max(wait, .milliseconds(1)), .seconds(5)))
    }
}
