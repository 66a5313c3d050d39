/// What a redirect brings back: RFC 6749, sections 4.1.2 and 4.1.2.1.
package struct AuthorizationResponse: Sendable, Hashable {
    enum Outcome: Sendable, Hashable {
        case code(Secret)
        case refused(error: String)
    }

    let outcome: Outcome
    let state: Secret
    /// Who the server says it is: RFC 9207.
    let issuer: String?

    /// - Parameters:
    ///   - url: The whole address that the person was sent to.
    ///   - redirect: What it has to be.
    /// - Throws: ``OAuthError`` `badRedirect`, `tokenInRedirect`, `stateMissing`, `codeMissing`.
    init(parsing url: String, of redirect: RedirectURI) throws(OAuthError) {
        guard let address = WebAddress(url), redirect.matches(address) else {
            throw OAuthError(.badRedirect, "the address that came back is not the redirect of this login")
        }
        guard let query = FormEncoding.decode(address.query ?? "") else {
            throw OAuthError(.badRedirect, "the redirect cannot be read: a parameter stands there twice, or is no text")
        }
        // Also where it cannot be read in full: a fragment with a token has to be called by its name.
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

    /// Which login an address names, also where all else of it is wrong: the implicit grant, which is refused, says it in
    /// the fragment.
    package static func state(of address: WebAddress) -> Secret? {
        let state = [address.query, address.fragment].lazy.compactMap {
            $0.flatMap { FormEncoding.decode($0)?["state"] }
        }
        return state.first.map(Secret.init)
    }

    /// Whether an address names this login, whatever else is wrong with it. Anybody on this machine, and any frame of a page, can
    /// ask for a redirect's address; only those who were shown the server's page know the `state`.
    package static func names(_ state: Secret, in address: WebAddress) -> Bool {
        [address.query, address.fragment].contains { text in
            // One by one: where a parameter stands twice, nothing else can be read.
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

    /// An error of the server's in our words. What else it wrote is a stranger's text, and stays unread.
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
    /// A server's error code, if it is one of those that the specifications know: never a text of its choosing.
    static func named(_ code: String, of known: Set<String>) -> String {
        known.contains(code) ? ": \(code)" : ""
    }
}
