internal import NIOCore

/// The cost of messages, which determines who is served next, who has to wait, and which socket is closed.
struct MessageCost {
    var messages = 0.0
    var bytes = 0.0

    /// The cost converted to messages.
    func inMessages(_ limits: ServerLimits) -> Double {
        let rate = limits.bytesPerAddress.rate
        return rate > 0 ? max(messages, bytes * limits.messagesPerAddress.rate / rate) : messages
    }
}

/// Whose input is being served, and what it has cost so far.
struct Turn {
    /// The socket to which costs are charged at the moment.
    var socket: ServerSocket?
    /// Whether its sign-in is being handled.
    var isSignIn = false
    /// The cost of the message that is being served.
    var cost = MessageCost()
}

extension ServerCore {
    /// The cost of each message sent, relative to a received one.
    private static let costOfSending = 0.2
    private static let costOfPart = 0.1
    /// The cost of a part of a TLS handshake, which has three or four.
    private static let costOfHandshake = 2.0
    /// The cost of another token, whose signature has to be verified.
    static let costOfRenewal = 5.0

    /// Serves one message of a socket, or the available part of it.
    ///
    /// - Returns: The cost, in messages.
    func serve(_ socket: ServerSocket) -> Double {
        turn.cost = MessageCost()
        let (arrival, sent) = (socket.inbound?.arrival, figures.messagesSent)
        defer { if figures.messagesSent != sent, let arrival { metrics.served(since: arrival) } }
        charging(socket) {
            if let handshake = socket.handshake {
                handshake.serve()
                return charge(socket, messages: Self.costOfHandshake)
            }
            guard socket.state != .http else { return serveHTTP(socket) }
            let isWhole = socket.inbound?.serve() ?? true
            // Discarded messages cost as much as others, and each part of a message has a cost too.
            charge(socket, messages: socket.state == .closing ? 1 : isWhole ? 0 : Self.costOfPart)
        }
        socket.unchargedBytes = 0
        sockets.measure(socket)
        return turn.cost.inMessages(limits)
    }

    /// Serves HTTP, charged by bytes: a body may be endless, and look like any number of heads.
    private func serveHTTP(_ socket: ServerSocket) {
        let before = socket.inbound?.waitingBytes ?? 0
        _ = socket.inbound?.serve()
        charge(socket, messages: Self.costOfPart, bytes: max(0, before - (socket.inbound?.waitingBytes ?? 0)))
        // Nothing that this server answers is as long.
        if socket.requestBytes > limits.requestSize { socket.drop() }
    }

    /// Charges everything in `body` to a socket.
    func charging(_ socket: ServerSocket, _ body: () -> Void) {
        let before = turn.socket
        turn.socket = socket
        body()
        turn.socket = before
    }

    /// Counts a frame.
    ///
    /// - Returns: `false` if the socket has sent so much at once that it was closed.
    func countReceived(_ count: Int, from socket: ServerSocket) -> Bool {
        socket.lastReceived = now
        socket.isPinged = false
        socket.unchargedBytes += count
        charge(socket, messages: 1, bytes: count)
        guard socket.messages.tokens < -limits.messagesPerSocket.burst else { return true }
        fail(socket, .rateLimited, "You send far too much at once.")
        return false
    }

    /// Returns whether this number of frames at once is allowed. Otherwise the socket is closed.
    func isFrameCountAllowed(_ count: Int, on socket: ServerSocket) -> Bool {
        guard socket.state != .closing, Double(count) > 2 * limits.messagesPerSocket.burst else { return true }
        fail(socket, .rateLimited, "You send far too much at once.")
        drain()
        return false
    }

    func charge(_ socket: ServerSocket, messages: Double, bytes: Int = 0) {
        guard messages > 0 || bytes > 0 else { return }
        let now = now
        turn.cost.messages += messages
        turn.cost.bytes += Double(bytes)
        socket.messages.take(messages, limits.messagesPerSocket, at: now)
        socket.bytes.take(Double(bytes), limits.bytesPerSocket, at: now)
        socket.address?.charge(messages: messages, bytes: Double(bytes), at: now)
    }

    /// Charges what a message has caused: many messages sent count as several.
    func charge(_ socket: ServerSocket, sent count: Int, bytes: Int) {
        let messages = Double(max(0, count - 2)) * Self.costOfSending
        let excess = max(0, bytes - socket.unchargedBytes)
        socket.unchargedBytes = 0
        // A sign-in may notify many watchers, which is not charged to the socket's own rate.
        guard turn.isSignIn else { return charge(socket, messages: messages, bytes: excess) }
        socket.address?.charge(messages: messages, bytes: Double(excess), at: now)
    }

    /// Charges what a message has caused after it was served, because an exchange has its output later.
    func charge(_ socket: ServerSocket, late messages: Int, bytes: Int, isSignIn: Bool) {
        let messages = Double(messages) * Self.costOfSending
        guard isSignIn else { return charge(socket, messages: messages, bytes: bytes) }
        socket.address?.charge(messages: messages, bytes: Double(bytes), at: now)
    }

    /// Charges a file to a socket's network. It does not count as a message of the socket.
    func chargeFile(_ count: Int, to socket: ServerSocket) {
        turn.cost.bytes += Double(count)
        socket.address?.charge(messages: 0, bytes: Double(count), at: now)
    }

    /// How long a socket has to wait until it is within its rate.
    func throttleDelay(of socket: ServerSocket) -> Duration {
        let now = now
        socket.messages.take(0, limits.messagesPerSocket, at: now)
        socket.bytes.take(0, limits.bytesPerSocket, at: now)
        let own = max(socket.messages.delay(limits.messagesPerSocket), socket.bytes.delay(limits.bytesPerSocket))
        if own > .zero, socket.excessSince == nil { socket.excessSince = now }
        return max(own, socket.address?.throttleDelay(at: now) ?? .zero)
    }

    /// Closes a socket that exceeds its rate for long. One that pauses until half of its burst is available again is not closed.
    func closeIfExcessive(_ socket: ServerSocket) {
        guard let since = socket.excessSince, socket.state != .closing else { return }
        let now = now
        socket.messages.take(0, limits.messagesPerSocket, at: now)
        socket.bytes.take(0, limits.bytesPerSocket, at: now)
        if socket.messages.tokens >= limits.messagesPerSocket.burst / 2,
            socket.bytes.tokens >= limits.bytesPerSocket.burst / 2
        {
            socket.excessSince = nil
        } else if now - since >= limits.longestExcess {
            fail(socket, .rateLimited, "You have been sending too much for too long.")
        }
    }
}
