internal import NIOCore

/// What messages cost a server, by which it decides who is served next, who has to wait, and who is sent away.
struct MessageCost {
    var messages = 0.0
    var bytes = 0.0

    /// As though it were of messages alone.
    func inMessages(_ limits: ServerLimits) -> Double {
        let rate = limits.bytesPerAddress.rate
        return rate > 0 ? max(messages, bytes * limits.messagesPerAddress.rate / rate) : messages
    }
}

extension ServerCore {
    /// A message to one more receiver, compared with one that is received.
    private static let costOfSending = 0.2
    private static let costOfPart = 0.1
    /// A part of a TLS handshake: three or four of them are a whole one.
    private static let costOfHandshake = 2.0
    /// Another token, whose signature has to be verified.
    static let costOfRenewal = 5.0

    /// Serves one message of a socket, or the part of it that is there.
    ///
    /// - Returns: What that cost, in messages.
    func serve(_ socket: ServerSocket) -> Double {
        turnCost = MessageCost()
        charging(socket) {
            if let handshake = socket.handshake {
                handshake.serve()
                return charge(socket, messages: Self.costOfHandshake)
            }
            guard socket.state != .http else { return serveHTTP(socket) }
            let isWhole = socket.inbound?.serve() ?? true
            // What is thrown away costs as much as what is taken, and so do many parts of one message.
            charge(socket, messages: socket.state == .closing ? 1 : isWhole ? 0 : Self.costOfPart)
        }
        socket.unchargedBytes = 0
        measure(socket)
        return turnCost.inMessages(limits)
    }

    /// Bodies are requests that never end, and look like as many heads as their sender likes.
    private func serveHTTP(_ socket: ServerSocket) {
        let before = socket.inbound?.waitingBytes ?? 0
        _ = socket.inbound?.serve()
        charge(socket, messages: Self.costOfPart, bytes: max(0, before - (socket.inbound?.waitingBytes ?? 0)))
    }

    /// Does something on the account of a socket.
    func charging(_ socket: ServerSocket, _ body: () -> Void) {
        let before = serving
        serving = socket
        body()
        serving = before
    }

    /// Counts a frame.
    ///
    /// - Returns: `false` when the socket has sent so much at once that it was closed.
    func heard(_ count: Int, from socket: ServerSocket) -> Bool {
        socket.lastHeard = now
        socket.isPinged = false
        socket.unchargedBytes += count
        charge(socket, messages: 1, bytes: count)
        guard socket.messages.tokens < -limits.messagesPerSocket.burst else { return true }
        fail(socket, .rateLimited, "You send far too much at once.")
        return false
    }

    /// Whether so many frames at once are no flood. Otherwise the socket is closed.
    func isBearable(_ count: Int, on socket: ServerSocket) -> Bool {
        guard socket.state != .closing, Double(count) > 2 * limits.messagesPerSocket.burst else { return true }
        fail(socket, .rateLimited, "You send far too much at once.")
        drain()
        return false
    }

    func charge(_ socket: ServerSocket, messages: Double, bytes: Int = 0) {
        guard messages > 0 || bytes > 0 else { return }
        let now = now
        turnCost.messages += messages
        turnCost.bytes += Double(bytes)
        socket.messages.take(messages, limits.messagesPerSocket, at: now)
        socket.bytes.take(Double(bytes), limits.bytesPerSocket, at: now)
        socket.address?.charge(messages: messages, bytes: Double(bytes), at: now)
    }

    /// Counts what a message costs beside itself: one that makes the server say much to many counts as several.
    func charge(_ socket: ServerSocket, sent count: Int, bytes: Int) {
        let messages = Double(max(0, count - 2)) * Self.costOfSending
        let excess = max(0, bytes - socket.unchargedBytes)
        socket.unchargedBytes = 0
        // Who signs in may be somebody whom many watch: that is no message of its.
        guard isGreeting else { return charge(socket, messages: messages, bytes: excess) }
        socket.address?.charge(messages: messages, bytes: Double(excess), at: now)
    }

    /// Counts a file that a socket asked for, which is no message of its: its network may have so much of them.
    func chargeFile(_ count: Int, to socket: ServerSocket) {
        turnCost.bytes += Double(count)
        socket.address?.charge(messages: 0, bytes: Double(count), at: now)
    }

    /// How long a socket has to wait until its messages are within its rate.
    func debt(of socket: ServerSocket) -> Duration {
        let now = now
        socket.messages.take(0, limits.messagesPerSocket, at: now)
        socket.bytes.take(0, limits.bytesPerSocket, at: now)
        let own = max(socket.messages.delay(limits.messagesPerSocket), socket.bytes.delay(limits.bytesPerSocket))
        if own > .zero, socket.excessSince == nil { socket.excessSince = now }
        return max(own, socket.address?.debt(at: now) ?? .zero)
    }

    /// Closes a socket that has sent more than it may for long: one that wants no more than to be too fast for a while has half of what
    /// it may say at once left before that.
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
            // There is no WebSocket yet on which to say why.
            guard socket.state != .http else { return socket.drop() }
            fail(socket, .rateLimited, "You have been sending too much for too long.")
        }
    }
}
