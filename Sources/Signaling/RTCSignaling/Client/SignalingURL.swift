/// The URL of a signalling server: `ws://host:port/signal` or `wss://…`. `http` and `https` stand for these, and the
/// default path is `/signal`, so that the URL of the call page works too.
public struct SignalingURL: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int
    package let path: String
    package let isSecure: Bool

    /// Parses a URL.
    ///
    /// - Returns: `nil` if it is invalid.
    public init?(_ text: String) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        switch text[..<separator.lowerBound].lowercased() {
        case "ws", "http": isSecure = false
        case "wss", "https": isSecure = true
        default: return nil
        }
        let rest = text[separator.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        guard let (host, port) = Self.hostAndPort(authority), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        self.path = path.isEmpty || path == "/" ? SignalingProtocol.path : String(path)
    }

    private static func hostAndPort(_ authority: Substring) -> (String, Int?)? {
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority.dropFirst(host.count)
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }) else {
            return nil
        }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        return (String(host), port)
    }

    /// Whether the server is on this machine, by a loopback address or as `localhost` (RFC 6761, section 6.3).
    package var isLoopback: Bool {
        if host == "::1" || host.lowercased() == "localhost" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host for a URL or the `Host` field.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    public var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(path)" }
}
