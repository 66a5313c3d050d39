/// Fetches the metadata of a server from its well-known URLs, one after the other.
package struct Discovery: Sendable {
    package let issuer: Issuer
    private var rest: [WebAddress]

    /// Creates a discovery.
    ///
    /// - Parameter isOpenID: Whether an ID token is needed: OpenID's well-known URL then comes first.
    package init(of issuer: Issuer, isOpenID: Bool) {
        self.issuer = issuer
        rest = issuer.metadataAddresses(openIDFirst: isOpenID)
    }

    /// Returns the next request.
    ///
    /// - Returns: `nil` if there are no more URLs.
    package mutating func next() -> OAuthRequest? {
        rest.isEmpty ? nil : .get(rest.removeFirst())
    }

    /// Handles the response to the last request of ``next()``.
    ///
    /// - Returns: `nil` if there is no document, and another URL can be tried.
    /// - Throws: ``OAuthError`` of ``ServerMetadata/init(parsing:of:)``, `noMetadata`, `badResponse`.
    package func handle(_ response: OAuthResponse) throws(OAuthError) -> ServerMetadata? {
        switch response.status {
        case 200: return try ServerMetadata(parsing: response.body, of: issuer)
        case 400..<500 where !rest.isEmpty && !response.isTransient: return nil
        case 404: throw OAuthError(.noMetadata, "there is no OpenID or OAuth server at \(issuer)")
        default: throw OAuthError(.badResponse, "\(issuer) answers with status \(response.status), not with metadata")
        }
    }
}
