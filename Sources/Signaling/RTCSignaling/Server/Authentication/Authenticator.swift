public import RTCWire

/// Authenticates clients.
public protocol Authenticator: Sendable {
    /// Authenticates a client.
    ///
    /// - Throws: ``AuthenticationFailure`` if the client may not sign in. Other errors count as internal errors of the
    ///   server: ``AuthenticationUnavailable`` says when to try again.
    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser

    /// Returns whether a user may invite another, observe its presence and send it signals. Called often: it has to be
    /// fast.
    func mayReach(_ user: UserID, by other: UserID) -> Bool
}

extension Authenticator {
    public func mayReach(_ user: UserID, by other: UserID) -> Bool { true }
}

/// An authenticator that never suspends.
package protocol ImmediateAuthenticator: Authenticator {
    func authenticateNow(_ hello: Hello) throws(AuthenticationFailure) -> AuthenticatedUser
}

extension ImmediateAuthenticator {
    public func authenticate(_ hello: Hello) async throws -> AuthenticatedUser { try authenticateNow(hello) }
}

public struct AuthenticatedUser: Hashable, Sendable {
    public var user: UserID
    /// The display name, in place of the one that the client chose. It counts as verified if the user is proven; `nil`
    /// lets the client choose.
    public var name: DisplayName?
    /// Whether the client has proved to be that user. It may then replace an older session of its device.
    package var isProven: Bool
    /// The expiry of the credential, in seconds since 1970. The connection and the TURN credentials end then, unless
    /// the client renews its token.
    package var expiry: Int64?
    /// The latest expiry of TURN credentials, in seconds since 1970: that of the token, if the credential is accepted a
    /// little longer to allow for clock differences. `nil` for ``expiry``.
    package var credentialEnd: Int64?

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

/// Thrown by an ``Authenticator`` that cannot authenticate clients at present.
public struct AuthenticationUnavailable: Error, Hashable, Sendable {
    /// The time after which to try again, which the client learns.
    package var retryAfter: Duration
    /// A message for the log.
    package var message: String

    public init(retryAfter: Duration, _ message: String) {
        self.retryAfter = retryAfter
        self.message = message
    }
}

public struct AuthenticationFailure: Error, Hashable, Sendable {
    /// `unauthorized` or `forbidden`.
    public var code: SignalingErrorCode
    /// The message that the client receives.
    public var message: String

    public init(_ code: SignalingErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Accepts every client without a credential. For demonstrations.
public struct OpenAuthenticator: ImmediateAuthenticator {
    public init() {}

    package func authenticateNow(_ hello: Hello) throws(AuthenticationFailure) -> AuthenticatedUser {
        guard let user = hello.user else {
            throw AuthenticationFailure(.unauthorized, "Say which user you are.")
        }
        return AuthenticatedUser(user: user, isProven: false)
    }
}

/// Authenticates clients by fixed tokens, each of one user.
public struct TokenAuthenticator: ImmediateAuthenticator {
    private let users: [String: UserID]

    public init(tokens users: [String: UserID]) {
        self.users = users
    }

    /// Parses lines with a user and its token, separated by white space. `#` begins a comment.
    ///
    /// - Throws: ``SignalingServerError``
    public init(parsing text: String) throws(SignalingServerError) {
        var users: [String: UserID] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard !words.isEmpty else { continue }
            guard words.count == 2, let user = UserID(rawValue: words[0]) else {
                throw .setting("line \(index + 1) is not a user and a token")
            }
            guard words[1].utf8.count >= 16 else {
                throw .setting("the token in line \(index + 1) is shorter than 16 characters")
            }
            guard users.updateValue(user, forKey: words[1]) == nil else {
                throw .setting("the token in line \(index + 1) is there twice")
            }
        }
        guard !users.isEmpty else { throw .setting("there is no token in it") }
        self.users = users
    }

    package func authenticateNow(_ hello: Hello) throws(AuthenticationFailure) -> AuthenticatedUser {
        // Looked up by a hash with a secret seed, so that the time reveals nothing about similar tokens.
        guard let token = hello.token, let user = users[token] else {
            throw AuthenticationFailure(.unauthorized, "The token is missing or wrong.")
        }
        guard hello.user == nil || hello.user == user else {
            throw AuthenticationFailure(.forbidden, "The token belongs to another user.")
        }
        return AuthenticatedUser(user: user, isProven: true)
    }
}

extension TokenAuthenticator: Confidential {
    /// A description without the tokens, so that it can be logged.
    public var description: String { "\(users.count) tokens" }
}
