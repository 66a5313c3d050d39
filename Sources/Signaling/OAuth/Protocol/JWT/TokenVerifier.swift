/// Verifies JSON Web Tokens (RFC 7519) with configured keys, without contacting an issuer.
///
/// For access tokens of an OAuth server, whose keys change, use ``AccessTokenVerifier``.
package struct TokenVerifier: Sendable {
    private let keys: TokenKeys
    private let audience: String?

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - key: A public key in PEM (P-256, P-384, P-521, Ed25519, or RSA for RS256), a set of public keys in JSON
    ///     (JWKS, RFC 7517), or a secret of at least 32 bytes for HMAC with SHA-256 (HS256).
    ///   - audience: The required `aud`. With `nil`, a token must not have one: what is issued for somebody else is
    ///     refused (RFC 7519, section 4.1.3).
    /// - Throws: ``OAuthError`` `badConfiguration`, which says why the key is invalid.
    package init(key: String, audience: String? = nil) throws(OAuthError) {
        keys = try TokenKeys(parsing: key)
        self.audience = audience
    }

    /// Verifies a token: its signature, `exp`, which is required, `nbf`, and `aud`, without tolerance for clock
    /// differences.
    ///
    /// - Parameter time: The current time.
    /// - Returns: The identity: `sub` and, if present, `name`, `preferred_username` and `email`.
    /// - Throws: ``OAuthError``: the check that failed.
    package func verify(_ token: Secret, at time: UnixTime) throws(OAuthError) -> Identity {
        try verifyWithEnd(token, at: time).identity
    }

    /// - Returns: The identity, and when the token expires.
    /// - Throws: As ``verify(_:at:)`` does.
    package func verifyWithEnd(
        _ token: Secret, at time: UnixTime
    ) throws(OAuthError) -> (identity: Identity, end: UnixTime) {
        let (type, claims) = try keys.verify(token)
        // A logout token or a proof of possession does not sign in (RFC 8725, section 3.11).
        guard type == nil || type == "jwt" || type == "at+jwt" else {
            throw OAuthError(.idTokenMalformed, "the token is of another type")
        }
        let end = try Self.end(of: claims, at: time)
        try checkAudience(claims)
        guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 255 else {
            throw OAuthError(.idTokenMalformed, "the token does not say who it is")
        }
        let identity = Identity(
            subject: subject, name: claims["name"]?.string, preferredUsername: claims["preferred_username"]?.string,
            email: claims["email"]?.string)
        return (identity, end)
    }

    private static func end(of claims: JSON, at time: UnixTime) throws(OAuthError) -> UnixTime {
        guard let end = claims["exp"]?.number.flatMap(UnixTime.init) else {
            throw OAuthError(.idTokenMalformed, "the token does not say when it ends")
        }
        guard time < end else {
            throw OAuthError(.tokenExpired, "the token has expired; is this machine's clock right?")
        }
        guard let start = claims["nbf"] else { return end }
        guard let start = start.number.flatMap(UnixTime.init) else {
            throw OAuthError(.idTokenMalformed, "the token does not say from when on it counts")
        }
        guard start <= time else {
            throw OAuthError(.tokenNotYetValid, "the token is of the future; is this machine's clock right?")
        }
        return end
    }

    private func checkAudience(_ claims: JSON) throws(OAuthError) {
        let named = TokenClaims.audience(claims)
        guard claims["aud"] == nil || !named.isEmpty else {
            throw OAuthError(.idTokenMalformed, "the token does not say whom it is for")
        }
        guard audience.map(named.contains) ?? named.isEmpty else {
            throw OAuthError(.wrongAudience, "the token is for somebody else")
        }
    }
}
