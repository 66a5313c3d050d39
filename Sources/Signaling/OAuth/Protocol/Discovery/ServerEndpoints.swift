/// The endpoints of an authorization server without metadata, from its documentation: RFC 6749, section 3.
///
/// ```swift
/// let client = OAuthClient(
///     try ClientConfiguration(
///         endpoints: ServerEndpoints(
///             authorization: "https://api.example.org/oauth/authorize", token: "https://api.example.org/oauth/token",
///             userInfo: "https://api.example.org/account"),
///         clientID: "xyz", redirect: RedirectURI("com.example.app:/signed-in"), scopes: ["email"]))
/// ```
///
/// PKCE is used nevertheless: a server that does not support it ignores it, and an app that intercepts a code could
/// then use it. Redirects contain no issuer either: an app with several such servers has to give each of them its own
/// redirect URI (RFC 9700, section 4.4.2).
public struct ServerEndpoints: Sendable, Hashable {
    package let authorization: WebAddress
    package let token: WebAddress
    /// The user info endpoint, which identifies the person by the access token where there is no OpenID Connect: a JSON
    /// object (OpenID Connect Core 1.0, section 5.3.2).
    package let userInfo: WebAddress?
    package let revocation: WebAddress?
    package let endSession: WebAddress?
    package let deviceAuthorization: WebAddress?
    /// The URL of the key set with which ID tokens are signed. OpenID Connect needs it.
    package let keySet: WebAddress?
    /// The member of the user info that identifies the person permanently, a string or an integer: `id` at many
    /// servers.
    public var subjectMember = "sub"
    /// Whether the server accepts client secrets in the body of a request only, and not in its header.
    public var takesSecretInBodyOnly = false

    /// Creates endpoints.
    ///
    /// - Throws: ``OAuthError`` `badConfiguration` for an invalid URL, `insecureAddress` for http to another machine.
    public init(
        authorization: String, token: String, userInfo: String? = nil, revocation: String? = nil,
        endSession: String? = nil, deviceAuthorization: String? = nil, keySet: String? = nil
    ) throws(OAuthError) {
        self.authorization = try Self.endpoint(authorization, "authorization endpoint")
        self.token = try Self.endpoint(token, "token endpoint")
        self.userInfo = try Self.optional(userInfo, "endpoint of user info")
        self.revocation = try Self.optional(revocation, "revocation endpoint")
        self.endSession = try Self.optional(endSession, "endpoint that ends a session")
        self.deviceAuthorization = try Self.optional(deviceAuthorization, "device authorization endpoint")
        self.keySet = try Self.optional(keySet, "address of the keys")
    }

    /// The issuer identifier unless the app sets one: the origin of the authorization endpoint.
    var issuer: Issuer {
        get throws(OAuthError) { try Issuer("\(authorization.scheme)://\(authorization.authority ?? "")") }
    }

    private static func optional(_ text: String?, _ name: String) throws(OAuthError) -> WebAddress? {
        guard let text else { return nil }
        return try endpoint(text, name)
    }

    private static func endpoint(_ text: String, _ name: String) throws(OAuthError) -> WebAddress {
        guard let address = WebAddress(text), address.host != nil, address.port != nil, address.fragment == nil else {
            throw OAuthError(.badConfiguration, "the \(name) is no https address without a fragment")
        }
        guard address.hasScheme("https") || (address.hasScheme("http") && address.isLoopback) else {
            throw OAuthError(.insecureAddress, "the \(name) is not https")
        }
        return address
    }
}
