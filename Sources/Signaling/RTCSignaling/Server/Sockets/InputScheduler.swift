internal import NIOCore
internal import RTCWire

/// Serves the input of all sockets in turns: one network at a time, one of its sockets at a time, one message at a time.
///
/// So a network waits for at most one message of each other network, and within a network each socket has an equal share of the
/// cost (``FairQueue``). Input beyond the rate of a network or socket stays outside: a socket is read when all of its input was
/// served.
///
/// What other loops tell comes first in each run, so that it leaves as much time to read and write as input does.
final class InputScheduler {
    private let loop: any EventLoop
    /// What other loops tell.
    let mail = Mailbox()
    private var networkQueues = RingBuffer<NetworkQueue>()
    private var isScheduled = false

    /// The time after which the event loop may read and write again.
    private static let slice: TimeAmount = .milliseconds(2)
    private static let pause: TimeAmount = .microseconds(50)

    /// The sockets of one network that have input to be served.
    final class NetworkQueue {
        fileprivate var sockets = FairQueue()
        fileprivate var isQueued = false
        fileprivate var isThrottled = false
        /// The limit for frames of closed sockets, which are served out of turn.
        fileprivate var closedSocketFrames = TokenBucket(NetworkQueue.closedSocketLimit, at: .zero)
        fileprivate static let closedSocketLimit = TokenBucket.Limit(rate: 100, burst: 32)
        /// The name of the network, as the exchange knows it; `nil` if it has no limits or is unknown.
        let name: String?
        /// How long the network has to wait.
        let throttleDelay: (Duration) -> Duration

        init(name: String? = nil, throttleDelay: @escaping (Duration) -> Duration = { _ in .zero }) {
            self.name = name
            self.throttleDelay = throttleDelay
        }
    }

    /// Serves one message, or the available part of it, and returns its cost in messages.
    var serve: (ServerSocket) -> Double = { _ in 1 }
    /// How long a socket has to wait because of its own rate.
    var throttleDelay: (ServerSocket) -> Duration = { _ in .zero }
    /// How long a network has to wait until the exchange has done more of what it has sent before.
    var exchangeDelay: (NetworkQueue) -> Duration = { _ in .zero }
    /// Called when a socket or a network has to wait because of its rate.
    var onPause: () -> Void = {}

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Adds a socket with input.
    func add(_ socket: ServerSocket) {
        guard !socket.isQueued, socket.isReady else { return }
        socket.isQueued = true
        socket.networkQueue.sockets.append(socket)
        enqueue(socket.networkQueue)
    }

    /// Reads the mail now, whatever is scheduled.
    func readMail() {
        for letter in mail.takeAll() { letter() }
        if mail.hasMore() { schedule(in: Self.pause) }
    }

    /// Reads the mail soon: at once, or in the run that is scheduled.
    func wake() {
        schedule(in: nil)
    }

    /// Returns whether one more message of a closed socket, which has no turn to wait for, is served. Counts it.
    func mayServeClosed(of socket: ServerSocket) -> Bool {
        let (now, networkQueue) = (now, socket.networkQueue)
        guard throttleDelay(socket) <= .zero, networkQueue.throttleDelay(now) <= .zero else { return false }
        networkQueue.closedSocketFrames.take(0, NetworkQueue.closedSocketLimit, at: now)
        guard networkQueue.closedSocketFrames.tokens >= 1 else { return false }
        networkQueue.closedSocketFrames.take(1, NetworkQueue.closedSocketLimit, at: now)
        return true
    }

    private var now: Duration { .nanoseconds(Int64(clamping: loop.now.uptimeNanoseconds)) }

    private func enqueue(_ networkQueue: NetworkQueue) {
        guard !networkQueue.isQueued, !networkQueue.isThrottled, !networkQueue.sockets.isEmpty else { return }
        networkQueue.isQueued = true
        networkQueues.append(networkQueue)
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
        for letter in mail.takeAll() { letter() }
        while let networkQueue = networkQueues.popFirst() {
            networkQueue.isQueued = false
            serveNext(of: networkQueue)
            if loop.now >= end { break }
        }
        isScheduled = false
        let hasMail = mail.hasMore()
        if hasMail || !networkQueues.isEmpty { schedule(in: Self.pause) }
    }

    private func serveNext(of networkQueue: NetworkQueue) {
        let wait = networkQueue.throttleDelay(now)
        guard wait <= .zero else {
            onPause()
            return sleep(networkQueue, wait)
        }
        let pause = exchangeDelay(networkQueue)
        guard pause <= .zero else { return sleep(networkQueue, pause) }
        if let socket = networkQueue.sockets.popFirst() {
            let wait = throttleDelay(socket)
            if wait > .zero {
                sleep(socket, wait)
            } else {
                let cost = serve(socket)
                // A request of a proxy may have moved it to its client's network.
                socket.networkQueue.sockets.charge(socket, cost)
                socket.isQueued = false
                add(socket)
            }
        }
        enqueue(networkQueue)
    }

    private func sleep(_ networkQueue: NetworkQueue, _ wait: Duration) {
        networkQueue.isThrottled = true
        let own = NIOLoopBound((scheduler: self, networkQueue: networkQueue), eventLoop: loop)
        loop.scheduleTask(in: Self.amount(wait)) {
            own.value.networkQueue.isThrottled = false
            own.value.scheduler.enqueue(own.value.networkQueue)
        }
    }

    private func sleep(_ socket: ServerSocket, _ wait: Duration) {
        onPause()
        let own = NIOLoopBound((scheduler: self, socket: socket), eventLoop: loop)
        loop.scheduleTask(in: Self.amount(wait)) {
            own.value.socket.isQueued = false
            own.value.scheduler.add(own.value.socket)
        }
    }

    /// The wait, limited to a few seconds: a debt is then checked again.
    private static func amount(_ wait: Duration) -> TimeAmount {
        TimeAmount(min(max(wait, .milliseconds(1)), .seconds(5)))
    }
}
