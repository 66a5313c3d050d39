internal import RTCCrypto
internal import RTCWire
internal import Synchronization

/// Signs a person in at one OAuth or OpenID server, keeps the tokens, and renews them.
///
/// ```swift
/// let client = OAuthClient(
///     ClientConfiguration(
///         issuer: try Issuer("https://id.example.org"), clientID: "my-app",
///         redirect: try RedirectURI("com.example.app:/signed-in")))
/// let identity = try await client.signIn(using: SystemBrowser())
/// let token = try await client.accessToken()
/// ```
///
/// One instance serves the whole app: logins may run side by side, and whoever asks for an access token while it is
/// being renewed gets the same new one.
public final class OAuthClient: Sendable {
    public let configuration: ClientConfiguration
    let transport: any OAuthTransport
    let store: any TokenStore
    let now: @Sendable () -> UnixTime
    let knowledge: ServerKnowledge
    let state = Mutex(State())

    struct State: Sendable {
        var pending = PendingAuthorizations()
        var keeper = TokenKeeper()
        /// Whether the store was looked at.
        var isRestored = false
        /// Who waits for a refresh, by the number that the keeper gave.
        var waiters: [Int: CheckedContinuation<TokenSet, any Error>] = [:]
        /// Where addresses that the system opened the app with go, by the `state` of their login.
        var openings: [Secret: AsyncStream<String>.Continuation] = [:]
    }

    /// - Parameters:
    ///   - transport: What sends requests; the system's if it is left out.
    ///   - store: Where tokens are kept; the Keychain or the Secret Service if it is left out.
    ///   - now: The time, for tests.
    public init(
        _ configuration: ClientConfiguration, transport: (any OAuthTransport)? = nil,
        store: (any TokenStore)? = nil, now: (@Sendable () -> UnixTime)? = nil
    ) {
        self.configuration = configuration
        self.transport = transport ?? SystemTransport()
        self.store = store ?? SystemTokenStore()
        self.now = now ?? ServerKnowledge.systemTime
        knowledge = ServerKnowledge(
            configuration.issuer, isOpenID: configuration.isOpenID, transport: self.transport, now: self.now)
    }

    /// Whose tokens these are in the store.
    public var storeKey: TokenStoreKey {
        TokenStoreKey(issuer: configuration.issuer.string, clientID: configuration.clientID)
    }

    /// Shows the server's page in `agent`, and waits for the person.
    ///
    /// - Returns: Who it is; `nil` without OpenID.
    /// - Throws: ``OAuthError``: what failed, or which attack was seen. `CancellationError`.
    @discardableResult
    public func signIn(using agent: any AuthorizationUserAgent) async throws -> Identity? {
        // Whoever has no place to keep tokens learns it before the person has typed a password.
        try await restore()
        let metadata = try await knowledge.metadata()
        return try await LoopbackReceiver.whileListening(for: configuration.redirect) { redirect, receiver in
            let request = try AuthorizationRequest(
                self.configuration, redirect: redirect, metadata: metadata, now: self.now(), random: SystemRandom())
            self.state.withLock { $0.pending.begin(request) }
            defer { self.state.withLock { $0.pending.cancel(request) } }
            async let prepared: Void = self.prepareKeys()
            let url = try await self.redirect(of: request, agent, receiver)
            let code = try self.state.withLock { try $0.pending.redeem(url, of: request, now: self.now()) }
            let exchange = request.exchange(code, self.configuration, metadata)
            let answer = try TokenResponse(
                parsing: try await self.transport.send(exchange), of: metadata.issuer, grant: .code)
            await prepared
            return try await self.finish(answer, metadata, nonce: request.nonce, asked: request.began)
        }
    }

    private func prepareKeys() async {
        if configuration.isOpenID { await knowledge.prepareKeys() }
    }

    /// Waits for whoever sees the redirect first: the browser or view, a port of ours, or the app that is opened by it.
    private func redirect(
        of request: AuthorizationRequest, _ agent: any AuthorizationUserAgent, _ receiver: LoopbackReceiver?
    ) async throws -> String {
        let (opened, continuation) = AsyncStream.makeStream(of: String.self)
        state.withLock { $0.openings[request.state] = continuation }
        defer { state.withLock { $0.openings[request.state] = nil } }
        return try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await agent.present(request.address.description, until: request.redirect) }
            group.addTask {
                for await url in opened { return url }
                throw CancellationError()
            }
            if let receiver { group.addTask { try await receiver.redirect() } }
            group.addTask {
                try await Task.sleep(for: .seconds(PendingAuthorizations.lifetime))
                throw OAuthError(.loginExpired, "the sign-in took longer than a quarter of an hour: begin again")
            }
            defer { group.cancelAll() }
            guard let url = try await group.next() else { throw CancellationError() }
            return url
        }
    }

    /// The app's entry for addresses that the system opens it with.
    ///
    /// - Returns: `false` if the address has another scheme than this app's redirect, compared without case, and is
    ///   somebody else's to handle.
    public func handle(openURL url: String) -> Bool {
        let redirect = configuration.redirect
        guard redirect.kind != .loopback, let address = WebAddress(url), address.hasScheme(redirect.address.scheme)
        else {
            return false
        }
        guard redirect.kind == .customScheme || redirect.matches(address) else { return false }
        state.withLock { state in
            // Anybody can open an address of the app's: one that belongs to no login changes nothing.
            guard let owner = state.pending.owner(of: url, redirect) else { return }
            state.openings[owner]?.yield(url)
        }
        return true
    }

    /// Believes the tokens or refuses them, and keeps those that are believed.
    func finish(
        _ answer: TokenResponse, _ metadata: ServerMetadata, nonce: Secret?, asked: UnixTime
    ) async throws -> Identity? {
        let identity = try await identity(answer, metadata, nonce: nonce, subject: nil, asked: asked)
        if configuration.isOpenID, identity == nil {
            throw OAuthError(.idTokenMissing, "\(metadata.issuer) sent no ID token, though OpenID was asked for")
        }
        let tokens = answer.tokens(identity: identity, now: now())
        try await store.write(tokens.stored, for: storeKey)
        state.withLock {
            $0.keeper.signIn(tokens)
            $0.isRestored = true
        }
        return identity
    }

    /// - Returns: Who an answer's ID token says it is; `nil` if there is none, or nobody asked for one.
    func identity(
        _ answer: TokenResponse, _ metadata: ServerMetadata, nonce: Secret?, subject: String?, asked: UnixTime
    ) async throws -> Identity? {
        guard configuration.isOpenID, let idToken = answer.idToken else { return nil }
        let expectation = IDTokenExpectation(
            issuer: metadata.issuer, clientID: configuration.clientID, nonce: nonce, subject: subject,
            accessToken: answer.accessToken, asked: asked, algorithms: metadata.signatureAlgorithms)
        let signed = try expectation.parse(idToken)
        return try await knowledge.withKeys(metadata) { [now] keys in
            try expectation.check(signed, with: keys, now: now())
        }
    }
}
