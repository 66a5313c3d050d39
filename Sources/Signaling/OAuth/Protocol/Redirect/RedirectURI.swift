/// The redirect URI of an app: RFC 8252, section 7.
public struct RedirectURI: Sendable, Hashable, CustomStringConvertible {
    /// The ways in which an app can receive redirects.
    package enum Kind: Sendable, Hashable {
        /// A scheme of the app, such as `com.example.app:/signed-in`: section 7.1. Other apps can claim the same
        /// scheme; PKCE makes an intercepted code useless to them.
        case customScheme
        /// An https URL that the system opens in this app only: section 7.2.
        case claimedLink
        /// A port of this machine on which the app listens meanwhile: section 7.3.
        case loopback
    }

    /// The URI as sent to the server; for a loopback redirect, with the port of the listener.
    public let string: String
    package let kind: Kind
    let address: WebAddress

    /// Parses a redirect URI.
    ///
    /// - Parameter string: As registered at the server: `com.example.app:/path`, `https://app.example.org/path`, or
    ///   `http://127.0.0.1/path`. For a loopback URI with port 0, or none, the system chooses the port, which a server
    ///   has to allow (section 7.3).
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
            // http only to this machine, where nobody else can listen on the path.
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

    /// The loopback redirect with the port of the listener.
    func listening(on port: Int) throws(OAuthError) -> RedirectURI {
        guard kind == .loopback, let host = address.host else { return self }
        let name = host.contains(":") ? "[\(host)]" : host
        return try RedirectURI(
            "\(address.scheme)://\(name):\(port)\(address.path)" + (address.query.map { "?" + $0 } ?? ""))
    }

    /// Returns whether a URL is this redirect, whatever its query and fragment.
    ///
    /// Scheme and host are compared ignoring case, the path exactly. The port is compared too, unless it is a loopback
    /// redirect whose port was not chosen yet.
    public func matches(_ url: String) -> Bool {
        WebAddress(url).map(matches) ?? false
    }

    package func matches(_ other: WebAddress) -> Bool {
        guard other.hasScheme(address.scheme) else { return false }
        switch kind {
        case .customScheme:
            // "scheme:/path", "scheme:///path" and, as browsers normalize it, "scheme://path/".
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
