internal import RTCNetwork
import RTCWire

/// The URL of a STUN or TURN server: `stun:`, `stuns:` (RFC 7064), `turn:` or `turns:` (RFC 7065).
///
/// ```
/// scheme ":" host [ ":" port ] [ "?transport=" transport ]
/// ```
///
/// Only TURN URLs have a transport. The host is a name, an IPv4 address, or an IPv6 address in brackets (RFC 3986,
/// section 3.2.2). A name has to be ASCII, without percent-encoding.
package struct ICEServerURL: Sendable, Hashable {
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        case stun, stuns, turn, turns

        /// Whether the server is a TURN server, which needs a credential.
        package var isRelay: Bool { self == .turn || self == .turns }
        /// Whether the connection to the server is encrypted.
        package var isSecure: Bool { self == .stuns || self == .turns }
        /// The default port of the scheme (RFC 7064, section 3.2; RFC 7065, section 3.2).
        package var defaultPort: UInt16 { isSecure ? 5349 : 3478 }
    }

    package enum Transport: String, Sendable, Hashable, CaseIterable {
        case udp, tcp
    }

    package let scheme: Scheme
    /// The host name or IP address; an IPv6 address without its brackets.
    package let host: String
    /// The port; the default port if the URL has none.
    package let port: UInt16
    /// The value of `?transport=`; `nil` if the URL has none.
    package let statedTransport: Transport?

    /// The transport to the server: that of the URL, or else UDP, and TCP for secure schemes.
    ///
    /// With `udp`, a secure scheme means DTLS (RFC 7350).
    package var transport: Transport { statedTransport ?? (scheme.isSecure ? .tcp : .udp) }

    /// Parses a URL.
    ///
    /// - Throws: ``ParseError``, whose text contains no part of the URL that might be a password.
    package init(_ text: String) throws(ParseError) {
        var parser = ICEServerURLParser(text)
        scheme = try parser.takeScheme()
        statedTransport = try parser.takeTransport()
        host = try parser.takeHost()
        port = try parser.takePort() ?? scheme.defaultPort
    }
}

extension ICEServerURL {
    /// The reason why a text is not a valid URL of a STUN or TURN server.
    package struct ParseError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, to be inserted after the name of the setting: “is “stun:host:0”, whose port is …”.
        package let problem: String
        /// How to correct it.
        package let remedy: String

        package var description: String { "\(problem): \(remedy)" }
    }
}

extension ICEServerURL: CustomStringConvertible {
    /// The normalised URL: lower case, and without the default port.
    package var description: String {
        let shownHost = host.contains(":") ? "[\(host)]" : host
        return "\(scheme.rawValue):\(shownHost)" + (port == scheme.defaultPort ? "" : ":\(port)")
            + (statedTransport.map { "?transport=\($0.rawValue)" } ?? "")
    }
}

/// Parses a URL from left to right, and tracks its position.
private struct ICEServerURLParser {
    private let text: String
    private var rest: Substring
    private var scheme = ICEServerURL.Scheme.stun

    init(_ text: String) {
        self.text = text
        rest = text[...]
    }

