public import OAuth
public import RTCSignaling

/// Authenticates clients by access tokens of an OpenID or OAuth server that are issued for this signalling server.
/// `sub` is the user.
public struct IssuerAuthenticator: Authenticator {
    private let verifier: AccessTokenVerifier

    /// Creates an authenticator.
    ///
    /// - Parameter verifier: The verifier, with the issuer and the audience of this server.
    public init(_ verifier: AccessTokenVerifier) {
        self.verifier = verifier
    }

    public func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
        let token = try hello.requiredToken
        let (identity, end, refusedFrom): (Identity, UnixTime?, UnixTime?)
        do {
            // Other errors are not the client's fault: it may try again.
            (identity, end, refusedFrom) = try await verifier.verifyWithTimes(token)
        } catch let error as OAuthError where error.code.isOfToken {
            throw AuthenticationFailure.wrongToken
        }
        return try AuthenticatedUser(
            identity, as: hello, expiry: refusedFrom?.seconds, credentialEnd: end?.seconds)
    }
}

extension Hello {
    var requiredToken: Secret {
        get throws(AuthenticationFailure) {
            guard let token else { throw AuthenticationFailure(.unauthorized, "The token is missing.") }
            return Secret(token)
        }
    }
}

extension AuthenticationFailure {
    /// The client is not told which check has failed.
    static let wrongToken = Self(.unauthorized, "The token is wrong or not valid at this time.")
}

extension AuthenticatedUser {
    /// The user of a verified token.
    ///
    /// - Throws: ``AuthenticationFailure`` if it is no valid user, or another one than the client claims.
    init(
        _ identity: Identity, as hello: Hello, expiry: Int64?, credentialEnd: Int64? = nil
    ) throws(AuthenticationFailure) {
        guard let user = UserID(rawValue: identity.subject) else {
            throw AuthenticationFailure(.unauthorized, "“sub” of the token cannot be a user of this server.")
        }
        guard hello.user == nil || hello.user == user else {
            throw AuthenticationFailure(.forbidden, "The token belongs to another user.")
        }
        self.init(
            user: user, name: identity.name.flatMap(DisplayName.init(shortening:)), isProven: true, expiry: expiry,
            credentialEnd: credentialEnd)
    }
}
