internal import RTCCrypto
internal import RTCWire
internal import Synchronization

/// Signs a person in at an OAuth or OpenID Connect server, stores the tokens, and refreshes them.
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
/// One instance serves the whole app: several sign-ins may be in progress at once, and concurrent requests for an
/// access token share one refresh.
public final class OAuthClient: Sendable {
    public let configuration: ClientConfiguration
    let transport: any OAuthTransport
    let store: any TokenStore
    let now: @Sendable () -> UnixTime
    let metadataCache: ServerMetadataCache
    /// Waits for a time; a test may skip it.
    let sleep: @Sendable (Duration) async throws -> Void
    let state = Mutex(State())

    struct State: Sendable {
        var pending = PendingAuthorizations()
        var coordinator = TokenCoordinator()
        /// Whether the store was read.
        var isRestored = false
        /// The tokens of a refresh that could not be stored.
        var unwritten: UnwrittenTokens?
        var isWritingAgain = false
        /// The waiters for a refresh, by the number that the coordinator assigned.
        var waiters: [Int: CheckedContinuation<TokenSet, any Error>] = [:]
        /// Receives the URLs with which the system opened the app, by the `state` of their sign-in or sign-out.
        var openings: [Secret: AsyncStream<String>.Continuation] = [:]
    }

    struct UnwrittenTokens: Sendable {
        let tokens: TokenSet
        let session: TokenCoordinator.Session
        /// The used refresh token that is still in the store.
        let usedRefreshToken: Secret?
        /// Whether the store was emptied, and not written since.
        var isStoreEmptied = false
    }

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - transport: Sends requests.
    ///   - store: Stores tokens; by default the Keychain or the Secret Service.
    public convenience init(
        _ configuration: ClientConfiguration, transport: SystemTransport = SystemTransport(),
        store: (any TokenStore)? = nil
    ) {
        let sender: any OAuthTransport = transport
        self.init(configuration, transport: sender, store: store, now: nil)
    }

    /// Creates a client with a transport and a clock of a test.
    package convenience init(
        _ configuration: ClientConfiguration, transport: (any OAuthTransport)?,
        store: (any TokenStore)? = nil, now: (@Sendable () -> UnixTime)? = nil
    ) {
        self.init(
            configuration, transport: transport, store: store, now: now, sleep: { try await Task.sleep(for: $0) })
    }

    init(
        _ configuration: ClientConfiguration, transport: (any OAuthTransport)?, store: (any TokenStore)?,
        now: (@Sendable () -> UnixTime)?, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.configuration = configuration
        self.transport = transport ?? SystemTransport()
        self.store = store ?? SystemTokenStore()
        self.now = now ?? { .now }
        self.sleep = sleep
        metadataCache = ServerMetadataCache(
            configuration.issuer,
            configured: configuration.endpoints.map { ServerMetadata($0, of: configuration.issuer) },
            isOpenID: configuration.isOpenID, transport: self.transport, now: self.now)
    }

    /// The key of this client's tokens in the store.
    package var storeKey: TokenStoreKey {
        TokenStoreKey(issuer: configuration.issuer.string, clientID: configuration.clientID)
    }

    /// The file with the tokens, if they are in a file.
    package var tokenFile: String? { (store as? FileTokenStore)?.path }

    /// Shows the server's sign-in page in `agent`, and waits for the person.
    ///
    /// - Returns: The identity; `nil` without OpenID Connect and without ``ServerEndpoints/userInfo``.
    /// - Throws: ``OAuthError``: what failed, or which attack was detected. `CancellationError`.
    @discardableResult
    public func signIn(using agent: any AuthorizationUserAgent) async throws -> Identity? {
        // Fails before the person enters a password if there is no token store.
        try await restore()
        let metadata = try await metadataCache.metadata()
        return try await LoopbackReceiver.whileListening(for: configuration.redirect) { redirect, receiver in
            let request = try AuthorizationRequest(
                self.configuration, redirect: redirect, metadata: metadata, now: self.now(), random: SystemRandom())
            self.state.withLock { $0.pending.begin(request) }
            defer { self.state.withLock { $0.pending.cancel(request) } }
            async let prepared: Void = self.prepareKeys()
            let url = try await self.redirect(
                from: request.address, to: request.redirect, of: request.state, agent, receiver)
            let code = try self.state.withLock { try $0.pending.redeem(url, of: request, now: self.now()) }
            await prepared
            try await self.requireKeys(metadata)
            let exchange = request.exchange(code, self.configuration, metadata)
            let answer = try TokenResponse(
                parsing: try await self.transport.send(exchange), of: metadata.issuer, grant: .code)
            return try await self.finish(answer, metadata, nonce: request.nonce, asked: request.began)
        }
    }

