/// What an app says of itself and wants.
public struct ClientConfiguration: Sendable, Hashable {
    public var issuer: Issuer
    /// Those of a server without metadata; otherwise nothing, and the issuer is asked for them.
    public var endpoints: ServerEndpoints?
    /// As the server registered it.
    public var clientID: String
    /// An app on somebody's device keeps no secret: leave it out. Some servers hand one to such apps all the same, and
    /// want it back.
    public var clientSecret: Secret?
    public var redirect: RedirectURI
    /// `openid` among them makes it OpenID Connect; `offline_access` asks for a refresh token, where a server wants
    /// that.
    public var scopes: [String]
    /// Whom the access token is for: RFC 8707. Absolute URIs.
    public var resources: [String]
    /// More parameters of the authorization request, such as `login_hint` or `prompt`. Those of the protocol itself
    /// cannot be replaced.
    public var parameters: [String: String]

    public init(
        issuer: Issuer, clientID: String, redirect: RedirectURI, scopes: [String] = ["openid", "profile"],
        clientSecret: Secret? = nil, resources: [String] = [], parameters: [String: String] = [:]
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.redirect = redirect
        self.scopes = scopes
        self.clientSecret = clientSecret
        self.resources = resources
        self.parameters = parameters
    }

    /// For a server without metadata: where its pages and tokens are, the app says.
    ///
    /// - Parameters:
    ///   - scopes: Without `openid`, since few such servers have it; who it is says ``ServerEndpoints/userInfo`` then, if anything does.
    ///   - issuer: A name for the server: tokens are kept under it. Where its page is, if it is left out.
    /// - Throws: ``OAuthError`` `badConfiguration`, for `openid` without ``ServerEndpoints/keySet`` too.
    public init(
        endpoints: ServerEndpoints, clientID: String, redirect: RedirectURI, scopes: [String] = [],
        clientSecret: Secret? = nil, resources: [String] = [], parameters: [String: String] = [:],
        issuer: Issuer? = nil
    ) throws(OAuthError) {
        guard !scopes.contains("openid") || endpoints.keySet != nil else {
            throw OAuthError(
                .badConfiguration, "for OpenID say where the server’s keys are, or leave the scope openid out")
        }
        let name = if let issuer { issuer } else { try endpoints.issuer }
        self.init(
            issuer: name, clientID: clientID, redirect: redirect, scopes: scopes, clientSecret: clientSecret,
            resources: resources, parameters: parameters)
        self.endpoints = endpoints
    }

    /// Whether a person's identity is asked for, and not only access.
    public var isOpenID: Bool { scopes.contains("openid") }

    /// How far the clocks of a server and of this machine may be apart, in seconds.
    static let clockTolerance: Int64 = 60

    /// A request of the token endpoint's kind, with what shows who the client is: RFC 6749, section 2.3.
    func authenticatedPost(
        _ endpoint: WebAddress, _ parameters: [(name: String, value: String)], _ metadata: ServerMetadata
    ) -> OAuthRequest {
        guard let clientSecret else { return .post(endpoint, parameters + [("client_id", clientID)]) }
        if metadata.takesSecretInBodyOnly {
            return .post(endpoint, parameters + [("client_id", clientID), ("client_secret", clientSecret.value)])
        }
        let pair = FormEncoding.escape(clientID) + ":" + FormEncoding.escape(clientSecret.value)
        return .post(endpoint, parameters, authorization: Secret("Basic " + Base64URL.padded(Array(pair.utf8))))
    }
}
