internal import Logging
internal import Synchronization

// MARK: - Credentials that end

extension SignalingClient {
    func take(_ servers: ICEServers, _ state: inout State) {
        state.iceServers = servers
        state.renewal?.cancel()
        state.renewal = servers.renewalDelay(unlessWithToken: configuration.token != nil).map { delay in
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                guard !Task.isCancelled else { return }
                self?.renewICEServers()
            }
        }
        // The response to an earlier request: the one to the renewal follows.
        guard !state.isTokenRenewalUnderWay else { return }
        state.tokenRenewal?.cancel()
        state.tokenRenewal = servers.tokenRenewalDelay.map { delay in
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                await self?.renewToken()
            }
        }
    }

    private func renewICEServers() {
        // Without a socket nothing is requested: the next welcome contains them, and so does the response to a renewal.
        let isWanted = state.withLock { $0.session.isSignedIn && !$0.isTokenRenewalUnderWay }
        if isWanted { try? requestICEServers() }
    }

    /// Sends another token. If there is none, it is requested repeatedly, until the server closes; the next sign-in reports the
    /// reason.
    private func renewToken() async {
        var backoff = configuration.backoff
        var random = SystemRandomNumberGenerator()
        let isOurs = state.withLock { state in
            guard !Task.isCancelled, state.session.isSignedIn else { return false }
            state.isTokenRenewalUnderWay = true
            return true
        }
        guard isOurs else { return }
        while !Task.isCancelled, isConnected {
            do {
                let token = try await configuration.token?()
                let isWanted = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    // From here on a response may be the one to the renewal.
                    state.isTokenRenewalUnderWay = false
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
            state.ending = error
            state.socket?.drop()
        }
    }
}
