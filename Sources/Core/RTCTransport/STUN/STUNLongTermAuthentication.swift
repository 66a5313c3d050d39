internal import RTCWire

/// The client side of the long-term credential mechanism (RFC 8489, section 9.2): evaluates a server's challenge and
/// authenticates requests.
///
/// It has no textual description, to keep user names, passwords and keys out of logs.
struct STUNLongTermAuthentication {
    /// The reason why a challenge cannot be answered.
    enum Refusal: Sendable, Hashable {
        /// REALM or NONCE is missing or malformed.
        case malformed
        /// The nonce announces password algorithms that are missing, or they were present before and are missing now.
        /// An attacker may have removed them (section 9.2.5).
        case bidDown
        /// The server offers no supported password algorithm.
        case noAlgorithm
    }

    private let crypto: any CryptoProvider
    private(set) var credentials: TURNCredentials?
    private var challenge: Challenge?
    /// Whether a response with SHA-256 was authentic: a downgrade is refused from then on.
    private var hasProvedSHA256 = false

    init(credentials: TURNCredentials?, crypto: any CryptoProvider) {
        self.credentials = credentials
        self.crypto = crypto
    }

    private struct Challenge {
        let realm: [UInt8]
        let nonce: [UInt8]
        /// The value of PASSWORD-ALGORITHMS, which is echoed unchanged.
        let algorithms: [UInt8]?
        let algorithm: PasswordAlgorithm
        let usesUserhash: Bool
        let key: [UInt8]
        let userhash: [UInt8]
    }

    /// The password algorithms (RFC 8489, section 18.5).
    private enum PasswordAlgorithm: UInt16 {
        case md5 = 1
        case sha256 = 2
    }

    /// Whether requests are authenticated because a challenge was received.
    var isReady: Bool { challenge != nil }

    /// The realm of the last challenge.
    var realm: [UInt8]? { challenge?.realm }

    /// Replaces the credentials for later requests. The server's proof of SHA-256 remains valid.
    mutating func replace(_ credentials: TURNCredentials?) {
        self.credentials = credentials
        challenge = nil
    }

    /// Forgets the server's challenge, for another server.
    mutating func forget() {
        challenge = nil
        hasProvedSHA256 = false
    }

    // MARK: Challenges

    /// Processes a 401 or 438 response.
    ///
    /// - Returns: The reason why the request cannot be repeated, or `nil`.
    mutating func take(_ message: borrowing STUNMessage) -> Refusal? {
        guard let credentials, let nonce = Self.bytes(.nonce, in: message), !nonce.isEmpty else { return .malformed }
        // Section 9.2.5: 438 carries a realm too, but coturn and older servers may omit it.
        guard let realm = Self.bytes(.realm, in: message) ?? challenge?.realm, !realm.isEmpty else { return .malformed }
        let features = SecurityFeatures(nonce: nonce)
        var algorithm = PasswordAlgorithm.md5
        var algorithms: [UInt8]?
        if let value = message.value(of: .passwordAlgorithms) {
            guard value.byteCount <= 256 else { return .malformed }
            guard let chosen = Self.choose(from: value) else { return .noAlgorithm }
            algorithm = chosen
            algorithms = value.array
        } else if features.passwordAlgorithms || hasProvedSHA256 {
            return .bidDown
        }
        let realmText = String(decoding: realm, as: UTF8.self)
        let key: [UInt8]? =
            switch algorithm {
            case .md5:
                STUNCredentials.longTermKey(
                    username: credentials.username, realm: realmText, password: credentials.password, crypto: crypto)
            case .sha256:
                STUNCredentials.longTermKeySHA256(
                    username: credentials.username, realm: realmText, password: credentials.password, crypto: crypto)
            }
        guard let key,
            let userhash = STUNCredentials.userhash(username: credentials.username, realm: realmText, crypto: crypto)
        else { return .noAlgorithm }
        challenge = Challenge(
            realm: realm, nonce: nonce, algorithms: algorithms, algorithm: algorithm,
            usesUserhash: features.usernameAnonymity, key: key, userhash: userhash)
        return nil
    }

    /// A text attribute of at most 763 bytes (sections 14.9 and 14.10); `nil` when it is missing or longer.
    private static func bytes(_ type: STUNAttributeType, in message: borrowing STUNMessage) -> [UInt8]? {
        guard let value = message.value(of: type), value.byteCount <= 763 else { return nil }
        return value.array
    }

    /// The first supported algorithm of PASSWORD-ALGORITHMS (section 14.11):
    ///
    /// ```
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |          Algorithm 1          |  Algorithm 1 Parameters Length|
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |                Algorithm 1 Parameters (variable)
    /// ```
    private static func choose(from value: RawSpan) -> PasswordAlgorithm? {
        var reader = ByteReader(value)
        while let number = reader.readUInt16(), let length = reader.readUInt16() {
            // Both defined algorithms have no parameters.
            if length == 0, let algorithm = PasswordAlgorithm(rawValue: number) { return algorithm }
            guard reader.skip((Int(length) + 3) & ~3) else { return nil }
        }
        return nil
    }

    // MARK: Requests and responses

    /// Writes user name, realm and nonce, and the integrity over everything before. Writes nothing without a challenge.
    func write(to writer: inout STUNMessageWriter) {
        guard let challenge, let credentials else { return }
        if challenge.usesUserhash {
            writer.write(.userhash, challenge.userhash)
        } else {
            writer.write(.username, credentials.username)
        }
        writer.write(.realm, challenge.realm)
        writer.write(.nonce, challenge.nonce)
        guard let algorithms = challenge.algorithms else {
            writer.writeMessageIntegrity(key: challenge.key, crypto: crypto)
            return
        }
        writer.write(.passwordAlgorithms, algorithms)
        writer.write(.passwordAlgorithm, UInt32(challenge.algorithm.rawValue) << 16)
        // Section 9.2.5: only SHA-256 from now on.
        writer.writeMessageIntegritySHA256(key: challenge.key, crypto: crypto)
    }

    /// Whether a response has the integrity attribute that the request requires.
    mutating func verify(_ message: borrowing STUNMessage) -> Bool {
        guard let challenge else { return false }
        guard challenge.algorithms != nil else {
            return message.verifyMessageIntegrity(key: challenge.key, crypto: crypto)
        }
        guard message.verifyMessageIntegritySHA256(key: challenge.key, crypto: crypto) else { return false }
        hasProvedSHA256 = true
        return true
    }
}

/// The security features announced in a nonce, so that they cannot be removed from the message unnoticed (RFC 8489,
/// section 9.2): after the cookie, four base64 characters with 24 flags.
struct SecurityFeatures: Sendable, Hashable {
    var passwordAlgorithms = false
    var usernameAnonymity = false

    static let cookie = Array("obMatJos2".utf8)

    init(nonce: [UInt8]) {
        guard nonce.count >= Self.cookie.count + 4, nonce.starts(with: Self.cookie) else { return }
        var flags: UInt32 = 0
        for character in nonce[Self.cookie.count..<Self.cookie.count + 4] {
            guard let bits = Self.value(character) else { return }
            flags = flags << 6 | UInt32(bits)
        }
        // Section 18.1 numbers the bits from the left, its erratum 6290 and the vector of appendix B.1 from the right;
        // both kinds of servers exist, and no other flags are defined.
        passwordAlgorithms = flags & 0x80_0001 != 0
        usernameAnonymity = flags & 0x40_0002 != 0
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
