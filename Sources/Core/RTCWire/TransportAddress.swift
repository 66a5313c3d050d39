/// An IPv4 or IPv6 address with a port: the source or destination of a datagram.
@frozen
public struct TransportAddress: Hashable, Sendable, CustomStringConvertible {
    public var ip: IPAddress
    public var port: UInt16

    @inlinable
    public init(ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// Parses `"192.0.2.1:3478"` or `"[2001:db8::1]:3478"`; `nil` for anything else, names included.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else { return nil }
        var host = text[..<colon]
        if host.first == "[" {
            guard host.last == "]" else { return nil }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard let ip = IPAddress(String(host)), ip.isIPv4 == (host.endIndex == colon) else { return nil }
        self.init(ip: ip, port: port)
    }

    public var description: String {
        ip.isIPv4 ? "\(ip):\(port)" : "[\(ip)]:\(port)"
    }
}
