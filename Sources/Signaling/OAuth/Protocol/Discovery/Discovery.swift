/// Asks a server what it says of itself: one address, then the other.
public struct Discovery: Sendable {
    public let issuer: Issuer
    private var rest: [WebAddress]

    /// - Parameter isOpenID: Whether an ID token is wanted: then OpenID's address comes first.
    public init(of issuer: Issuer, isOpenID: Bool) {
        self.issuer = issuer
        rest = issuer.metadataAddresses(openIDFirst: isOpenID)
    }

    /// - Returns: What to ask next; `nil` when there is nothing left.
    public mutating func next() -> OAuthRequest? {
        rest.isEmpty ? nil : .get(rest.removeFirst())
    }

    /// Takes the answer to what ``next()`` gave last.
    ///
    /// - Returns: `nil` if the document is not there and another address can be asked.
    /// - Throws: ``OAuthError`` of ``ServerMetadata/init(parsing:of:)``, `noMetadata`, `badResponse`.
    public func handle(_ response: OAuthResponse) throws(OAuthError) -> ServerMetadata? {
        switch response.status {
        case 200: return try ServerMetadata(parsing: response.body, of: issuer)
        case 400..<500 where !rest.isEmpty && !response.isOfNow: return nil
        case 404: throw OAuthError(.noMetadata, "there is no OpenID or OAuth server at \(issuer)")
        default: throw OAuthError(.badResponse, "\(issuer) answers with status \(response.status), not with metadata")
        }
    }
}