    mutating func takeScheme() throws(ICEServerURL.ParseError) -> ICEServerURL.Scheme {
        guard !text.isEmpty else { throw ICEServerURL.ParseError(problem: "is empty", remedy: Self.example) }
        let word = text.prefix { $0 != ":" }
        guard word.endIndex < text.endIndex, let scheme = ICEServerURL.Scheme(rawValue: word.lowercased()) else {
            // Shows only text that may be a host without a scheme.
            let isHarmless = word.utf8.count <= 100 && NameResolver.isHostName(String(word))
            let shown = (isHarmless ? String(word) : "…") + (word.endIndex < text.endIndex ? ":…" : "")
            throw ICEServerURL.ParseError(
                problem: "is “\(shown)”, which has none of the schemes stun, stuns, turn and turns",
                remedy: Self.example)
        }
        self.scheme = scheme
        rest = text[word.endIndex...].dropFirst()
        if rest.hasPrefix("//") { throw makeError("with “//” after the scheme", Self.example) }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw makeError(
                "with characters that a URL does not have", "write the name in ASCII (“xn--…”), and no spaces")
        }
        if rest.contains("@") {
            throw makeError("with “@” in it", "write username and credential into their own fields")
        }
        return scheme
    }

    /// Parses the query first, so that host and port remain.
    mutating func takeTransport() throws(ICEServerURL.ParseError) -> ICEServerURL.Transport? {
        guard let mark = rest.firstIndex(of: "?") else { return nil }
        let query = rest[rest.index(after: mark)...]
        guard scheme.isRelay else {
            throw makeError("with a part after “?”", "leave it out: only “turn:” and “turns:” have one")
        }
        guard query.lowercased().hasPrefix("transport="),
            let transport = ICEServerURL.Transport(rawValue: query.dropFirst("transport=".count).lowercased())
        else {
            throw makeError(
                "with a part after “?” that TURN does not have",
                "write “?transport=udp” or “?transport=tcp”; TLS is the scheme “turns:”")
        }
        rest = rest[..<mark]
        return transport
    }

    mutating func takeHost() throws(ICEServerURL.ParseError) -> String {
        guard rest.first != "[" else { return try takeBracketedHost() }
        let host = rest.prefix { $0 != ":" }
        if host.endIndex < rest.endIndex, rest[host.endIndex...].dropFirst().contains(":"),
            IPAddress(String(rest))?.isIPv6 == true
        {
            throw makeError(
                "whose IPv6 address has no brackets", "write “\(scheme.rawValue):[\(rest)]:\(scheme.defaultPort)”")
        }
        if host.isEmpty { throw makeError("whose host is missing", Self.example) }
        if host.contains(",") {
            throw makeError("with a comma in it", "write username and credential into their own fields")
        }
        guard NameResolver.isHostName(String(host)) else {
            throw makeError(
                "whose host is not a name of letters, digits, “-” and “.”, nor an address, or is too long",
                Self.example)
        }
        // Some resolvers accept “1.2.3” and “0x7f.1” as addresses, with different meanings.
        let last = host.split(separator: ".").last ?? ""
        let isNumber = last.utf8.allSatisfy { (48...57).contains($0) } || last.lowercased().hasPrefix("0x")
        if isNumber, IPAddress(String(host)) == nil {
            throw makeError(
                "whose IPv4 address is malformed", "write four numbers from 0 to 255, such as “192.0.2.1”")
        }
        rest = rest[host.endIndex...]
        return String(host)
    }

    private mutating func takeBracketedHost() throws(ICEServerURL.ParseError) -> String {
        let remedy = "write “\(scheme.rawValue):[2001:db8::1]:\(scheme.defaultPort)”"
        guard let end = rest.firstIndex(of: "]") else { throw makeError("whose bracket is not closed", remedy) }
        let literal = String(rest[..<end].dropFirst())
        guard IPAddress(literal)?.isIPv6 == true else {
            throw makeError(
                literal.contains("%") ? "whose IPv6 address has a zone" : "whose IPv6 address is malformed", remedy)
        }
        rest = rest[end...].dropFirst()
        return literal
    }

    mutating func takePort() throws(ICEServerURL.ParseError) -> UInt16? {
        guard let first = rest.first else { return nil }
        if first != ":" { throw makeError("with something behind the host", Self.example) }
        let digits = rest.dropFirst()
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
        guard isNumber, let port = UInt16(digits), port > 0 else {
            let host = text[..<rest.startIndex].split(separator: ":", maxSplits: 1).last ?? "host"
            if isNumber, digits.utf8.count <= 6 { rest = "" }
            throw makeError(
                "whose port is not a number from 1 to 65535",
                "write “\(scheme.rawValue):\(host):\(scheme.defaultPort)”; IPv6 addresses stand in brackets")
        }
        rest = ""
        return port
    }

    private static let example = "write “stun:host:port” or “turn:host:port”"

    /// Includes the part parsed so far.
    private func makeError(_ reason: String, _ remedy: String) -> ICEServerURL.ParseError {
        let known = text[..<rest.startIndex]
        let shown = rest.isEmpty ? text : known + "…"
        return ICEServerURL.ParseError(problem: "is “\(shown)”, \(reason)", remedy: remedy)
    }
}
