/// The content of a redirect: RFC 6749, sections 4.1.2 and 4.1.2.1.
package struct AuthorizationResponse: Sendable, Hashable {
    enum Outcome: Sendable, Hashable {
        case code(Secret)
        case refused(error: String)
    }

    let outcome: Outcome
    let state: Secret
    /// The issuer identifier: RFC 9207.
    let issuer: String?

    /// - Parameters:
    ///   - url: The complete URL of the redirect.
    ///   - redirect: The redirect URI that it has to match.
    /// - Throws: ``OAuthError`` `badRedirect`, `tokenInRedirect`, `stateMissing`, `codeMissing`.
    init(parsing url: String, of redirect: RedirectURI) throws(OAuthError) {
        guard let address = WebAddress(url), redirect.matches(address) else {
            throw OAuthError(.badRedirect, "the address that came back is not the redirect of this login")
        }
        guard let query = FormEncoding.decode(address.query ?? "") else {
            throw OAuthError(.badRedirect, "the redirect cannot be read: a parameter stands there twice, or is no text")
        }
        // Also if it cannot be parsed completely, so that a token in the fragment gets its own error.
        let names = Set(query.keys).union(Self.names(in: address.fragment ?? ""))
        guard names.isDisjoint(with: ["access_token", "id_token", "refresh_token"]) else {
            throw OAuthError(
                .tokenInRedirect,
                "the redirect carries a token instead of a code: the server uses the implicit grant, which is refused")
        }
        guard let state = query["state"], !state.isEmpty else {
            throw OAuthError(.stateMissing, "the redirect does not say which login it belongs to")
        }
        self.state = Secret(state)
        issuer = query["iss"]
        if let error = query["error"] {
            outcome = .refused(error: error)
        } else if let code = query["code"], !code.isEmpty {
            outcome = .code(Secret(code))
        } else {
            throw OAuthError(.codeMissing, "the redirect has neither a code nor an error")
        }
    }

    /// The `state` of a URL, also if the rest is invalid: the implicit grant, which is rejected, has it in the fragment.
    package static func state(of address: WebAddress) -> Secret? {
        let state = [address.query, address.fragment].lazy.compactMap {
            $0.flatMap { FormEncoding.decode($0)?["state"] }
        }
        return state.first.map(Secret.init)
    }

    /// Returns whether a URL has this `state`, even if the rest is invalid. Any program of this machine and any frame of a page
    /// can request the redirect's URL; only those that saw the authorization URL know the `state`.
    package static func names(_ state: Secret, in address: WebAddress) -> Bool {
        [address.query, address.fragment].contains { text in
            // Each separately, because a repeated parameter makes the rest unreadable.
            text?.split(separator: "&").contains { (FormEncoding.decode($0)?["state"]).map(Secret.init) == state }
                ?? false
        }
    }

    private static func names(in text: String) -> Set<String> {
        Set(
            text.split(separator: "&").compactMap { pair in
                FormEncoding.decode(pair.prefix { $0 != "=" })?.keys.first
            })
    }

    /// The error of the server in our own words. Its description is untrusted text, and ignored.
    static func error(_ code: String, _ issuer: Issuer) -> OAuthError {
        switch code {
        case "access_denied": OAuthError(.accessDenied, "the sign-in at \(issuer) was declined")
        default:
            OAuthError(
                .authorizationRefused, "\(issuer) refused the login\(OAuthError.named(code, of: Self.known))")
        }
    }

    private static let known: Set<String> = [
        "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "server_error",
        "temporarily_unavailable", "interaction_required", "login_required", "account_selection_required",
        "consent_required", "invalid_target",
    ]
}

extension OAuthError {
    /// Returns a known error code, and never a text of the server's choice.
    static func named(_ code: String, of known: Set<String>) -> String {
        known.contains(code) ? ": \(code)" : ""
    }
}
