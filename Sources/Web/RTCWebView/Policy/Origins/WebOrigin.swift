/// The origin of a page: the scheme, host and port of its URL, to which permissions are granted.
///
/// Source: the HTML standard's “tuple origin”, for http and https. All other URLs (`data:`, `about:blank`, custom
/// schemes) have an opaque origin, which equals no other and is never granted anything: this type does not represent
/// it.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host in lower case, an IPv6 address in brackets, internationalised names in ASCII (`xn--…`).
    public let host: String
    /// The port; `nil` for the scheme's default.
    public let port: UInt16?

    /// Creates an origin.
    ///
    /// - Returns: `nil` if the parts are not an origin of the web.
    package init?(scheme: String, host: String, port: UInt16? = nil) {
        let scheme = scheme.lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let host = host.lowercased()
        guard Self.isHost(host) else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    }

    /// Parses the origin of a URL, or one that a web view reports (`https://example.com`, with or without a path).
    ///
    /// - Parameter url: A URL in the ASCII form that web views report. One that a browser would have to repair (a
    ///   backslash, a space, a host that is not ASCII) is rejected, because two parsers might see different hosts.
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

    /// The ASCII serialisation of the HTML standard: `https://example.com:8443`.
    public var description: String { "\(scheme)://\(displayHost)" }

    /// The host to show to the person, with the port unless it is the default.
    package var displayHost: String { port.map { "\(host):\($0)" } ?? host }

    /// Whether pages of the origin may request camera and microphone: with https, or from loopback (W3C Secure
    /// Contexts, section 3.1).
    package var isPotentiallyTrustworthy: Bool {
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
