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
                let wasSignedIn = state.session.isSignedIn
                state.session.disconnected()
                state.socket = nil
                defer { (state.refusal, state.retryAfter) = (nil, .zero) }
                return (state.refusal, state.retryAfter, wasSignedIn, state.welcome != nil)
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

    var isEnded: Bool {
        state.withLock { state in
            if case .ended = state.phase { true } else { false }
        }
    }

    /// Waits before the next attempt, and reports calls that have rung for too long meanwhile.
    ///
    /// - Parameter floor: The minimum, also if the network has returned.
    /// - Returns: Whether the network has returned meanwhile.
    private func sleep(_ delay: Duration, atLeast floor: Duration) async -> Bool {
        let beginning = Self.now
        while !Task.isCancelled {
            let now = Self.now
            let (backoffSleep, skipsBackoff): (Task<Void, Never>?, Bool) = state.withLock { state in
                let rest = beginning + (state.skipsBackoff ? floor : delay) - now
                if state.isNetworkAvailable, rest <= .zero {
                    defer { state.skipsBackoff = false }
                    return (nil, state.skipsBackoff)
                }
                let length = min(.seconds(1), rest > .zero ? max(.milliseconds(1), rest) : .seconds(1))
                let backoffSleep = Task { _ = try? await Task.sleep(for: length) }
                state.backoffSleep = backoffSleep
                return (backoffSleep, false)
            }
            guard let backoffSleep else { return skipsBackoff }
            await withTaskCancellationHandler {
                await backoffSleep.value
            } onCancel: {
                backoffSleep.cancel()
            }
            expireCalls()
        }
        return false
    }

    private func tick() {
        expireCalls()
        state.withLock { state in
            let output = state.session.repeated(at: Self.now)
            if !output.isEmpty { state.socket?.send(output) }
        }
    }

    private func expireCalls() {
        for message in state.withLock({ $0.session.expired(at: Self.now) }) { emit(.message(message)) }
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
                guard case .running = state.phase else { return false }
                state.socket = socket
                let hello = hello(token, user: state.welcome?.user, state.session.resume)
                socket.send([Envelope(ClientMessage.hello(hello)).json()])
                return true
            }
            if !isWanted { await socket.close(within: .zero) }
            await socket.closed()
        } catch {
            return error as? SignalingClientError ?? SignalingClientError(.unreachable, "\(error)")
        }
        let (ending, refusal, isOtherUser) = state.withLock { state in
            // The client itself has required the user of the credential.
            let isRefused = state.refusal?.code == .forbidden && configuration.user == nil && state.welcome != nil
            return (state.ending, state.refusal, state.isOtherUser || isRefused)
        }
        if let ending { return ending }
        if isOtherUser {
            return SignalingClientError(
                .subjectChanged, "the credential is another person's than the one who was signed in")
        }
        return refusal.map { SignalingClientError(.refused($0.code), $0.message) }
            ?? SignalingClientError(.unreachable, "the connection to \(configuration.url) was lost")
    }

    private func openSocket() async throws -> ClientSocket {
        let onMessage: @Sendable ([UInt8]) -> Void = { [weak self] in self?.handle($0) }
        let onClose: @Sendable (SignalingErrorCode) -> Void = { [weak self] in self?.closed(with: $0) }
        let onTick: @Sendable () -> Void = { [weak self] in self?.tick() }
        let attempt = Task { [configuration] in
            try await ClientSocket.connect(
                configuration, onMessage: onMessage, onClose: onClose, onTick: onTick)
        }
        state.withLock { $0.attempt = attempt }
        defer { state.withLock { $0.attempt = nil } }
        return try await withTaskCancellationHandler {
            try await attempt.value
        } onCancel: {
            attempt.cancel()
        }
    }

    /// - Parameter user: The user of the previous sign-in, which the credential has to match.
    private func hello(_ token: String?, user: UserID?, _ resume: Hello.Resume?) -> Hello {
        Hello(
            user: configuration.user ?? user, device: configuration.device, name: configuration.name, token: token,
            resume: resume)
    }
}

// MARK: - The network

extension SignalingClient {
    /// Tells the client that the machine's network connection was restored or lost. It does not try to connect without
    /// a network. When the network is restored, it connects at once, or checks an open connection.
    public func networkChanged(isAvailable: Bool) {
        let (backoffSleep, attempt, socket) = state.withLock { state in
            state.isNetworkAvailable = isAvailable
            guard isAvailable, state.welcome != nil else {
                return (nil as Task<Void, Never>?, nil as Task<ClientSocket, any Error>?, nil as ClientSocket?)
            }
            if state.socket == nil { state.skipsBackoff = true }
            // A running attempt may use a path that is lost.
            return (state.backoffSleep, state.attempt, state.socket)
        }
        backoffSleep?.cancel()
        attempt?.cancel()
        socket?.probe()
    }

    /// Connects at once if the client waits for its next attempt, or finds out within seconds whether an open connection is
    /// dead. For an app that has slept, and was woken.
    public func checkConnection() {
        let (backoffSleep, socket) = state.withLock { state in
            if state.socket == nil, state.welcome != nil { state.skipsBackoff = true }
            return (state.backoffSleep, state.socket)
        }
        backoffSleep?.cancel()
        socket?.probe()
    }
}
