internal import RTCCrypto
internal import Synchronization

extension OAuthClient {
    /// What became of a session.
    public struct SignOutOutcome: Sendable, Hashable {
        /// Whether the server took the tokens back. `false` where it could not be asked, and where it has no endpoint
        /// for that: then they end by themselves.
        public let isRevoked: Bool
        /// Whether the person was signed out at the server as well.
        public let isSignedOutAtServer: Bool
    }

    /// Forgets the tokens, revokes them, and signs the person out at the server, if `agent` is given and the server has
    /// a page for that. Nothing is left on this machine, whatever the network does.
    ///
    /// - Throws: ``OAuthError`` of the store; `notSignedIn`; after everything was forgotten, those of the agent and of
    ///   the logout's redirect.
    public func signOut(using agent: (any AuthorizationUserAgent)? = nil) async throws -> SignOutOutcome {
        try await restore()
        let tokens = await takeTokens()
        try await store.remove(storeKey)
        guard let tokens else { throw OAuthError(.notSignedIn, "nobody is signed in") }
        guard let metadata = try? await knowledge.metadata() else {
            return SignOutOutcome(isRevoked: false, isSignedOutAtServer: false)
        }
        let requests = SignOut.revocations(of: tokens, configuration, metadata)
        var isRevoked = !requests.isEmpty
        for request in requests {
            let response = try? await transport.send(request)
            isRevoked = isRevoked && response.map(SignOut.isRevoked) ?? false
        }
        let isSignedOut = try await endSession(tokens, metadata, agent)
        return SignOutOutcome(isRevoked: isRevoked, isSignedOutAtServer: isSignedOut)
    }

    /// - Returns: The tokens, which are nobody's from now on. A refresh in flight is waited for: it brings new ones,
    ///   and those are to be revoked.
    private func takeTokens() async -> TokenSet? {
        while true {
            let taken = state.withLock { $0.keeper.isRefreshing ? nil : Optional.some($0.keeper.signOut()) }
            if let taken { return taken }
            _ = try? await accessToken()
        }
    }

    private func endSession(
        _ tokens: TokenSet, _ metadata: ServerMetadata, _ agent: (any AuthorizationUserAgent)?
    ) async throws -> Bool {
        guard let agent else { return false }
        return try await LoopbackReceiver.whileListening(for: configuration.redirect) { redirect, receiver in
            guard
                let page = SignOut.page(
                    of: tokens, self.configuration, redirect: redirect, metadata, random: SystemRandom())
            else { return false }
            let address = receiver?.detour(to: page.address.description) ?? page.address.description
            let url = try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask { try await agent.present(address, until: redirect) }
                if let receiver { group.addTask { try await receiver.redirect() } }
                group.addTask {
                    try await Task.sleep(for: .seconds(PendingAuthorizations.lifetime))
                    throw OAuthError(.loginExpired, "the sign-out took longer than a quarter of an hour")
                }
                defer { group.cancelAll() }
                guard let url = try await group.next() else { throw CancellationError() }
                return url
            }
            try SignOut.check(url, of: page)
            return true
        }
    }
}
