internal import RTCCrypto
internal import RTCTransport
package import RTCWire

/// An authorization request, with the secrets to verify its response. It exists until its redirect arrives.
///
/// Its description contains no secrets: with `state`, `nonce` and challenge, an attacker could inject a response of
/// their own.
package struct AuthorizationRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    package let redirect: RedirectURI
    /// The URL to open in a browser.
    package let address: WebAddress
    let issuer: Issuer
    let namesIssuer: Bool
    let state: Secret
    let nonce: Secret?
    let verifier: CodeVerifier
    let began: UnixTime

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - redirect: The configured redirect URI, or that with the port of the listener.
    ///   - random: A cryptographically secure generator.
    /// - Throws: ``OAuthError`` `unsupported`.
    package init(
        _ configuration: ClientConfiguration, redirect: RedirectURI, metadata: ServerMetadata, now: UnixTime,
        random: any RandomSource
    ) throws(OAuthError) {
        guard let endpoint = metadata.authorizationEndpoint else {
            throw OAuthError(.unsupported, "\(metadata.issuer) has no page to sign in at: try a device login")
        }
        self.redirect = redirect
        issuer = metadata.issuer
        namesIssuer = metadata.namesIssuerInRedirects
        state = Secret(Base64.encode(random.bytes(32), as: .url))
        nonce = configuration.isOpenID ? Secret(Base64.encode(random.bytes(32), as: .url)) : nil
        verifier = CodeVerifier(random: random)
        began = now
        var parameters = [
            ("response_type", "code"), ("client_id", configuration.clientID), ("redirect_uri", redirect.string),
            ("state", state.value), ("code_challenge", verifier.challenge), ("code_challenge_method", "S256"),
        ]
        if !configuration.scopes.isEmpty {
            parameters.append(("scope", configuration.scopes.joined(separator: " ")))
        }
        if let nonce { parameters.append(("nonce", nonce.value)) }
        parameters += configuration.resources.map { ("resource", $0) }
        let taken = Set(parameters.map(\.0)).union(["request", "request_uri", "response_mode", "nonce"])
        parameters += configuration.parameters.filter { !taken.contains($0.key) }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
        let query = (endpoint.query.map { $0 + "&" } ?? "") + FormEncoding.encode(parameters.map { ($0.0, $0.1) })
        guard let address = WebAddress(endpoint.withoutQuery + "?" + query) else {
            throw OAuthError(.badConfiguration, "the authorization request is longer than an address may be")
        }
        self.address = address
    }

    package var description: String { "sign-in at \(address.withoutQuery)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The token request that exchanges a code: RFC 6749, section 4.1.3, and RFC 7636, section 4.5.
    func exchange(
        _ code: Secret, _ configuration: ClientConfiguration, _ metadata: ServerMetadata
    ) -> OAuthRequest {
        configuration.authenticatedPost(
            metadata.tokenEndpoint,
            [
                ("grant_type", "authorization_code"), ("code", code.value), ("redirect_uri", redirect.string),
                ("code_verifier", verifier.secret.value),
            ] + configuration.resources.map { ("resource", $0) }, metadata)
    }
}

/// Proof Key for Code Exchange with S256, which is always used: RFC 7636. Without it an intercepted code is useless.
struct CodeVerifier: Sendable, Hashable {
    let secret: Secret

    /// 43 characters from 32 random bytes: section 4.1.
    init(random: any RandomSource) {
        secret = Secret(Base64.encode(random.bytes(32), as: .url))
    }

    init(_ secret: Secret) {
        self.secret = secret
    }

    /// Section 4.2.
    var challenge: String { Base64.encode(SHA2.sha256(Array(secret.value.utf8)), as: .url) }
}

/// The digests used for PKCE and tokens.
enum SHA2 {
    static func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(.sha256, bytes) }

    static func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { BoringCrypto().digest(algorithm, of: RawSpan(_unsafeBytes: $0)) ?? [] }
    }
}
