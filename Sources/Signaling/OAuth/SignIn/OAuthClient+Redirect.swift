internal import Synchronization

extension OAuthClient {
    /// Shows a page, and waits until the browser or view, the loopback listener, or the app that is opened with it receives the
    /// redirect.
    ///
    /// - Parameters:
    ///   - page: The server's page for signing in or out.
    ///   - state: The `state` that the redirect has to contain.
    /// - Returns: The complete URL of the redirect, unchecked.
    func redirect(
        from page: WebAddress, to redirect: RedirectURI, of state: Secret, _ agent: any AuthorizationUserAgent,
        _ receiver: LoopbackReceiver?
    ) async throws -> String {
        let (opened, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        self.state.withLock { $0.openings[state] = continuation }
        defer { self.state.withLock { $0.openings[state] = nil } }
        receiver?.expect(state)
        let address = receiver?.loopbackRedirect(to: page.description) ?? page.description
        return try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await agent.present(address, until: redirect) }
            group.addTask {
                for await url in opened { return url }
                throw CancellationError()
            }
            if let receiver { group.addTask { try await receiver.redirect() } }
            group.addTask {
                try await Task.sleep(for: .seconds(PendingAuthorizations.lifetime))
                throw OAuthError(.loginExpired, "the person took longer than a quarter of an hour: begin again")
            }
            defer { group.cancelAll() }
            guard let url = try await group.next() else { throw CancellationError() }
            return url
        }
    }

    /// Handles a URL with which the system opens the app.
    ///
    /// - Returns: Whether the URL is the redirect of this client, its scheme compared ignoring case. Handle all other
    ///   URLs yourself, also those with the same scheme.
    public func handle(openURL url: String) -> Bool {
        let redirect = configuration.redirect
        guard redirect.kind != .loopback, let address = WebAddress(url), redirect.matches(address) else { return false }
        // Any program can open a URL of the app: one without a known `state` changes nothing. One with a known `state` that is
        // otherwise invalid fails its sign-in.
        if let owner = AuthorizationResponse.state(of: address) {
            _ = state.withLock { $0.openings[owner]?.yield(url) }
        }
        return true
    }
}
