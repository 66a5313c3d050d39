internal import RTCWire

/// Ends a session: revokes its tokens (RFC 7009), and optionally signs the person out at the server (OpenID Connect RP-Initiated
/// Logout 1.0).
enum SignOut {
    /// The revocation requests: first the refresh token, with which most servers revoke all its access tokens.
    ///
    /// - Returns: Nothing if the server has no revocation endpoint: its tokens only expire.
    static func revocations(
        of tokens: TokenSet, _ configuration: ClientConfiguration, _ metadata: ServerMetadata
    ) -> [OAuthRequest] {
        guard let endpoint = metadata.revocationEndpoint else { return [] }
        let hinted = [(tokens.refreshToken, "refresh_token"), (tokens.accessToken, "access_token")]
        return hinted.compactMap { token, hint in
            token.map {
                configuration.authenticatedPost(
                    endpoint, [("token", $0.value), ("token_type_hint", hint)], metadata)
            }
        }
    }

    /// Whether a token is revoked. The response to an unknown token is 200 as well: RFC 7009, section 2.2.
    static func isRevoked(_ response: OAuthResponse) -> Bool { response.status == 200 }

    /// The page on which the person signs out at the server.
    struct Page: Sendable {
        let address: WebAddress
        let state: Secret
        let redirect: RedirectURI
    }

    /// - Returns: `nil` if the server has no such page.
    static func page(
        of tokens: TokenSet, _ configuration: ClientConfiguration, redirect: RedirectURI, _ metadata: ServerMetadata,
        random: any RandomSource
    ) -> Page? {
        guard let endpoint = metadata.endSessionEndpoint else { return nil }
        let state = Secret(Base64.encode(random.bytes(32), as: .url))
        var parameters = [
            ("client_id", configuration.clientID), ("post_logout_redirect_uri", redirect.string),
            ("state", state.value),
        ]
        if let idToken = tokens.idToken { parameters.append(("id_token_hint", idToken.value)) }
        let query = (endpoint.query.map { $0 + "&" } ?? "") + FormEncoding.encode(parameters.map { ($0.0, $0.1) })
        return WebAddress(endpoint.withoutQuery + "?" + query).map {
            Page(address: $0, state: state, redirect: redirect)
        }
    }

    /// Checks the redirect after signing out.
    ///
    /// - Throws: ``OAuthError`` `badRedirect`, `stateMissing`, `stateUnknown`.
    static func check(_ url: String, of page: Page) throws(OAuthError) {
        guard let address = WebAddress(url), page.redirect.matches(address),
            let query = FormEncoding.decode(address.query ?? "")
        else { throw OAuthError(.badRedirect, "the address that came back is not the redirect of this logout") }
        guard let state = query["state"] else {
            throw OAuthError(.stateMissing, "the redirect does not say which logout it belongs to")
        }
        guard Secret(state) == page.state else {
            throw OAuthError(.stateUnknown, "the redirect belongs to another logout")
        }
    }
}
