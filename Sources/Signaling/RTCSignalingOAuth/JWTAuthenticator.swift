internal import OAuth
public import RTCSignaling

/// Authenticates clients by JSON Web Tokens (RFC 7519) that are verified with a configured key. `sub` is the user;
/// `exp` is required.
public struct JWTAuthenticator: ImmediateAuthenticator {
    private let verifier: TokenVerifier

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - key: A public key in PEM (P-256, P-384, P-521, Ed25519 or RSA), a set of keys in JSON (JWKS), or a secret of
    ///     at least 32 bytes for HMAC with SHA-256.
    ///   - audience: The required `aud`. With `nil`, a token that names an audience is refused: it is for another service.
    /// - Throws: ``SignalingServerError``
    public init(key: String, audience: String? = nil) throws(SignalingServerError) {
        do {
            verifier = try TokenVerifier(key: key, audience: audience)
        } catch {
            throw .setting(error.message)
        }
    }

    package func authenticateNow(_ hello: Hello) throws(AuthenticationFailure) -> AuthenticatedUser {
        let token = try hello.requiredToken
        let time = UnixTime.now
        let (identity, end): (Identity, UnixTime)
        do {
            (identity, end) = try verifier.verifyWithEnd(token, at: time)
        } catch {
            throw .wrongToken
        }
        return try AuthenticatedUser(identity, as: hello, expiry: end.seconds)
    }
}
