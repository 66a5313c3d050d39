/// How the system's sign-in sheet recognises a redirect: by its scheme, or by an associated link of the app.
package enum BrowserCallback: Sendable, Hashable {
    case customScheme(String)
    case https(host: String, path: String)

    /// Creates the callback of a redirect URI.
    ///
    /// - Throws: ``OAuthError`` `badConfiguration` for a loopback redirect, which the sheet cannot observe.
    package init(_ redirect: RedirectURI) throws(OAuthError) {
        switch redirect.kind {
        case .customScheme: self = .customScheme(redirect.address.scheme)
        case .claimedLink:
            let path = redirect.address.path
            self = .https(host: redirect.address.host ?? "", path: path.isEmpty ? "/" : path)
        case .loopback:
            throw OAuthError(
                .badConfiguration, "the system's sign-in takes a scheme of the app's own or a link that is its, no port"
            )
        }
    }
}
