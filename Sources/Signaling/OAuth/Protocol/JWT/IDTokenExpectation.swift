internal import RTCCrypto
internal import RTCTransport
internal import RTCWire

/// The checks of an ID token: OpenID Connect Core 1.0, section 3.1.3.7 after a sign-in, section 12.2 after a refresh.
struct IDTokenExpectation: Sendable {
    let issuer: Issuer
    let clientID: String
    /// The nonce of the sign-in; `nil` after a refresh, and in the device flow, which has none.
    let nonce: Secret?
    /// The required subject; `nil` after a sign-in.
    let subject: String?
    /// The access token of the same response.
    let accessToken: Secret
    /// When the token was requested.
    let asked: UnixTime
    let algorithms: [SignatureAlgorithm]

    /// An older token is no response to the request. The tolerance includes the time that the person spends at the server, which
    /// may issue the token before the code is exchanged.
    private static let oldest: Int64 = 600

    func parse(_ token: Secret) throws(OAuthError) -> SignedToken {
        let signed = try SignedToken(parsing: token, allowed: algorithms)
        // Access tokens and logout tokens are refused: RFC 8725, section 3.11.
        guard signed.type == nil || signed.type == "jwt" else {
            throw OAuthError(.idTokenMalformed, "the token is no ID token but one of another type")
        }
        return signed
    }

    /// - Throws: ``OAuthError``: one of those of the ID token.
    func check(_ token: SignedToken, with keys: KeySet, now: UnixTime) throws(OAuthError) -> Identity {
        let claims = try token.verify(with: keys)
        try TokenClaims.checkIssuer(claims, issuer)
        try checkAudience(claims)
        let issued = try TokenClaims.checkTime(claims, now: now)
        guard let issued else {
            throw OAuthError(.idTokenMalformed, "the ID token does not say when it was issued")
        }
        guard issued + Self.oldest > asked else {
            throw OAuthError(.tokenTooOld, "the ID token is older than the login")
        }
        try checkNonce(claims)
        try checkAccessToken(claims, token.algorithm)
        guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 255 else {
            throw OAuthError(.idTokenMalformed, "the ID token does not say who it is")
        }
        guard self.subject == nil || self.subject == subject else {
            throw OAuthError(.subjectChanged, "after the refresh the token is another person's")
        }
        return Identity(
            subject: subject, name: claims["name"]?.string, preferredUsername: claims["preferred_username"]?.string,
            email: claims["email"]?.string)
    }

    private func checkAudience(_ claims: JSON) throws(OAuthError) {
        let audience = TokenClaims.audience(claims)
        guard audience.contains(clientID) else {
            throw OAuthError(.wrongAudience, "the ID token was issued to another client")
        }
        let party = claims["azp"]?.string
        guard party == clientID || (claims["azp"] == nil && audience.count == 1) else {
            throw OAuthError(.wrongAuthorizedParty, "the ID token was issued at the wish of another client")
        }
    }

    private func checkNonce(_ claims: JSON) throws(OAuthError) {
        guard let nonce else { return }
        guard let given = claims["nonce"] else {
            throw OAuthError(.nonceMissing, "the ID token does not name the login that it belongs to")
        }
        guard let text = given.string, Secret(text) == nonce else {
            throw OAuthError(.nonceMismatch, "the ID token belongs to another login")
        }
    }

    /// Checks `at_hash`: section 3.1.3.6. It may be missing in the code flow, but must match if it is there.
    private func checkAccessToken(_ claims: JSON, _ algorithm: SignatureAlgorithm) throws(OAuthError) {
        guard let given = claims["at_hash"] else { return }
        let digest = SHA2.digest(algorithm.digest, Array(accessToken.value.utf8))
        guard given.string == Base64.encode(digest.prefix(digest.count / 2), as: .url) else {
            throw OAuthError(.accessTokenSwapped, "the access token is another one than the ID token was issued with")
        }
    }
}

/// Claims that all tokens share: RFC 7519, section 4.1.
enum TokenClaims {
    static func checkIssuer(_ claims: JSON, _ issuer: Issuer) throws(OAuthError) {
        guard let name = claims["iss"]?.string, name.utf8.elementsEqual(issuer.string.utf8) else {
            throw OAuthError(.wrongIssuer, "the token was issued by another server than \(issuer)")
        }
    }

    static func audience(_ claims: JSON) -> [String] {
        claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
    }

    /// - Returns: When the token was issued, if known.
    /// - Throws: ``OAuthError`` `idTokenMalformed`, `tokenExpired`, `tokenNotYetValid`.
    static func checkTime(_ claims: JSON, now: UnixTime) throws(OAuthError) -> UnixTime? {
        let tolerance = ClientConfiguration.clockTolerance
        guard let expiry = claims["exp"]?.number.flatMap(UnixTime.init) else {
            throw OAuthError(.idTokenMalformed, "the token does not say when it ends")
        }
        guard now < expiry + tolerance else {
            throw OAuthError(.tokenExpired, "the token has expired; is this machine's clock right?")
        }
        let issued = claims["iat"]?.number.flatMap(UnixTime.init)
        let start = claims["nbf"]?.number.flatMap(UnixTime.init)
        for time in [issued, start].compactMap({ $0 }) where time > now + tolerance {
            throw OAuthError(.tokenNotYetValid, "the token is of the future; is this machine's clock right?")
        }
        return issued
    }
}

extension SignatureAlgorithm {
    /// The digest of the signature algorithm, which `at_hash` uses too. Ed25519's is SHA-512.
    fileprivate var digest: DigestAlgorithm {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }
}
