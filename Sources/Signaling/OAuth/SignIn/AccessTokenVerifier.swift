internal import RTCCrypto

/// Verifies access tokens on a server, such as a signalling server or an API.
///
/// It supports signed access tokens of RFC 9068, fetches the issuer's keys, and fetches them again when they change.
public final class AccessTokenVerifier: Sendable {
    private let audience: String
    private let metadataCache: ServerMetadataCache
    private let now: @Sendable () -> UnixTime

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - audience: The required `aud`: the identifier of this server at the issuer.
    ///   - transport: Fetches the issuer's keys.
    public convenience init(issuer: Issuer, audience: String, transport: SystemTransport = SystemTransport()) {
        let sender: any OAuthTransport = transport
        self.init(issuer: issuer, audience: audience, transport: sender, now: nil)
    }

    /// Creates a verifier with a transport and a clock of a test.
    package init(
        issuer: Issuer, audience: String, transport: any OAuthTransport,
        now: (@Sendable () -> UnixTime)? = nil
    ) {
        self.audience = audience
        self.now = now ?? { .now }
        metadataCache = ServerMetadataCache(issuer, isOpenID: true, transport: transport, now: self.now)
    }

    /// Verifies a token.
    ///
    /// - Throws: ``OAuthError``: the check that failed, or why the issuer's keys could not be fetched.
    ///   ``OAuthError/Code/isOfToken`` tells the two apart.
    public func verify(_ token: Secret) async throws -> Identity { try await verifyWithTimes(token).identity }

    /// - Returns: The identity, the token's `exp`, and the time from which it is refused: a minute later, because of clock
    ///   differences.
    /// - Throws: As ``verify(_:)`` does.
    package func verifyWithTimes(
        _ token: Secret
    ) async throws -> (identity: Identity, end: UnixTime?, refusedFrom: UnixTime?) {
        // Keys are fetched only if the token may be valid for this server.
        try AccessTokenExpectation(
            issuer: metadataCache.issuer, audience: audience, algorithms: SignatureAlgorithm.allCases
        ).checkUnverified(token, now: now())
        let metadata = try await metadataCache.metadata()
        let expectation = AccessTokenExpectation(
            issuer: metadata.issuer, audience: audience, algorithms: metadata.signatureAlgorithms)
        let signed = try expectation.parse(token)
        let identity = try await metadataCache.withKeys(metadata) { [now] keys in
            try expectation.check(signed, with: keys, now: now())
        }
        let end = AccessTokenExpectation.end(of: signed)
        return (identity, end, end.map { $0 + ClientConfiguration.clockTolerance })
    }
}
