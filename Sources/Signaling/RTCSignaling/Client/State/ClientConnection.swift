/// The client's session, the socket that carries it at present, and the last sign-in.
struct ClientConnection {
    private var session = ClientSession()
    /// `nil` between two attempts.
    private(set) var socket: ClientSocket?
    /// The last `welcome` message.
    private(set) var welcome: Welcome?

    /// Whether the server has sent `welcome` on the socket.
    var isSignedIn: Bool { session.isSignedIn }

    // MARK: Sockets

    /// Sends `hello` on a new socket. The credential has to be that of the user of the previous sign-in.
    mutating func opened(_ socket: ClientSocket, _ configuration: SignalingClient.Configuration, token: String?) {
        self.socket = socket
        let hello = Hello(
            user: configuration.user ?? welcome?.user, device: configuration.device, name: configuration.name,
            token: token, resume: session.resume)
        socket.send([Envelope(ClientMessage.hello(hello)).json()])
    }

    /// Signs in, and sends what the server has missed. A server that ignores the user of `hello`, and has signed in another
    /// one than before, is left.
    ///
    /// - Returns: Whether it is the same user.
    mutating func welcomed(_ welcome: Welcome, at now: Duration) -> Bool {
        if let before = self.welcome, before.user != welcome.user {
            socket?.send([Envelope(ClientMessage.bye).json()])
            socket?.drop()
            return false
        }
        self.welcome = welcome
        let output = session.welcomed(welcome, at: now)
        socket?.send(output)
        return true
    }

    /// - Returns: Whether the client was signed in until now.
    mutating func lost() -> Bool {
        let wasSignedIn = session.isSignedIn
        session.disconnected()
        socket = nil
        return wasSignedIn
    }

    func drop() {
        socket?.drop()
    }

    // MARK: Messages

    /// Sends a message, or keeps it for the next socket.
    ///
    /// - Returns: `false` if too many are waiting.
    mutating func send(_ message: ClientMessage, at now: Duration) -> Bool {
        guard let output = session.send(message, at: now) else { return false }
        socket?.send(output)
        return true
    }

    mutating func receive(_ envelope: Envelope<ServerMessage>, at now: Duration) -> ClientSession.Reception {
        let reception = session.receive(envelope, at: now)
        socket?.send(reception.replies)
        if reception.isGap { socket?.drop() }
        return reception
    }

    /// Sends what has to be sent because of the time.
    mutating func tick(at now: Duration) {
        let output = session.repeated(at: now)
        socket?.send(output)
    }

    /// The messages that a server would have sent for expired calls.
    mutating func expired(at now: Duration) -> [ServerMessage] { session.expired(at: now) }
}
