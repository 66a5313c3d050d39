internal import NIOCore

/// Serves what has come on the sockets: a network at a time, one of its sockets at a time, a message at a time.
///
/// So nobody waits for more than one message of each other network, and behind one address nobody for what a neighbour's cost: each socket
/// has the same share of it (``FairQueue``).
/// What a network or a socket may not say yet, by its rate, waits outside: a socket is read when all of it was served.
final class Turns {
    private let loop: any EventLoop
    private var lines = Queue<Line>()
    private var isScheduled = false

    /// After so long the loop looks whether there is something to read or to write.
    private static let slice: TimeAmount = .milliseconds(2)
    private static let pause: TimeAmount = .microseconds(50)

    /// The sockets of one network that have something to be served.
    final class Line {
        fileprivate var sockets = FairQueue()
        fileprivate var isQueued = false
        fileprivate var isAsleep = false
        /// What is heard out of turn, of sockets that have gone.
        fileprivate var farewells = TokenBucket(Line.farewellLimit, at: .zero)
        fileprivate static let farewellLimit = TokenBucket.Limit(rate: 100, burst: 32)
        /// How long the network has to wait.
        let debt: (Duration) -> Duration

        init(debt: @escaping (Duration) -> Duration = { _ in .zero }) {
            self.debt = debt
        }
    }

    /// Serves one message, or the part of it that is there. Returns what that cost, in messages.
    var serve: (ServerSocket) -> Double = { _ in 1 }
    /// How long a socket has to wait by its own doing.
    var debt: (ServerSocket) -> Duration = { _ in .zero }
    /// A socket or a network has to wait.
    var onPause: () -> Void = {}

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// There is something on this socket.
    func add(_ socket: ServerSocket) {
        guard !socket.isInLine, socket.isReady else { return }
        socket.isInLine = true
        socket.line.sockets.append(socket)
        enqueue(socket.line)
    }

    /// Whether one more message is heard of a socket that has gone, and so has no turn to wait for. It counts.
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
        // Not at once: the loop would do nothing else until there is no task left.
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
                line.sockets.charge(socket, serve(socket))
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

    /// At most a few seconds: a debt is looked at anew then.
    private static func amount(_ wait: Duration) -> TimeAmount {
        TimeAmount(min(max(wait, .milliseconds(1)), .seconds(5)))
    }
}
