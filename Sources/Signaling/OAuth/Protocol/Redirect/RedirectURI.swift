/// Where the authorization server sends the person back to: RFC 8252, section 7.
public struct RedirectURI: Sendable, Hashable, CustomStringConvertible {
    /// The ways in which an app can be reached.
    public enum Kind: Sendable, Hashable {
        /// A scheme of the app's own, such as `com.example.app:/signed-in`: section 7.1. Any other app can claim the
        /// same: PKCE is what makes a stolen code useless.
        case customScheme
        /// An https address that the system hands to the app, and to no other: section 7.2.
        case claimedLink
        /// A port of this machine that the app listens on while it waits: section 7.3.
        case loopback
    }

    /// The address as the server is told it; for a loopback redirect, with the port that is listened on.
    public let string: String
    public let kind: Kind
    let address: WebAddress

    /// - Parameter string: As registered at the server: `com.example.app:/path`, `https://app.example.org/path`, or
    ///   `http://127.0.0.1/path`. Port 0, or none, of a loopback address lets the system choose one (a server has to
    ///   allow any: section 7.3).
    /// - Throws: ``OAuthError`` `badConfiguration`.
    public init(_ string: String) throws(OAuthError) {
        guard let address = WebAddress(string), address.fragment == nil else {
            throw OAuthError(.badConfiguration, "the redirect is no address without a fragment")
        }
        switch address.scheme.lowercased() {
        case "https":
            guard address.host != nil, address.port != nil else {
                throw OAuthError(.badConfiguration, "the redirect has no host")
            }
            kind = .claimedLink
        case "http":
            // In the clear to this machine alone, where nobody listens on the line.
            guard address.isLoopback, address.port != nil || Self.hasPortZero(address) else {
                throw OAuthError(
                    .badConfiguration, "a redirect is https, a scheme of the app's own, or http to 127.0.0.1 or [::1]")
            }
            kind = .loopback
        case "javascript", "data", "file", "about", "blob", "ws", "wss", "ftp", "mailto", "tel":
            throw OAuthError(.badConfiguration, "the scheme of the redirect is not the app's to use")
        default: kind = .customScheme
        }
        self.string = string
        self.address = address
    }

    private static func hasPortZero(_ address: WebAddress) -> Bool { address.authority?.hasSuffix(":0") ?? false }

    public var description: String { string }

    /// The port to listen on; `nil` to let the system choose.
    var loopbackPort: Int? { kind == .loopback ? address.explicitPort : nil }

    /// A loopback redirect with the port that is listened on.
    func listening(on port: Int) throws(OAuthError) -> RedirectURI {
        guard kind == .loopback, let host = address.host else { return self }
        let name = host.contains(":") ? "[\(host)]" : host
        return try RedirectURI(
            "\(address.scheme)://\(name):\(port)\(address.path)" + (address.query.map { "?" + $0 } ?? ""))
    }

    /// Whether an address that the person is sent to is this redirect, whatever its query and fragment say.
    ///
    /// Scheme and host are compared without case, the path exactly. The port counts, but for a loopback redirect none
    /// of whose ports was chosen yet.
    public func matches(_ url: String) -> Bool {
        WebAddress(url).map(matches) ?? false
    }

    package func matches(_ other: WebAddress) -> Bool {
        guard other.hasScheme(address.scheme) else { return false }
        switch kind {
        case .customScheme:
            // "scheme:/path", "scheme:///path" and, as browsers write it back, "scheme://path/".
            return Self.plainPath(other) == Self.plainPath(address)
        case .claimedLink:
            return other.host == address.host && other.port == address.port && Self.path(other) == Self.path(address)
        case .loopback:
            guard other.host == address.host, Self.path(other) == Self.path(address) else { return false }
            return Self.hasPortZero(address) || address.explicitPort == nil || other.port == address.port
        }
    }

    /// An empty path is "/": RFC 3986, section 6.2.3.
    private static func path(_ address: WebAddress) -> String { address.path.isEmpty ? "/" : address.path }

    private static func plainPath(_ address: WebAddress) -> String {
        let whole = (address.authority.map { $0.lowercased() + "/" } ?? "") + address.path
        return whole.split(separator: "/").joined(separator: "/")
    }
}
