/// Decides who a client is.
public protocol Authenticator: Sendable {
    /// - Throws: ``AuthenticationFailure`` if the client may not sign in. Other errors count as the server's own fault:
    ///   ``AuthenticationUnavailable`` says when it may be over.
    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser

    /// Whether a user may invite another, see its presence and send it signals. Asked often: it has to be fast.
    func mayReach(_ user: UserID, by other: UserID) -> Bool
}

extension Authenticator {
    public func mayReach(_ user: UserID, by other: UserID) -> Bool { true }
}

/// One that needs to wait for nothing.
protocol ImmediateAuthenticator: Authenticator {
    func authenticateNow(_ hello: Hello) throws(AuthenticationFailure) -> AuthenticatedUser
}

extension ImmediateAuthenticator {
    public func authenticate(_ hello: Hello) async throws -> AuthenticatedUser { try authenticateNow(hello) }
}

public struct AuthenticatedUser: Hashable, Sendable {
    public var user: UserID
    /// In place of the name that the client gave itself. From one who is proven it counts as proven too; `nil`: the client may
    /// call itself what it likes.
    public var name: DisplayName?
    /// Whether the client proved to be that user. One who did may take its device over from an older session.
    public var isProven: Bool
    /// When the proof ends, in seconds since 1970. The socket ends then, and so do credentials for relays, unless the client shows
    /// another token before.
    public var expiry: Int64?
    /// When credentials for relays end at the latest, in seconds since 1970: the token's own end, where the proof is believed for a
    /// little longer since clocks differ. `nil`: when the proof ends.
    public var credentialEnd: Int64?

    public init(
        user: UserID, name: DisplayName? = nil, isProven: Bool, expiry: Int64? = nil, credentialEnd: Int64? = nil
    ) {
        self.user = user
        self.name = name
        self.isProven = isProven
        self.expiry = expiry
        self.credentialEnd = credentialEnd
    }
}

/// Thrown by an ``Authenticator`` that cannot tell at this moment who a client is.
public struct AuthenticationUnavailable: Error, Hashable, Sendable {
    /// When another try may help; the client is told.
    public var retryAfter: Duration
    /// For the log.
    public var message: String

    public init(retryAfter: Duration, _ message: String) {
        self.retryAfter = retryAfter
        self.message = message
    }
}

public struct AuthenticationFailure: Error, Hashable, Sendable {
    /// `unauthorized` or `forbidden`.
    public var code: SignalingErrorCode
    /// Told to the client.
    public var message: String

    public init(_ code: SignalingErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Everybody is who they say they are. For demonstrations.
public struct OpenAuthenticator: ImmediateAuthenticator {
    public init() {}

    func authenticateNow(_ hello: Hello) throws(AuthenticationFailure) -> AuthenticatedUser {
        guard let user = hello.user else {
            throw AuthenticationFailure(.unauthorized, "Say which user you are.")
        }
        return AuthenticatedUser(user: user, isProven: false)
    }
}

/// Tokens that were handed out beforehand, each to one user.
public struct TokenAuthenticator: ImmediateAuthenticator {
    private let users: [String: UserID]

    public init(tokens users: [String: UserID]) {
        self.users = users
    }

    /// Reads lines of a user and its token, with white space between them. What follows `#` is a comment.
    ///
    /// - Throws: ``TokenFileError``
    public init(parsing text: String) throws(TokenFileError) {
        var users: [String: UserID] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard !words.isEmpty else { continue }
            guard words.count == 2, let user = UserID(rawValue: words[0]) else {
                throw TokenFileError("line \(index + 1) is not a user and a token")
            }
            guard words[1].utf8.count >= 16 else {
                throw TokenFileError("the token in line \(index + 1) is shorter than 16 characters")
            }
            guard users.updateValue(user, forKey: words[1]) == nil else {
                throw TokenFileError("the token in line \(index + 1) is there twice")
            }
        }
        guard !users.isEmpty else { throw TokenFileError("there is no token in it") }
        self.users = users
    }

    func authenticateNow(_ hello: Hello) throws(AuthenticationFailure) -> AuthenticatedUser {
        // Found by a hash with a secret seed, so that the time it takes tells nothing of a token that is nearly right.
        guard let token = hello.token, let user = users[token] else {
            throw AuthenticationFailure(.unauthorized, "The token is missing or wrong.")
        }
        guard hello.user == nil || hello.user == user else {
            throw AuthenticationFailure(.forbidden, "The token belongs to another user.")
        }
        return AuthenticatedUser(user: user, isProven: true)
    }
}

public struct TokenFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    init(_ description: String) {
        self.description = description
    }
}
