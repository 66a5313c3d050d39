internal import Logging
internal import Synchronization

// MARK: - Attempts

extension SignalingClient {
    func stayConnected() async {
        var backoff = configuration.backoff
        var random = SystemRandomNumberGenerator()
        let beginning = Self.now
        while !Task.isCancelled {
            let failure = await connectOnce()
            let (refusal, floor, wasSignedIn, hadWelcome) = state.withLock { state in
                let wasSignedIn = state.connection.lost()
                let (refusal, retryAfter) = state.ending.takeRefusal()
                return (refusal, retryAfter, wasSignedIn, state.connection.welcome != nil)
            }
            if failure.finalSignalingError != nil { return finish(failure) }
            if let refusal, refusal.code.isFinal {
                return finish(SignalingClientError(.refused(refusal.code), refusal.message))
            }
            let mayTryAgain = refusal?.code == .internal && Self.now < beginning + configuration.connectTimeout
            guard hadWelcome || mayTryAgain else { return finish(failure) }
            if isEnded { return }
            if wasSignedIn {
                backoff.reset()
                emit(.disconnected(failure))
            }
            let delay = backoff.next(atLeast: floor, using: &random)
            configuration.logger.debug("connecting again", metadata: ["in": "\(delay)", "after": "\(failure.message)"])
            if await sleep(delay, atLeast: floor) { backoff.reset() }
        }
    }

    var isEnded: Bool { state.withLock { $0.lifecycle.hasEnded } }

    /// Waits before the next attempt, and reports calls that have rung for too long meanwhile.
    ///
    /// - Parameter floor: The minimum, also if the network has returned.
    /// - Returns: Whether the network has returned meanwhile.
    private func sleep(_ delay: Duration, atLeast floor: Duration) async -> Bool {
        let beginning = Self.now
        while !Task.isCancelled {
            let elapsed = Self.now - beginning
            switch state.withLock({ $0.reconnection.next(after: elapsed, delay: delay, atLeast: floor) }) {
            case .connect(let isEarly): return isEarly
            case .sleep(let sleep):
                await withTaskCancellationHandler {
                    await sleep.value
                } onCancel: {
                    sleep.cancel()
                }
            }
            expireCalls()
        }
        return false
    }

    private func tick() {
        expireCalls()
        state.withLock { $0.connection.tick(at: Self.now) }
    }

    private func expireCalls() {
        for message in state.withLock({ $0.connection.expired(at: Self.now) }) { emit(.message(message)) }
    }

    /// Connects, signs in, and returns when the socket is closed.
    private func connectOnce() async -> SignalingClientError {
        let token: String?
        guard configuration.mayShowToken else {
            return SignalingClientError(
                .url, "\(configuration.url) is not encrypted, and a token that goes there is anybody's: write wss://")
        }
        do {
            token = try await configuration.token?()
        } catch {
            return SignalingClientError(ending: error)
                ?? SignalingClientError(.unreachable, "there is no token: \(error)")
        }
        do {
            let socket = try await openSocket()
            let isWanted = state.withLock { state in
                guard state.lifecycle.isRunning else { return false }
                state.connection.opened(socket, configuration, token: token)
                return true
            }
            if !isWanted { await socket.close(within: .zero) }
            await socket.closed()
        } catch {
            return error as? SignalingClientError ?? SignalingClientError(.unreachable, "\(error)")
        }
        let error = state.withLock { state in
            state.ending.error(requiresUser: configuration.user == nil && state.connection.welcome != nil)
        }
        return error ?? SignalingClientError(.unreachable, "the connection to \(configuration.url) was lost")
    }

    private func openSocket() async throws -> ClientSocket {
        let onMessage: @Sendable ([UInt8]) -> Void = { [weak self] in self?.handle($0) }
        let onClose: @Sendable (SignalingErrorCode) -> Void = { [weak self] in self?.closed(with: $0) }
        let onTick: @Sendable () -> Void = { [weak self] in self?.tick() }
        let attempt = Task { [configuration] in
            try await ClientSocket.connect(
                configuration, onMessage: onMessage, onClose: onClose, onTick: onTick)
        }
        state.withLock { $0.reconnection.begins(attempt) }
        defer { state.withLock { $0.reconnection.attemptEnds() } }
        return try await withTaskCancellationHandler {
            try await attempt.value
        } onCancel: {
            attempt.cancel()
        }
    }
}

// MARK: - The network

extension SignalingClient {
    /// Tells the client that the machine's network connection was restored or lost. It does not try to connect without
    /// a network. When the network is restored, it connects at once, or checks an open connection.
    public func networkChanged(isAvailable: Bool) {
        let (sleep, attempt, socket) = state.withLock { state in
            state.reconnection.networkChanged(isAvailable: isAvailable)
            guard isAvailable, state.connection.welcome != nil else {
                return (nil as Task<Void, Never>?, nil as Task<ClientSocket, any Error>?, nil as ClientSocket?)
            }
            if state.connection.socket == nil { state.reconnection.skipBackoff() }
            // A running attempt may use a path that is lost.
            return (state.reconnection.sleep, state.reconnection.attempt, state.connection.socket)
        }
        sleep?.cancel()
        attempt?.cancel()
        socket?.probe()
    }

    /// Connects at once if the client waits for its next attempt, or finds out within seconds whether an open connection is
    /// dead. For an app that has slept, and was woken.
    package func checkConnection() {
        let (sleep, socket) = state.withLock { state in
            if state.connection.socket == nil, state.connection.welcome != nil { state.reconnection.skipBackoff() }
            return (state.reconnection.sleep, state.connection.socket)
        }
        sleep?.cancel()
        socket?.probe()
    }
}
