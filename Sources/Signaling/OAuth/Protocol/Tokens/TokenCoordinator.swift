/// Coordinates requests for access tokens: they share a valid token, or one refresh and its result. With rotation, a
/// second refresh with the same refresh token would end the session (RFC 9700, section 4.14).
struct TokenCoordinator: Sendable {
    /// What the caller that needs an access token has to do.
    enum Answer: Sendable, Hashable {
        case use(TokenSet)
        /// Send the refresh request, and report its result with ``finish(_:of:)``. Only one caller receives this.
        case refresh(Secret, Session)
        /// Wait for the refresh in progress, whose result goes to the waiter with this number.
        case wait(Int)
        case signIn
    }

    /// The sign-in that tokens come from. A refresh may outlive it.
    struct Session: Sendable, Hashable {
        fileprivate var number = 0
    }

    private enum State: Sendable {
        case signedOut
        case signedIn
        case refreshing
    }

    private var state = State.signedOut
    private(set) var tokens: TokenSet?
    private(set) var session = Session()
    private var waiters: [Int] = []
    private var next = 0

    init() {}

    var isRefreshing: Bool { state == .refreshing }

    /// Begins a session, and ends the one before.
    ///
    /// - Returns: The waiters for a refresh of the previous session, which receive no tokens.
    @discardableResult
    mutating func signIn(_ tokens: TokenSet) -> [Int] {
        defer { waiters = [] }
        session.number &+= 1
        self.tokens = tokens
        state = .signedIn
        return waiters
    }

    /// - Returns: What there was, to be revoked. A refresh must not be in flight: wait for it first.
    mutating func signOut() -> TokenSet? {
        defer { tokens = nil }
        session.number &+= 1
        state = .signedOut
        return tokens
    }

    /// - Parameters:
    ///   - rejected: An access token that a server did not accept though it should have lasted: it is not given again.
    mutating func ask(now: UnixTime, rejected: Secret? = nil) -> Answer {
        guard let tokens else { return .signIn }
        if state == .refreshing { return .wait(join()) }
        if tokens.isUsable(at: now), tokens.accessToken != rejected { return .use(tokens) }
        guard let refreshToken = tokens.refreshToken else {
            // Still good for some seconds, and nothing better can be had.
            return tokens.isExpired(at: now) || tokens.accessToken == rejected ? .signIn : .use(tokens)
        }
        state = .refreshing
        return .refresh(refreshToken, session)
    }

    /// Joins a refresh that is in flight.
    ///
    /// - Returns: The waiter's number, which ``finish(_:of:)`` names.
    mutating func join() -> Int {
        next &+= 1
        waiters.append(next)
        return next
    }

    enum Result: Sendable {
        case refreshed(TokenSet)
        /// The server says that the session is over.
        case ended
        /// It could not be asked, or its answer could not be checked. In that case there are the tokens from before with the new
        /// refresh token: the old one is spent.
        case failed(TokenSet?)
    }

    /// The refresh that ``Answer/refresh(_:_:)`` asked for is over.
    ///
    /// - Returns: The waiters to tell. Nothing changes, and there are none, when somebody has signed in since.
    mutating func finish(_ result: Result, of session: Session) -> [Int] {
        guard session == self.session else { return [] }
        defer { waiters = [] }
        switch result {
        case .refreshed(let tokens):
            self.tokens = tokens
            state = .signedIn
        case .ended:
            tokens = nil
            state = .signedOut
        case .failed(let rotated):
            tokens = rotated ?? tokens
            state = tokens == nil ? .signedOut : .signedIn
        }
        return waiters
    }
}

/// RFC 6749, section 6.
struct RefreshRequest {
    static func make(
        _ token: Secret, _ configuration: ClientConfiguration, _ metadata: ServerMetadata
    ) -> OAuthRequest {
        configuration.authenticatedPost(
            metadata.tokenEndpoint,
            [("grant_type", "refresh_token"), ("refresh_token", token.value)]
                + configuration.resources.map { ("resource", $0) }, metadata)
    }
}
