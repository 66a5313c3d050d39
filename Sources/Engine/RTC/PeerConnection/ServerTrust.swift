/// The certificate authorities to trust for `turns:` and `stuns:` servers. The server's name or address is always
/// verified too.
public struct ServerTrust: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case system
        case authorities(pem: String)
    }

    let value: Value

    /// The system's certificate authorities.
    public static let system = ServerTrust(value: .system)

    /// Returns a trust in these certificate authorities alone, for servers with a private authority.
    ///
    /// - Parameter pem: One or more certificates in PEM (`BEGIN CERTIFICATE`).
    public static func authorities(pem: String) -> ServerTrust { ServerTrust(value: .authorities(pem: pem)) }
}
