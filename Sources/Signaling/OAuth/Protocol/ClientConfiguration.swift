internal import RTCWire

/// The registration of an app at an authorization server, and what it requests.
public struct ClientConfiguration: Sendable, Hashable {
    public var issuer: Issuer
    /// The endpoints of a server without metadata; `nil` to discover them from the issuer.
    public var endpoints: ServerEndpoints?
    /// The client identifier, as registered at the server.
    public var clientID: String
    /// The client secret. Leave it out for apps on people's devices, which cannot keep a secret, unless the server
    /// requires it.
    public var clientSecret: Secret?
    public var redirect: RedirectURI
    /// The requested scopes. `openid` selects OpenID Connect; many servers need `offline_access` for a refresh token.
    public var scopes: [String]
    /// The resources that the access token is for (RFC 8707), as absolute URIs.
    public var resources: [String]
    /// Additional parameters of the authorization request, such as `login_hint` or `prompt`. Parameters of the protocol
    /// itself cannot be replaced.
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

    /// Creates a configuration for a server without metadata.
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes, by default without `openid`, which few such servers support;
    ///     ``ServerEndpoints/userInfo`` then identifies the person.
    ///   - issuer: A name for the server, under which tokens are stored; by default that of its authorization endpoint.
    /// - Throws: ``OAuthError`` `badConfiguration`, also for `openid` without ``ServerEndpoints/keySet``.
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

    /// Whether the person's identity is requested, and not only access.
    package var isOpenID: Bool { scopes.contains("openid") }

    /// The tolerated clock difference between server and client, in seconds.
    static let clockTolerance: Int64 = 60

    /// A request to the token endpoint, or one like it, with client authentication: RFC 6749, section 2.3.
    func authenticatedPost(
        _ endpoint: WebAddress, _ parameters: [(name: String, value: String)], _ metadata: ServerMetadata
    ) -> OAuthRequest {
        guard let clientSecret else { return .post(endpoint, parameters + [("client_id", clientID)]) }
        if metadata.takesSecretInBodyOnly {
            return .post(endpoint, parameters + [("client_id", clientID), ("client_secret", clientSecret.value)])
        }
        let pair = FormEncoding.escape(clientID) + ":" + FormEncoding.escape(clientSecret.value)
        return .post(endpoint, parameters, authorization: Secret("Basic " + Base64.encode(Array(pair.utf8))))
    }
}
