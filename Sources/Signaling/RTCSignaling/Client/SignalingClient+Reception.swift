internal import Logging
internal import Synchronization

// MARK: - Messages of the server

extension SignalingClient {
    /// Handles a close status, in case the preceding error message was lost.
    func closed(with code: SignalingErrorCode) {
        state.withLock { $0.ending.closed(with: code) }
    }

    func handle(_ json: [UInt8]) {
        // Larger than a client's messages, since a server may combine those of several clients.
        guard let envelope = try? Envelope<ServerMessage>(json: json, limit: 4 * SignalingProtocol.maximumMessageSize)
        else { return configuration.logger.warning("a message of the server cannot be read") }
        let now = Self.now
        var events: [Event] = []
        var waiting: ClientLifecycle.Waiting?
        state.withLock { state in
            switch envelope.message {
            case .welcome(let welcome):
                guard state.connection.welcomed(welcome, at: now) else {
                    state.ending.signedInOtherUser()
                    return
                }
                state.credentials.signedIn()
                take(
                    ICEServers(
                        iceServers: welcome.iceServers, iceServersLifetime: welcome.iceServersLifetime,
                        tokenLifetime: welcome.tokenLifetime), into: &state.credentials)
                waiting = state.lifecycle.takeWaiting()
                events = [.connected(welcome)]
            case .error(let error) where error.fatal:
                state.ending.refused(error)
            case .goingAway(let goingAway):
                state.ending.goesAway(goingAway)
                events = [.message(envelope.message)]
            default:
                let reception = state.connection.receive(envelope, at: now)
                if case .iceServers(let servers) = reception.message { take(servers, into: &state.credentials) }
                events = [reception.message, reception.consequence].compactMap { $0.map(Event.message) }
            }
        }
        for event in events { emit(event) }
        if let welcome { waiting?.resume(returning: .success(welcome)) }
    }
}
