internal import RTC

/// STUN and TURN servers (W3C `RTCIceServer`): the addresses of one, or several with the same credential.
///
/// STUN tells a peer its public address; TURN relays where two peers find no direct way, over UDP, TCP or TLS.
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
            do throws(ICEServerURL.Flaw) {
                url = try ICEServerURL(text)
            } catch {
                throw path["urlStrings"][index].error(error.problem, remedy: error.remedy)
            }
            guard url.scheme.isRelay else { continue }
            for (name, value) in [("username", username), ("credential", credential)] where value?.isEmpty ?? true {
                throw path[name].error("is missing", remedy: "write the one that “\(text)” asks for")
            }
        }
    }
}

extension RTCIceServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The addresses: a credential is nothing for a log.
    public var description: String { urlStrings.joined(separator: " ") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["urlStrings": urlStrings]) }
}
