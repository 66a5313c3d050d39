internal import RTCCrypto
internal import RTCSignaling
internal import RTCWire

/// The key by which a server proves to Apple's push service that it belongs to a team.
struct ProviderKey: Sendable {
    let key: SigningKey
    let keyID: String
    let teamID: String

    /// - Parameters:
    ///   - pem: The contents of the file `.p8`.
    ///   - keyID: The 10 letters and digits of the key.
    ///   - teamID: Those of the team.
    /// - Throws: ``SignalingServerError``, without the key.
    init(pem: String, keyID: String, teamID: String) throws(SignalingServerError) {
        guard Self.isIdentifier(keyID) else { throw .setting("the key's identifier is 10 letters and digits") }
        guard Self.isIdentifier(teamID) else { throw .setting("the team's identifier is 10 letters and digits") }
        do {
            key = try SigningKey(pem: pem)
        } catch {
            throw .setting("the file has no private key on P-256, as Apple's .p8 files do")
        }
        (self.keyID, self.teamID) = (keyID, teamID)
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xDF) }
    }

    /// Returns a JSON Web Token (RFC 7519), as Apple's “Establishing a token-based connection to APNs” has it.
    ///
    /// - Parameter time: The current time in seconds since 1970.
    /// - Returns: `nil` if the library fails.
    func token(at time: Int64) -> String? {
        let header = Base64.encode(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8), as: .url)
        let claims = Base64.encode(Array(#"{"iss":"\#(teamID)","iat":\#(time)}"#.utf8), as: .url)
        guard let signature = try? key.sign(Array("\(header).\(claims)".utf8)) else { return nil }
        return "\(header).\(claims).\(Base64.encode(signature, as: .url))"
    }
}

/// Which token is used when: one for less than an hour, and never two within 20 minutes, since the service refuses both.
struct ProviderTokens {
    private var key: ProviderKey
    private var current: (token: String, issuedAt: Duration)?
    /// Whether the service has refused the current one.
    private var isRefused = false

    /// The age at which a token is replaced. The service refuses those of an hour.
    static let refreshAge: Duration = .seconds(50 * 60)
    /// The shortest time between two tokens.
    static let shortestInterval: Duration = .seconds(20 * 60 + 5)

    init(_ key: ProviderKey) {
        self.key = key
    }

    /// Uses another key from now on. A new token of the same key would come too early.
    mutating func replace(_ key: ProviderKey) {
        let isOther = key.keyID != self.key.keyID || key.teamID != self.key.teamID
        self.key = key
        if isOther { (current, isRefused) = (nil, false) }
    }

    /// Returns the token to use.
    ///
    /// - Parameters:
    ///   - now: The time on a monotonic clock.
    ///   - time: The current time in seconds since 1970.
    /// - Returns: `nil` if none can be made.
    mutating func token(at now: Duration, time: Int64) -> String? {
        if let current {
            let age = now - current.issuedAt
            if age < Self.shortestInterval || age < Self.refreshAge && !isRefused { return current.token }
        }
        guard let token = key.token(at: time) else { return nil }
        (current, isRefused) = ((token, now), false)
        return token
    }

    /// Notes that the service has refused a token as expired.
    ///
    /// - Returns: Whether there can be another one at once.
    mutating func refused(_ token: String, at now: Duration) -> Bool {
        guard let current else { return true }
        // Another request has already brought a new one.
        guard current.token == token else { return true }
        isRefused = true
        return now - current.issuedAt >= Self.shortestInterval
    }
}
