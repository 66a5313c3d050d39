/// The identifier of an authorization server: an https URL without query and fragment (RFC 8414, section 2). Compared
/// byte by byte, without normalisation: a trailing slash makes another issuer.
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
    public let string: String
    let address: WebAddress

    /// Creates an issuer.
    ///
    /// - Throws: ``OAuthError`` `badConfiguration` if it cannot be an issuer, `insecureAddress` for http to another
    ///   machine. For this machine, http is allowed.
    public init(_ string: String) throws(OAuthError) {
        guard let address = WebAddress(string), address.host != nil, address.port != nil, address.query == nil,
            address.fragment == nil
        else {
            throw OAuthError(.badConfiguration, "an issuer is an https address without query and fragment")
        }
        guard address.hasScheme("https") || (address.hasScheme("http") && address.isLoopback) else {
            throw OAuthError(.insecureAddress, "the issuer \(string) is not https")
        }
        self.string = string
        self.address = address
    }

    public var description: String { string }

    /// Returns whether an endpoint of this issuer may be used: https, or http on this machine if the issuer is there too.
    func allows(_ endpoint: WebAddress) -> Bool {
        guard endpoint.host != nil, endpoint.port != nil, endpoint.fragment == nil else { return false }
        if endpoint.hasScheme("https") { return true }
        return endpoint.hasScheme("http") && endpoint.isLoopback && address.hasScheme("http")
    }

    /// The URLs of the metadata: behind the issuer (OpenID Connect Discovery), or between host and path (RFC 8414). They differ
    /// for an issuer with a path.
    ///
    /// - Parameter isOpenID: Which of the two comes first. The other one is tried if there is no document at the first.
    func metadataAddresses(openIDFirst isOpenID: Bool) -> [WebAddress] {
        let base = address.withoutQuery
        let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
        let path = address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        let openID = trimmed + "/.well-known/openid-configuration"
        let root = address.scheme + "://" + (address.authority ?? "")
        let oauth = root + "/.well-known/oauth-authorization-server" + path
        return (isOpenID ? [openID, oauth] : [oauth, openID]).compactMap { WebAddress($0) }
    }
}
