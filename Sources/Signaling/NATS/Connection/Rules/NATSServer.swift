/// The address of a server.
public struct NATSServer: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, without brackets.
    package let host: String
    package let port: Int
    package static let usualPort = 4_222

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Reads `nats://host`, `nats://host:4222`, `nats://[::1]:4222`, or the same without the scheme.
    ///
    /// Credentials in it are refused, since addresses are logged: they have a place of their own in the configuration. So is
    /// `tls://`: TLS is an option of the whole client, which no server of the list escapes.
    ///
    /// - Throws: ``NATSError`` `invalidArgument`.
    public init(_ url: String) throws(NATSError) {
        var rest = url[...]
        if let colon = url.firstRange(of: "://") {
            guard url[..<colon.lowerBound].lowercased() == "nats" else {
                throw NATSError(.invalidArgument, "the address of a server begins with nats://")
            }
            rest = url[colon.upperBound...]
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains("@") else {
            throw NATSError(.invalidArgument, "the address of a server has no user and password: set `credentials`")
        }
        guard let server = NATSServer(authority: rest) else {
            throw NATSError(.invalidArgument, "this is no address of a server: \(ReadableText.of(String(rest)))")
        }
        self = server
    }

    /// - Returns: `nil` for anything else than a name, an IPv4 address or an IPv6 address in brackets, and perhaps a port.
    init?(authority: some StringProtocol) {
        let authority = String(authority)
        var host = authority[...]
        var port = Self.usualPort
        let bytes = authority.utf8
        if bytes.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            let after = host[host.index(after: end)...]
            host = host[host.index(after: host.startIndex)..<end]
            guard host.contains(":"), after.isEmpty || after.first == ":" else { return nil }
            if !after.isEmpty {
                guard let number = Self.port(after.dropFirst()) else { return nil }
                port = number
            }
        } else if let colon = host.firstIndex(of: ":") {
            guard let number = Self.port(host[host.index(after: colon)...]) else { return nil }
            port = number
            host = host[..<colon]
        }
        let isName = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            case UInt8(ascii: ":"), UInt8(ascii: "%"): bytes.first == UInt8(ascii: "[")
            default: false
            }
        }
        guard isName, 1...253 ~= host.utf8.count else { return nil }
        self.host = String(host)
        self.port = port
    }

    private static func port(_ text: some StringProtocol) -> Int? {
        guard let number = Decimal.parse(text.utf8), 1...65_535 ~= number else { return nil }
        return Int(number)
    }
}
