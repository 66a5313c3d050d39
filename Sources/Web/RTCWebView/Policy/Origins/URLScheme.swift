/// The scheme of a URL: RFC 3986, section 3.1. Compared ignoring case (section 6.2.2.1).
public struct URLScheme: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The scheme in lower case, without a colon.
    package let name: String

    /// Creates a scheme.
    ///
    /// - Parameter name: The scheme without a colon.
    /// - Returns: `nil` unless it is a letter, followed by letters, digits, plus signs, hyphens and periods.
    package init?(_ name: some StringProtocol) {
        guard let first = name.utf8.first, Self.isLetter(first), name.utf8.count <= 64,
            name.utf8.allSatisfy({
                Self.isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
            })
        else { return nil }
        self.name = name.lowercased()
    }

    /// Returns the scheme of a URL.
    package init?(of url: String) {
        guard let colon = url.utf8.prefix(65).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(url[..<colon])
    }

    /// Creates a scheme from a literal.
    public init(stringLiteral value: String) {
        name = value.lowercased()
    }

    public var description: String { name }

    /// Schemes that the web view handles itself; others belong to an app, or to none.
    static let webSchemes: Set<URLScheme> = ["http", "https", "about", "data", "blob", "ws", "wss"]

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x61 && byte <= 0x7A)
    }
}
