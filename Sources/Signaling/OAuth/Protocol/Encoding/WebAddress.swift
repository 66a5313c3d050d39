/// A parsed absolute URI (RFC 3986). Its parts are not normalised.
public struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    /// The scheme as written, without the colon. Compare it with ``hasScheme(_:)``.
    package let scheme: String
    /// The authority, which follows `//`; `nil` if there is none.
    package let authority: String?
    package let path: String
    /// The query without the question mark; `nil` if there is none.
    package let query: String?
    /// The fragment without the number sign; `nil` if there is none.
    package let fragment: String?

    /// Parses a URI.
    ///
    /// - Returns: `nil` if it is not an absolute URI, contains white space, control characters or characters beyond
    ///   ASCII, or is longer than 16 KiB.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 16_384, bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) })
        else { return nil }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        guard let first = bytes.first, Self.isLetter(first), bytes[..<colon].allSatisfy(Self.isSchemeCharacter) else {
            return nil
        }
        scheme = String(decoding: bytes[..<colon], as: UTF8.self)
        var rest = bytes[(colon + 1)...]
        fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        query = Self.cut(&rest, at: UInt8(ascii: "?"))
        if rest.starts(with: Array("//".utf8)) {
            let end = rest.dropFirst(2).firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(decoding: rest[(rest.startIndex + 2)..<end], as: UTF8.self)
            path = String(decoding: rest[end...], as: UTF8.self)
        } else {
            authority = nil
            path = String(decoding: rest, as: UTF8.self)
        }
    }

    private static let forbidden = Set("\"<>\\^`{|}".utf8)

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
    }

    private static func cut(_ rest: inout ArraySlice<UInt8>, at mark: UInt8) -> String? {
        guard let index = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<index] }
        return String(decoding: rest[(index + 1)...], as: UTF8.self)
    }

    /// The URI as written.
    public var description: String {
        withoutQuery + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
    }

    /// The URI without query and fragment, which may contain secrets: for logs.
    package var withoutQuery: String { scheme + ":" + (authority.map { "//" + $0 } ?? "") + path }

    /// What a request asks the server for: the path and the query.
    package var target: String { (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "") }

    /// Returns whether the scheme is equal to another, ignoring case: RFC 3986, section 3.1.
    package func hasScheme(_ other: String) -> Bool { scheme.lowercased() == other.lowercased() }

    /// The host in lower case, an IPv6 address without its brackets; `nil` if there is none, or a user name before it.
    package var host: String? {
        guard let authority, !authority.contains("@") else { return nil }
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return authority[authority.index(after: authority.startIndex)..<end].lowercased()
        }
        let host = authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : host.lowercased()
    }

    /// The port as written; `nil` if there is none.
    package var explicitPort: Int? {
        guard let authority else { return nil }
        let rest = authority.hasPrefix("[") ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
        return Int(rest.dropFirst()).flatMap { (1...65_535).contains($0) ? $0 : nil }
    }

    /// The port to connect to; `nil` if the scheme has no default, or the port is invalid.
    package var port: Int? {
        guard let authority else { return nil }
        let rest = authority.hasPrefix("[") ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
        guard rest.isEmpty else { return explicitPort }
        return hasScheme("https") ? 443 : hasScheme("http") ? 80 : nil
    }

    /// Whether the host is this machine, by a loopback address or as `localhost` (RFC 6761, section 6.3).
    package var isLoopback: Bool {
        guard let host else { return false }
        if host == "::1" || host == "localhost" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
