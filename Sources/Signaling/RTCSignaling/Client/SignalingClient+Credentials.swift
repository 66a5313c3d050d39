internal import Logging
internal import Synchronization

// MARK: - Credentials that end

extension SignalingClient {
    func take(_ servers: ICEServers, into credentials: inout ExpiringCredentials) {
        credentials.take(servers, hasToken: configuration.token != nil) { [weak self] in
            self?.renewICEServers()
        } renewToken: { [weak self] in
            await self?.renewToken()
        }
    }

    private func renewICEServers() {
        // Without a socket nothing is requested: the next welcome contains them, and so does the response to a renewal.
        let isWanted = state.withLock { $0.connection.isSignedIn && !$0.credentials.isTokenRenewalUnderWay }
        if isWanted { try? requestICEServers() }
    }

    /// Sends another token. If there is none, it is requested repeatedly, until the server closes; the next sign-in reports the
    /// reason.
    private func renewToken() async {
        var backoff = configuration.backoff
        var random = SystemRandomNumberGenerator()
        let isOurs = state.withLock { state in
            guard !Task.isCancelled, state.connection.isSignedIn else { return false }
            state.credentials.tokenRenewalBegins()
            return true
        }
        guard isOurs else { return }
        while !Task.isCancelled, isConnected {
            do {
                let token = try await configuration.token?()
                let isWanted = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    state.credentials.tokenRenewalEnds()
                    return true
                }
                if isWanted, let token { try send(.renew(Renewal(token: token))) }
                return
            } catch {
                if let ending = SignalingClientError(ending: error), ending.code == .subjectChanged {
                    return end(ending)
                }
                configuration.logger.debug("there is no other token yet", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: backoff.next(using: &random))
            }
        }
    }

    /// Ends the client without sending `bye`: connected calls continue.
    private func end(_ error: SignalingClientError) {
        state.withLock { state in
            guard !Task.isCancelled else { return }
            state.ending.endForGood(error)
            state.connection.drop()
        }
    }
}
