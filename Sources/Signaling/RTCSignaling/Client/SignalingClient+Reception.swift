internal import Logging
internal import Synchronization

// MARK: - Messages of the server

extension SignalingClient {
    /// Handles a close status, in case the preceding error message was lost.
    func closed(with code: SignalingErrorCode) {
        state.withLock { state in
            guard state.refusal == nil else { return }
            state.refusal = SignalingErrorMessage(code, "the server closed the connection (\(code))", fatal: true)
        }
    }

    func handle(_ json: [UInt8]) {
        // Larger than a client's messages, since a server may combine those of several clients.
        guard let envelope = try? Envelope<ServerMessage>(json: json, limit: 4 * SignalingProtocol.maximumMessageSize)
        else { return configuration.logger.warning("a message of the server cannot be read") }
        let now = Self.now
        var events: [Event] = []
        var waiting: CheckedContinuation<Result<Welcome, SignalingClientError>, Never>?
        state.withLock { state in
            switch envelope.message {
            case .welcome(let welcome):
                // A server may ignore the client's `user`.
                if let before = state.welcome, before.user != welcome.user {
                    state.isOtherUser = true
                    state.socket?.send([Envelope(ClientMessage.bye).json()])
                    state.socket?.drop()
                    return
                }
                state.welcome = welcome
                // A renewal belongs to its socket.
                state.isTokenRenewalUnderWay = false
                take(
                    ICEServers(
                        iceServers: welcome.iceServers, iceServersLifetime: welcome.iceServersLifetime,
                        tokenLifetime: welcome.tokenLifetime), &state)
                let output = state.session.welcomed(welcome, at: now)
                state.socket?.send(output)
                (waiting, state.waiting) = (state.waiting, nil)
                events = [.connected(welcome)]
            case .error(let error) where error.fatal:
                state.refusal = error
                if let pause = error.retryAfter { state.retryAfter = .seconds(min(max(pause, 0), 300)) }
            case .goingAway(let goingAway):
                state.retryAfter = .seconds(min(max(goingAway.retryAfter ?? 0, 0), 300))
                events = [.message(envelope.message)]
            default:
                let reception = state.session.receive(envelope, at: now)
                state.socket?.send(reception.replies)
                if reception.isGap { state.socket?.drop() }
                if case .iceServers(let servers) = reception.message { take(servers, &state) }
                events = [reception.message, reception.consequence].compactMap { $0.map(Event.message) }
            }
        }
        for event in events { emit(event) }
        if let welcome { waiting?.resume(returning: .success(welcome)) }
    }
}
