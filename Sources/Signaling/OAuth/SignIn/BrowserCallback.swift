/// How the system's sign-in sheet recognises a redirect: by its scheme, or by a link that is the app's.
public enum BrowserCallback: Sendable, Hashable {
    case customScheme(String)
    case https(host: String, path: String)

    /// - Throws: ``OAuthError`` `badConfiguration` for a loopback redirect, which the sheet cannot see.
    public init(_ redirect: RedirectURI) throws(OAuthError) {
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