    private func prepareKeys() async {
        if configuration.isOpenID { await metadataCache.prepareKeys() }
    }

    /// Fetches the keys before the code is exchanged, which is possible only once: without keys its ID token could not be
    /// verified.
    private func requireKeys(_ metadata: ServerMetadata) async throws {
        guard configuration.isOpenID else { return }
        try await retryingWhileBusy { try await self.metadataCache.requireKeys(metadata) }
    }

    /// Repeats a request while the server is busy.
    private func retryingWhileBusy<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        for pause in Self.pauses {
            do {
                return try await body()
            } catch let error as OAuthError where error.code.isTransient {
                try await sleep(pause)
            }
        }
        return try await body()
    }

    /// The pauses before a code is sent again, which is valid for about ten minutes: RFC 6749, section 4.1.2.
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

    /// Verifies the tokens, and stores them.
    func finish(
        _ answer: TokenResponse, _ metadata: ServerMetadata, nonce: Secret?, asked: UnixTime
    ) async throws -> Identity? {
        var identity = try await identity(answer, metadata, nonce: nonce, subject: nil, asked: asked)
        if configuration.isOpenID, identity == nil {
            throw OAuthError(.idTokenMissing, "\(metadata.issuer) sent no ID token, though OpenID was asked for")
        }
        if identity == nil { identity = try await userInfo(answer.accessToken, metadata) }
        let tokens = answer.tokens(identity: identity, now: now())
        do {
            try await store.exclusively(storeKey) { try await self.store.write(tokens.stored, for: self.storeKey) }
        } catch let error as OAuthError where error.code == .tokenStoreFailed {
            // Without a turn. Another process that stores tokens later has those of an earlier session.
            try await store.write(tokens.stored, for: storeKey)
        }
        let (left, isAnother) = state.withLock { state in
            let before = state.coordinator.tokens?.identity?.subject
            state.isRestored = true
            state.unwritten = nil
            let left = state.coordinator.signIn(tokens).compactMap { state.waiters.removeValue(forKey: $0) }
            return (left, before != nil && before != identity?.subject)
        }
        let told: Result<TokenSet, any Error> =
            isAnother
            ? .failure(OAuthError(.subjectChanged, "somebody else signed in while the token was renewed"))
            : .success(tokens)
        for waiter in left { waiter.resume(with: told) }
        return identity
    }

    /// - Returns: The identity from the user info of a server without OpenID; `nil` if it has no such endpoint.
    private func userInfo(_ token: Secret, _ metadata: ServerMetadata) async throws -> Identity? {
        guard let endpoint = metadata.userInfoEndpoint else { return nil }
        return try await retryingWhileBusy {
            try UserInfo.identity(
                parsing: try await self.transport.send(UserInfo.request(endpoint, token)), of: metadata.issuer,
                subject: metadata.subjectMember)
        }
    }

    /// - Returns: The identity from the ID token of a response; `nil` if there is none, or none was requested.
    func identity(
        _ answer: TokenResponse, _ metadata: ServerMetadata, nonce: Secret?, subject: String?, asked: UnixTime
    ) async throws -> Identity? {
        guard configuration.isOpenID, let idToken = answer.idToken else { return nil }
        let expectation = IDTokenExpectation(
            issuer: metadata.issuer, clientID: configuration.clientID, nonce: nonce, subject: subject,
            accessToken: answer.accessToken, asked: asked, algorithms: metadata.signatureAlgorithms)
        let signed = try expectation.parse(idToken)
        return try await metadataCache.withKeys(metadata) { [now] keys in
            try expectation.check(signed, with: keys, now: now())
        }
    }
}
