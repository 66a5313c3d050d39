internal import RTCCrypto

/// What an access token has to say to let its bearer in: JSON Web Tokens as RFC 9068 makes them. Tokens of other kinds
/// are the server's own secret, and nobody else can read them.
struct AccessTokenExpectation: Sendable {
    let issuer: Issuer
    /// Who we are: a token for somebody else is none for us.
    let audience: String
    let algorithms: [SignatureAlgorithm]

    /// - Throws: ``OAuthError``.
    func parse(_ token: Secret) throws(OAuthError) -> SignedToken {
        let signed = try SignedToken(parsing: token, allowed: algorithms)
        // An ID token tells a client who somebody is, and opens nothing: section 4.
        guard signed.type == "at+jwt" else {
            throw OAuthError(.idTokenMalformed, "the token is no access token (its type is not “at+jwt”)")
        }
        return signed
    }

    /// Refuses what no signature makes good. The rest is not believed yet.
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

    /// When a token that was checked ends, as it says itself.
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
