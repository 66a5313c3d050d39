internal import RTCCrypto

/// The configured keys of a server for JSON Web Tokens: public keys, or one secret.
///
/// The configuration alone determines which, never a token: a public key is never used as HMAC secret, and a secret verifies
/// HS256 only (RFC 8725, sections 2.1 and 3.1).
struct TokenKeys: Sendable {
    private enum Material: Sendable {
        case publicKeys(KeySet)
        case secret([UInt8])
    }

    private let material: Material

    /// RFC 7518, section 3.2: not shorter than the hash.
    private static let shortestSecret = 32

    /// - Parameter text: A public key in PEM, a set of keys in JSON (RFC 7517), or a secret for HMAC with SHA-256.
    /// - Throws: ``OAuthError`` `badConfiguration`.
    init(parsing text: String) throws(OAuthError) {
        if text.contains("-----BEGIN") {
            material = .publicKeys(try Self.pem(text))
        } else if Self.isJSON(text) {
            material = .publicKeys(try Self.set(text))
        } else {
            material = .secret(try Self.secret(text))
        }
    }

    /// Whether the text is meant as JSON: it begins as an object, or is an array, which is no key set. A secret may be a number.
    private static func isJSON(_ text: String) -> Bool {
        if text.drop(while: \.isWhitespace).hasPrefix("{") { return true }
        guard case .array? = JSON(text.utf8) else { return false }
        return true
    }

    private static func failure(_ why: String) -> OAuthError { OAuthError(.badConfiguration, why) }

    private static func pem(_ text: String) throws(OAuthError) -> KeySet {
        guard !text.contains("PRIVATE KEY") else {
            throw failure("this is a private key; the server needs the public one only")
        }
        guard let key = try? SignatureKey.pem(text) else {
            throw failure("this is neither a public key in PEM nor a set of keys in JSON")
        }
        return KeySet([KeySet.Key(key)])
    }

    private static func set(_ text: String) throws(OAuthError) -> KeySet {
        guard let document = JSON(text.utf8), let set = KeySet(document) else {
            throw failure("this is neither a public key in PEM nor a set of keys in JSON")
        }
        guard !set.hasPrivateKeys else {
            throw failure("there is a private key in the set; the server needs public ones only")
        }
        guard !set.keys.isEmpty else { throw failure("no key of the set can be used") }
        return KeySet(set.keys.map { $0.forOneAlgorithm() })
    }

    private static func secret(_ text: String) throws(OAuthError) -> [UInt8] {
        var secret = Array(text.utf8)
        while let last = secret.last, last == 10 || last == 13 { secret.removeLast() }
        guard secret.count >= shortestSecret else { throw failure("the secret is shorter than 32 bytes") }
        // A public key without its PEM frame, or of SSH, is not secret.
        guard !isPublicKey(text), !text.hasPrefix("ssh-"), !text.hasPrefix("ecdsa-sha2-") else {
            throw failure("this is a public key, which is no secret: give it in PEM")
        }
        return secret
    }

    /// Whether the text is the content of a public key in PEM.
    private static func isPublicKey(_ text: String) -> Bool {
        var (lines, rest) = ([Substring](), text.filter { !$0.isWhitespace }[...])
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return ["PUBLIC KEY", "RSA PUBLIC KEY"].contains {
            let pem = ["-----BEGIN \($0)-----"] + lines + ["-----END \($0)-----", ""]
            return (try? SignatureKey.pem(pem.joined(separator: "\n"))) != nil
        }
    }

    /// - Returns: The token's type and its verified claims.
    /// - Throws: ``OAuthError``: why the token is refused.
    func verify(_ token: Secret) throws(OAuthError) -> (type: String?, claims: JSON) {
        switch material {
        case .publicKeys(let keys):
            let signed = try SignedToken(parsing: token, allowed: SignatureAlgorithm.allCases)
            return (signed.type, try signed.verify(withOwn: keys))
        case .secret(let secret):
            let coded = try CompactToken(parsing: token, allowed: ["HS256"])
            guard MessageCode.areEqual(MessageCode.hmacSHA256(key: secret, coded.message), coded.signature) else {
                throw OAuthError(.badSignature, "the token's signature is wrong: somebody else wrote or changed it")
            }
            return (coded.type, coded.unverifiedClaims)
        }
    }
}

extension KeySet.Key {
    /// A single key without metadata.
    fileprivate init(_ key: SignatureKey) {
        self.init(identifier: nil, algorithm: nil, isForSignatures: true, key: key)
        self = forOneAlgorithm()
    }

    /// The key with one algorithm (RFC 8725, section 3.1): RS256 for RSA, unless the key names another. Other kinds have only
    /// one.
    fileprivate func forOneAlgorithm() -> KeySet.Key {
        guard algorithm == nil, key.kind == .rsa else { return self }
        return KeySet.Key(
            identifier: identifier, algorithm: SignatureAlgorithm.rs256.rawValue, isForSignatures: isForSignatures,
            key: key)
    }
}

extension TokenKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What they are, without the secret.
    var description: String {
        switch material {
        case .publicKeys(let set): "\(set.keys.count) public keys"
        case .secret: "a secret"
        }
    }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
