internal import RTCCrypto

/// The checks of an access token: a JSON Web Token by RFC 9068. Other tokens are opaque to everybody but their server.
struct AccessTokenExpectation: Sendable {
    let issuer: Issuer
    /// This server's identifier: a token for another audience is refused.
    let audience: String
    let algorithms: [SignatureAlgorithm]

    /// - Throws: ``OAuthError``.
    func parse(_ token: Secret) throws(OAuthError) -> SignedToken {
        let signed = try SignedToken(parsing: token, allowed: algorithms)
        // An ID token identifies a user to a client, and authorizes nothing: section 4.
        guard signed.type == "at+jwt" else {
            throw OAuthError(.idTokenMalformed, "the token is no access token (its type is not “at+jwt”)")
        }
        return signed
    }

    /// Refuses a token for reasons that no signature could change. Other claims are not trusted yet.
    func checkUnverified(_ token: Secret, now: UnixTime) throws(OAuthError) {
        try check(parse(token).unverifiedClaims, now: now)
    }

    private func check(_ claims: JSON, now: UnixTime) throws(OAuthError) {
        try TokenClaims.checkIssuer(claims, issuer)
        guard TokenClaims.audience(claims).contains(audience) else {
            throw OAuthError(.wrongAudience, "the access token is for somebody else")
        }
        _ = try TokenClaims.checkTime(claims, now: now)
    }

    /// When a checked token expires.
    static func end(of token: SignedToken) -> UnixTime? {
        token.unverifiedClaims["exp"]?.number.flatMap(UnixTime.init)
    }

    func check(_ token: SignedToken, with keys: KeySet, now: UnixTime) throws(OAuthError) -> Identity {
        let claims = try token.verify(with: keys)
        try check(claims, now: now)
        guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 255 else {
            throw OAuthError(.idTokenMalformed, "the access token does not say who it is")
        }
        return Identity(
            subject: subject, name: claims["name"]?.string, preferredUsername: claims["preferred_username"]?.string,
            email: claims["email"]?.string)
    }
}
