internal import RTCCrypto
internal import Synchronization

extension OAuthClient {
    /// The result of a sign-out.
    public struct SignOutOutcome: Sendable, Hashable {
        /// Whether the server revoked the tokens. `false` if it could not be reached, or has no such endpoint: the
        /// tokens then expire.
        public let isRevoked: Bool
        /// Whether the person was signed out at the server too.
        public let isSignedOutAtServer: Bool
    }

    /// Deletes the tokens and revokes them, and signs the person out at the server if `agent` is given and the server
    /// supports it. The tokens on this machine are deleted in any case.
    ///
    /// - Throws: ``OAuthError`` of the store; `notSignedIn`; after the tokens were deleted, errors of the agent and of
    ///   the logout redirect.
    public func signOut(using agent: (any AuthorizationUserAgent)? = nil) async throws -> SignOutOutcome {
        try await restore()
        let own = await takeTokens()
        let stored = try await takeStored(belongingTo: own)
        let unwritten = state.withLock { $0.unwritten.take() }
        // The tokens may have been refreshed by another process, or by this one without being stored.
        let isSpent = unwritten != nil && stored?.refreshToken == unwritten?.usedRefreshToken
        guard let tokens = isSpent ? own : stored ?? own else { throw OAuthError(.notSignedIn, "nobody is signed in") }
        guard let metadata = try? await metadataCache.metadata() else {
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

    /// - Returns: The tokens to revoke. Waits for a refresh in progress, whose new tokens have to be revoked.
    private func takeTokens() async -> TokenSet? {
        while true {
            let taken = state.withLock { $0.coordinator.isRefreshing ? nil : Optional.some($0.coordinator.signOut()) }
            if let taken { return taken }
            await waitForRefresh()
        }
    }

    /// Empties the store after a refresh in another process has stored its result. Tokens that another user has stored are kept.
    private func takeStored(belongingTo own: TokenSet?) async throws -> TokenSet? {
        let take: @Sendable () async throws -> TokenSet? = {
            let stored = try await self.store.read(self.storeKey).flatMap(TokenSet.init(stored:))
            if let own, let stored, own.identity?.subject != stored.identity?.subject { return nil }
            try await self.store.remove(self.storeKey)
            return stored
        }
        do {
            return try await store.exclusively(storeKey, take)
        } catch let error as OAuthError where error.code == .tokenStoreFailed {
            // Without a turn, the tokens are removed nevertheless.
            return try await take()
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
            let url = try await self.redirect(from: page.address, to: redirect, of: page.state, agent, receiver)
            try SignOut.check(url, of: page)
            return true
        }
    }
}
