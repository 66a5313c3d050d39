/// STUN and TURN servers (W3C `RTCIceServer`): the addresses of one, or several with the same credential.
///
/// TURN servers are accepted and not used yet: a path has to be found without a relay.
public struct RTCIceServer: Sendable, Hashable, Codable {
    /// `stun:host:port`, `turn:host:port`, `turns:host:port?transport=tcp` (RFC 7064, RFC 7065). The port may be
    /// missing.
    public let urlStrings: [String]
    /// For TURN.
    public let username: String?
    /// For TURN.
    public let credential: String?

    public init(urlStrings: [String], username: String? = nil, credential: String? = nil) {
        self.urlStrings = urlStrings
        self.username = username
        self.credential = credential
    }

    private enum CodingKeys: CodingKey {
        case urlStrings, username, credential
    }

    /// - Throws: ``ConfigError``
    public init(from decoder: any Decoder) throws {
        let container = try decoder.configContainer(keyedBy: CodingKeys.self)
        urlStrings = try container.field(.urlStrings, expected: "a list such as [\"stun:example.com:3478\"]")
        username = try container.optionalField(.username, expected: "a text")
        credential = try container.optionalField(.credential, expected: "a text")
        try validate(at: ConfigError.Path(decoder.codingPath))
    }

    /// Checks every address, and that there is a credential for TURN.
    ///
    /// - Throws: What is wrong with the first value that cannot be used.
    public func validate() throws(ConfigError) {
        try validate(at: ConfigError.Path())
    }

    func validate(at path: ConfigError.Path) throws(ConfigError) {
        guard !urlStrings.isEmpty else {
            throw path["urlStrings"].error("is empty", remedy: "write a URL such as “stun:example.com:3478”")
        }
        for (index, text) in urlStrings.enumerated() {
            let url: ICEServerURL
            switch ICEServerURL.parse(text) {
            case .success(let value): url = value
            case .failure(let flaw): throw path["urlStrings"][index].error(flaw.problem, remedy: flaw.remedy)
            }
            guard url.scheme.needsCredential else { continue }
            for (name, value) in [("username", username), ("credential", credential)] where value?.isEmpty ?? true {
                throw path[name].error("is missing", remedy: "write the one that “\(text)” asks for")
            }
        }
    }
}

extension RTCIceServer: CustomStringConvertible, CustomDebugStringConvertible {
    /// The addresses: a credential is nothing for a log.
    public var description: String { urlStrings.joined(separator: " ") }
    public var debugDescription: String { description }
}

/// A server's address, taken apart.
struct ICEServerURL: Hashable, Sendable {
    enum Scheme: String, Sendable {
        case stun, stuns, turn, turns

        var needsCredential: Bool { self == .turn || self == .turns }
    }

    struct Flaw: Error, Hashable {
        /// To follow the name of the field.
        let problem: String
        let remedy: String
    }

    let scheme: Scheme
    /// A name or a literal address, an IPv6 one with its brackets.
    let host: String
    /// `nil` for the scheme's own.
    let port: UInt16?
    /// `udp` or `tcp`; `nil` if it is not said.
    let transport: String?

    static func parse(_ text: String) -> Result<ICEServerURL, Flaw> {
        Result { () throws(Flaw) in try ICEServerURL(text) }
    }

    private init(_ text: String) throws(Flaw) {
        func flaw(_ reason: String, _ remedy: String) -> Flaw {
            // What might be a password is not repeated.
            let shown = text.contains("@") ? "…@" + (text.split(separator: "@").last ?? "") : text
            return Flaw(problem: "is “\(shown.prefix(100))”, \(reason)", remedy: remedy)
        }
        let example = "write “stun:host:port” or “turn:host:port”"
        guard let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: text[..<colon].lowercased()) else {
            throw flaw("which has none of the schemes stun, stuns, turn and turns", example)
        }
        self.scheme = scheme
        var rest = text[text.index(after: colon)...]
        guard !rest.hasPrefix("//") else { throw flaw("with “//” after the scheme", example) }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw flaw("with characters that a URL does not have", example)
        }
        guard !rest.contains("@") else { throw flaw("with “@” in it", "write the username into its own field") }
        transport = try Self.takeTransport(&rest, scheme, flaw)
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]"), rest[..<end].dropFirst().allSatisfy(Self.isIPv6),
                end != rest.startIndex
            else { throw flaw("whose IPv6 address is malformed", "write “\(scheme.rawValue):[2001:db8::1]:3478”") }
            host = String(rest[...end])
            rest = rest[rest.index(after: end)...]
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host.count)
        }
        guard !host.isEmpty, host != "[]", host.utf8.count <= 253, !host.contains("/") else {
            throw flaw("whose host is missing, too long or followed by a path", example)
        }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        // A sign is part of a number to UInt16, and of no port.
        guard rest.first == ":", digits.allSatisfy(\.isNumber), let number = UInt16(digits), number > 0 else {
            let shownHost = host.hasPrefix("[") ? host : "host"
            throw flaw(
                "whose port is not a number from 1 to 65535",
                "write “\(scheme.rawValue):\(shownHost):3478”; IPv6 addresses stand in brackets")
        }
        port = number
    }

    private static func takeTransport(
        _ rest: inout Substring, _ scheme: Scheme, _ flaw: (String, String) -> Flaw
    ) throws(Flaw) -> String? {
        guard let mark = rest.firstIndex(of: "?") else { return nil }
        let query = rest[rest.index(after: mark)...]
        rest = rest[..<mark]
        guard scheme.needsCredential, query == "transport=udp" || query == "transport=tcp" else {
            throw flaw(
                "with “?\(query)”", "only TURN has a part after “?”, and it is “transport=udp” or “transport=tcp”")
        }
        return String(query.dropFirst("transport=".count))
    }

    private static func isIPv6(_ character: Character) -> Bool {
        character.isHexDigit || character == ":" || character == "."
    }
}
