internal import RTC
public import RTCWire

/// One or several STUN or TURN servers with the same credential (W3C `RTCIceServer`).
///
/// A STUN server tells a peer its public address. A TURN server relays between peers that find no direct path, and is
/// reached over UDP, TCP or TLS.
public struct RTCIceServer: Sendable, Hashable, Codable {
    /// The URLs: `stun:host:port`, `turn:host:port`, `turns:host:port?transport=tcp` (RFC 7064, RFC 7065). The port may
    /// be left out.
    public let urlStrings: [String]
    /// The username, required for TURN.
    public let username: String?
    /// The password, required for TURN.
    public let credential: String?

    public init(urlStrings: [String], username: String? = nil, credential: String? = nil) {
        self.urlStrings = urlStrings
        self.username = username
        self.credential = credential
    }

    private enum CodingKeys: CodingKey {
        case urlStrings, username, credential
    }

    /// Decodes and validates the servers.
    ///
    /// - Throws: ``ConfigError``
    public init(from decoder: any Decoder) throws {
        let container = try decoder.configContainer(keyedBy: CodingKeys.self)
        urlStrings = try container.field(.urlStrings, expected: "a list such as [\"stun:example.com:3478\"]")
        username = try container.optionalField(.username, expected: "a text")
        credential = try container.optionalField(.credential, expected: "a text")
        try validate(at: ConfigError.Path(decoder.codingPath))
    }

    /// Checks all URLs, and that TURN servers have a credential.
    ///
    /// - Throws: A ``ConfigError`` that names the first invalid value.
    public func validate() throws(ConfigError) {
        try validate(at: ConfigError.Path())
    }

    func validate(at path: ConfigError.Path) throws(ConfigError) {
        guard !urlStrings.isEmpty else {
            throw path["urlStrings"].error("is empty", remedy: "write a URL such as “stun:example.com:3478”")
        }
        for (index, text) in urlStrings.enumerated() {
            let url: ICEServerURL
            do throws(ICEServerURL.ParseError) {
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

extension RTCIceServer: Confidential {
    /// The URLs, without the credential, so that it can be logged.
    public var description: String { urlStrings.joined(separator: " ") }
    public var customMirror: Mirror { Mirror(self, children: ["urlStrings": urlStrings]) }
}
