/// A response of the token endpoint: RFC 6749, section 5.
struct TokenResponse: Sendable, Hashable {
    let accessToken: Secret
    /// In seconds.
    let lifetime: Int64?
    let refreshToken: Secret?
    let idToken: Secret?
    let scopes: [String]?

    /// The grant of the request, which determines the meaning of a refusal.
    enum Grant: Sendable {
        case code
        case refresh
        case device
    }

    /// A refusal in the device flow that only means “not yet”: RFC 8628, section 3.5.
    enum Pending: Sendable, Hashable {
        case pending
        case slowDown
    }

    /// - Throws: ``OAuthError`` `codeRefused`, `refreshRefused`, `clientRefused`, `tokenRefused`, `badTokenResponse`.
    init(parsing response: OAuthResponse, of issuer: Issuer, grant: Grant) throws(OAuthError) {
        let document = JSON(response.body)
        guard response.status == 200 else {
            throw Self.refusal(document?["error"]?.string, response.status, issuer, grant)
        }
        guard let document, let access = document["access_token"]?.string, Self.isToken(access) else {
            throw OAuthError(.badTokenResponse, "\(issuer) answers without an access token")
        }
        // The type determines how a token is used; a client must not use one of an unknown type (section 7.1).
        guard document["token_type"]?.string?.lowercased() == "bearer" else {
            throw OAuthError(.badTokenResponse, "the token of \(issuer) is of a type that is not known here")
        }
        accessToken = Secret(access)
        lifetime = document["expires_in"]?.number.flatMap { UnixTime($0)?.seconds }.map { max(0, $0) }
        refreshToken = document["refresh_token"]?.string.map(Secret.init)
        idToken = document["id_token"]?.string.map(Secret.init)
        scopes = document["scope"]?.string.map { $0.split(separator: " ").map(String.init) }
    }

    /// Whether the text is a valid token in a header: RFC 6750, section 2.1, and not too long.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 65_536 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// - Returns: `nil` for a refusal that ends the flow, and for a response with tokens.
    static func pending(_ response: OAuthResponse) -> Pending? {
        guard response.status != 200 else { return nil }
        switch JSON(response.body)?["error"]?.string {
        case "authorization_pending": return .pending
        case "slow_down": return .slowDown
        default: return nil
        }
    }

    private static func refusal(_ error: String?, _ status: Int, _ issuer: Issuer, _ grant: Grant) -> OAuthError {
        switch (error, grant) {
        case ("invalid_grant", .code):
            OAuthError(.codeRefused, "\(issuer) does not accept the code: it was used, it is too old, or another's")
        case ("invalid_grant", .refresh):
            OAuthError(.refreshRefused, "\(issuer) ended the session: sign in again")
        case ("expired_token", .device), ("invalid_grant", .device):
            OAuthError(.deviceCodeExpired, "nobody entered the code in time: begin again")
        case ("access_denied", _): OAuthError(.accessDenied, "the sign-in at \(issuer) was declined")
        case ("invalid_client", _), ("unauthorized_client", _):
            OAuthError(.clientRefused, "\(issuer) does not know this client, or not with this secret")
        case (.some(let error), _):
            OAuthError(.tokenRefused, "\(issuer) gives no token\(OAuthError.named(error, of: Self.known))")
        case (nil, _):
            OAuthError(.badTokenResponse, "\(issuer) answers with status \(status) instead of with tokens")
        }
    }

    private static let known: Set<String> = [
        "invalid_request", "unsupported_grant_type", "invalid_scope", "invalid_target", "server_error",
        "temporarily_unavailable",
    ]

    /// The token set after a sign-in or a refresh. What a refresh does not return is kept: RFC 6749, section 6.
    func tokens(identity: Identity?, before: TokenSet? = nil, now: UnixTime) -> TokenSet {
        TokenSet(
            accessToken: accessToken, expiry: lifetime.map { now + $0 },
            refreshToken: refreshToken ?? before?.refreshToken, idToken: idToken ?? before?.idToken,
            scopes: scopes ?? before?.scopes, identity: identity ?? before?.identity)
    }
}
