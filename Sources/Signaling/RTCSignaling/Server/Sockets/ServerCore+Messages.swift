internal import NIOCore
internal import RTCWire

// MARK: - Messages

extension ServerCore {
    func received(_ message: ByteBuffer, on socket: ServerSocket) {
        figures.messagesReceived += 1
        let envelope: Envelope<ClientMessage>
        do {
            envelope = try decode(message, on: socket)
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
        case (.closing, _), (.http, _), (.upgrading, _): return
        }
    }

    private func decode(
        _ message: ByteBuffer, on socket: ServerSocket
    ) throws(MalformedMessage) -> Envelope<ClientMessage> {
        if let relay = socket.channel as? RelayChannel, let inbound = socket.inbound, !inbound.hasDropped,
            let result = relay.decodedMessage(before: inbound.waitingBytes, length: message.readableBytes)
        {
            return try result.get()
        }
        return try Envelope(json: message.readableBytesView, limit: limits.messageSize)
    }

    private func receivedSignedIn(_ envelope: Envelope<ClientMessage>, on socket: ServerSocket) {
        switch envelope.message {
        case .ping(let ping):
            socket.write(Envelope(ServerMessage.pong(ping)).json())
            if envelope.ack == nil { return }
        case .iceServers:
            sendICEServers(socket)
            if envelope.ack == nil { return }
        case .renew(let renewal):
            renew(renewal, on: socket)
            if envelope.ack == nil { return }
        case .ack:
            // Not charged, since others cause acknowledgements.
            if let ack = envelope.ack, ack > socket.acknowledged {
                socket.acknowledged = ack
                socket.messages.refund(1)
                turn.cost.messages -= 1
            }
        default: break
        }
        traces.received(envelope.message, on: socket, at: now)
        exchange.handle(.message(socket.id, envelope), at: now)
    }
}
