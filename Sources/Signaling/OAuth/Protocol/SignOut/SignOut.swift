internal import RTCWire

/// The end of a session: its tokens revoked (RFC 7009), and the person signed out at the server as well, if wished
/// (OpenID Connect RP-Initiated Logout 1.0).
enum SignOut {
    /// The requests that end the tokens: the refresh token first, with which most servers end all that came of it.
    ///
    /// - Returns: Nothing where the server has no endpoint for it: such tokens end by themselves.
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

    /// Whether a token is gone. A server that does not know it says 200 as well: RFC 7009, section 2.2.
    static func isRevoked(_ response: OAuthResponse) -> Bool { response.status == 200 }

    /// Where to send the person to sign out there too.
    struct Page: Sendable {
        let address: WebAddress
        let state: Secret
        let redirect: RedirectURI
    }

    /// - Returns: `nil` where the server has no such page.
    static func page(
        of tokens: TokenSet, _ configuration: ClientConfiguration, redirect: RedirectURI, _ metadata: ServerMetadata,
        random: any RandomSource
    ) -> Page? {
        guard let endpoint = metadata.endSessionEndpoint else { return nil }
        let state = Secret(Base64URL.encode(random.bytes(32)))
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

    /// Checks the redirect that comes back.
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
