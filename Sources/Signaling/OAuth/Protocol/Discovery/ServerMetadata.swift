internal import RTCCrypto

/// The metadata of an authorization server: RFC 8414, section 2, and OpenID Connect Discovery 1.0, section 3.
package struct ServerMetadata: Sendable, Hashable {
    package let issuer: Issuer
    package let authorizationEndpoint: WebAddress?
    package let tokenEndpoint: WebAddress
    package let keySetAddress: WebAddress?
    package let revocationEndpoint: WebAddress?
    package let endSessionEndpoint: WebAddress?
    package let deviceAuthorizationEndpoint: WebAddress?
    /// The endpoint for the identity without OpenID; `nil` for a server with metadata, whose ID tokens contain the identity.
    let userInfoEndpoint: WebAddress?
    /// The member of the user info that identifies the user.
    let subjectMember: String
    /// Whether redirects contain the issuer (RFC 9207). A redirect without it is then rejected.
    package let namesIssuerInRedirects: Bool
    /// The algorithms for ID tokens that both the server and this package support.
    let signatureAlgorithms: [SignatureAlgorithm]
    /// How a client sends its secret: in the header, unless the server accepts it in the body only.
    let takesSecretInBodyOnly: Bool

    /// Parses the metadata.
    ///
    /// - Parameters:
    ///   - body: The JSON document.
    ///   - issuer: The issuer whose metadata were requested.
    /// - Throws: ``OAuthError`` `badMetadata`, `issuerMismatch`, `insecureAddress`, `pkceUnsupported`.
    package init(parsing body: [UInt8], of issuer: Issuer) throws(OAuthError) {
        guard let document = JSON(body), case .object = document, let name = document["issuer"]?.string else {
            throw OAuthError(.badMetadata, "what \(issuer) says of itself is no metadata")
        }
        // Compared byte for byte: otherwise another party's document could speak for this server.
        guard name.utf8.elementsEqual(issuer.string.utf8) else {
            throw OAuthError(
                .issuerMismatch, "the server calls itself another issuer than \(issuer): write its name as it does")
        }
        self.issuer = issuer
        func endpoint(_ name: String) throws(OAuthError) -> WebAddress? {
            guard let value = document[name] else { return nil }
            guard let address = value.string.flatMap(WebAddress.init) else {
                throw OAuthError(.badMetadata, "the metadata of \(issuer) have a \(name) that is no address")
            }
            guard issuer.allows(address) else {
                throw OAuthError(.insecureAddress, "the \(name) of \(issuer) is not https")
            }
            return address
        }
        guard let tokens = try endpoint("token_endpoint") else {
            throw OAuthError(.badMetadata, "the metadata of \(issuer) have no token_endpoint")
        }
        tokenEndpoint = tokens
        authorizationEndpoint = try endpoint("authorization_endpoint")
        keySetAddress = try endpoint("jwks_uri")
        revocationEndpoint = try endpoint("revocation_endpoint")
        endSessionEndpoint = try endpoint("end_session_endpoint")
        deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
        userInfoEndpoint = nil
        subjectMember = "sub"
        namesIssuerInRedirects = document["authorization_response_iss_parameter_supported"]?.bool ?? false
        // Some servers support PKCE without saying so. Only one that excludes it is refused; PKCE is always used.
        if let methods = document["code_challenge_methods_supported"]?.strings, !methods.contains("S256") {
            throw OAuthError(.pkceUnsupported, "\(issuer) does not take PKCE with S256")
        }
        if let types = document["response_types_supported"]?.strings, !types.contains("code") {
            throw OAuthError(.unsupported, "\(issuer) gives no authorization codes")
        }
        // Every server has to support RS256, which is the default.
        let named = document["id_token_signing_alg_values_supported"]?.strings ?? ["RS256"]
        signatureAlgorithms = SignatureAlgorithm.allCases.filter { named.contains($0.rawValue) }
        let methods = document["token_endpoint_auth_methods_supported"]?.strings ?? ["client_secret_basic"]
        takesSecretInBodyOnly = methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
    }

    /// The metadata of a server that has none, from the app's configuration.
    init(_ endpoints: ServerEndpoints, of issuer: Issuer) {
        self.issuer = issuer
        authorizationEndpoint = endpoints.authorization
        tokenEndpoint = endpoints.token
        keySetAddress = endpoints.keySet
        revocationEndpoint = endpoints.revocation
        endSessionEndpoint = endpoints.endSession
        deviceAuthorizationEndpoint = endpoints.deviceAuthorization
        userInfoEndpoint = endpoints.userInfo
        subjectMember = endpoints.subjectMember
        namesIssuerInRedirects = false
        signatureAlgorithms = SignatureAlgorithm.allCases
        takesSecretInBodyOnly = endpoints.takesSecretInBodyOnly
    }
}
