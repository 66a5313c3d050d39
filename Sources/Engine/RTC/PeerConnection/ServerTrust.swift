/// Whom a connection to a `turns:` or `stuns:` server believes. The server's name or address is always checked too.
public struct ServerTrust: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case system
        case authorities(pem: String)
    }

    let value: Value

    /// The authorities that the system trusts.
    public static let system = ServerTrust(value: .system)

    /// These authorities alone, for a server whose certificate is one's own.
    ///
    /// - Parameter pem: One or more certificates: the text with `BEGIN CERTIFICATE`.
    public static func authorities(pem: String) -> ServerTrust { ServerTrust(value: .authorities(pem: pem)) }
}
