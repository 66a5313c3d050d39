/// Where a page comes from: the scheme, host and port of its address, which is what permissions are given to.
///
/// Source: the HTML standard's "tuple origin", for http and https alone. Every other address (`data:`, `about:blank`, a custom
/// scheme) has an opaque origin, which equals no other one and is never given anything: there is no value for it here.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// In lower case, an IPv6 address in its brackets, other alphabets in their ASCII form (`xn--…`).
    public let host: String
    /// The port, where it is not the one that the scheme has by itself.
    public let port: UInt16?

    /// - Returns: Nothing where the parts name no origin of the web.
    public init?(scheme: String, host: String, port: UInt16? = nil) {
        let scheme = scheme.lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let host = host.lowercased()
        guard Self.isHost(host) else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    }

    /// The origin of an address, or of what a web view says of an origin (`https://example.com`, with or without a path).
    ///
    /// - Parameter url: In the ASCII form that web views give. What a browser would have to mend first (a backslash, a space,
    ///   another alphabet in the host) names no origin here: two readers of it might see two different hosts.
    public init?(_ url: String) {
        guard url.utf8.count <= 65_536, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else {
            return nil
        }
        guard let scheme = URLScheme(of: url) else { return nil }
        let rest = url.dropFirst(scheme.name.count + 1)
        guard rest.hasPrefix("//") else { return nil }
        var authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var port: UInt16?
        let afterHost =
            authority.hasPrefix("[") ? (authority.firstIndex(of: "]") ?? authority.startIndex) : authority.startIndex
        if let colon = authority[afterHost...].firstIndex(of: ":") {
            let digits = authority[authority.index(after: colon)...]
            if !digits.isEmpty {
                guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(digits) else { return nil }
                port = number
            }
            authority = authority[..<colon]
        }
        self.init(scheme: scheme.name, host: String(authority), port: port)
    }

    /// The ASCII form of the HTML standard: `https://example.com:8443`.
    public var description: String { "\(scheme)://\(displayHost)" }

    /// What a person is shown: the host, and the port where it is an unusual one.
    public var displayHost: String { port.map { "\(host):\($0)" } ?? host }

    /// Whether pages of it may ask for camera and microphone at all: by https, or from this machine itself (W3C Secure Contexts,
    /// section 3.1).
    public var isPotentiallyTrustworthy: Bool {
        scheme == "https" || host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || Self.isLoopback(host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isHost(_ host: String) -> Bool {
        guard !host.isEmpty, host.utf8.count <= 255 else { return false }
        if host.hasPrefix("[") {
            return host.hasSuffix("]")
                && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return host.utf8.allSatisfy {
            ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
        }
    }
}

extension WebOrigin: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let origin = WebOrigin(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no origin of the web")
        }
        self = origin
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
