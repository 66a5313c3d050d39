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

    /// - Returns: The tokens to revoke. No refresh may be in progress: wait for it first.
    mutating func signOut() -> TokenSet? {
        defer { tokens = nil }
        session.number &+= 1
        state = .signedOut
        return tokens
    }

    /// - Parameters:
    ///   - rejected: An access token that a server has rejected before it expired: it is not returned again.
    mutating func ask(now: UnixTime, rejected: Secret? = nil) -> Answer {
        guard let tokens else { return .signIn }
        if state == .refreshing { return .wait(join()) }
        if tokens.isUsable(at: now), tokens.accessToken != rejected { return .use(tokens) }
        guard let refreshToken = tokens.refreshToken else {
            // The token is valid for some more seconds, and there is no refresh token.
            return tokens.isExpired(at: now) || tokens.accessToken == rejected ? .signIn : .use(tokens)
        }
        state = .refreshing
        return .refresh(refreshToken, session)
    }

    /// Waits for the refresh in progress.
    ///
    /// - Returns: The waiter's number, for ``finish(_:of:)``.
    mutating func join() -> Int {
        next &+= 1
        waiters.append(next)
        return next
    }

    enum Result: Sendable {
        case refreshed(TokenSet)
        /// The server has ended the session.
        case ended
        /// The server could not be reached, or its response could not be verified. In the second case, these are the previous
        /// tokens with the new refresh token, since the old one was used.
        case failed(TokenSet?)
    }

    /// The refresh of ``Answer/refresh(_:_:)`` has ended.
    ///
    /// - Returns: The waiters to resume. If somebody has signed in meanwhile, nothing changes, and there are none.
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

/// The refresh request: RFC 6749, section 6.
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
