internal import RTCCrypto

/// A server's public keys: RFC 7517. Keys of a kind that is not known here, or that cannot be read, are passed over.
struct KeySet: Sendable {
    struct Key: Sendable {
        let identifier: String?
        /// The one algorithm that the key is for, where the server says so.
        let algorithm: String?
        let isForSignatures: Bool
        let key: SignatureKey
    }

    let keys: [Key]
    /// Whether a key has a private half beside it, which is nobody's to give away.
    let hasPrivateKeys: Bool
    private static let capacity = 64

    init(_ keys: [Key]) {
        self.keys = keys
        hasPrivateKeys = false
    }

    /// - Returns: `nil` for what is no key set.
    init?(_ document: JSON) {
        guard case .array(let items)? = document["keys"] else { return nil }
        keys = items.prefix(Self.capacity).compactMap(Self.key)
        hasPrivateKeys = items.contains { $0["d"] != nil }
    }

    /// - Throws: ``OAuthError`` `badResponse` for what is no key set.
    init(parsing body: [UInt8], of issuer: Issuer) throws(OAuthError) {
        guard let document = JSON(body), let keys = KeySet(document) else {
            throw OAuthError(.badResponse, "the keys of \(issuer) cannot be read")
        }
        self = keys
    }

    private static func key(_ item: JSON) -> Key? {
        func number(_ name: String) -> [UInt8]? { item[name]?.string.flatMap { Base64URL.decode($0) } }
        let key: SignatureKey?
        switch (item["kty"]?.string, item["crv"]?.string) {
        case ("RSA", _):
            guard let n = number("n"), let e = number("e") else { return nil }
            key = try? .rsa(modulus: n, exponent: e)
        case ("EC", let curve):
            let kinds: [String: SignatureKey.Kind] = ["P-256": .p256, "P-384": .p384, "P-521": .p521]
            guard let kind = curve.flatMap({ kinds[$0] }), let x = number("x"), let y = number("y") else { return nil }
            key = try? .ellipticCurve(kind, x: x, y: y)
        case ("OKP", "Ed25519"): key = number("x").flatMap { try? .ed25519($0) }
        default: return nil
        }
        guard let key else { return nil }
        let operations = item["key_ops"]?.strings
        return Key(
            identifier: item["kid"]?.string, algorithm: item["alg"]?.string,
            isForSignatures: (item["use"]?.string ?? "sig") == "sig" && (operations?.contains("verify") ?? true),
            key: key)
    }

    /// The keys that a token may be signed by: that of its identifier, or without one, all that fit.
    func candidates(_ identifier: String?, _ algorithm: SignatureAlgorithm) -> [Key] {
        guard let identifier else { return keys.filter { $0.fits(algorithm) } }
        return keys.filter { $0.identifier == identifier }
    }
}

extension KeySet.Key {
    func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        isForSignatures && algorithm.takes(key.kind) && (self.algorithm ?? algorithm.rawValue) == algorithm.rawValue
    }
}

/// Keeps a server's keys, and says when to fetch them again: servers change them. A token may be signed by a new one, or by
/// one that was stolen and taken back.
struct KeySetCache: Sendable {
    enum Entry: Sendable {
        case none
        case fresh(KeySet)
        /// Fetch them again, and believe these only if that fails for want of a network.
        case old(KeySet)
    }

    private var keys: KeySet?
    private var fetched = UnixTime(seconds: 0)
    private var lifetime: Int64 = 0
    private var fetches: [UnixTime] = []

    /// How long keys are believed without a question, in seconds, whatever the server wishes.
    private static let lifetimes: ClosedRange<Int64> = 300...3_600
    /// How long they are believed while the server cannot be reached.
    private static let longest: Int64 = 86_400

    /// Whoever sends tokens with made-up key identifiers must not make this machine fetch without end: so many times in
    /// so many seconds.
    private static let limit = 5
    private static let period: Int64 = 300
    /// How long keys are the newest that there can be, in seconds.
    private static let moment: Int64 = 5

    /// Whether keys that lack what is looked for may be fetched (again) now. Asking counts.
    mutating func mayFetch(now: UnixTime) -> Bool {
        fetches.removeAll { $0 + Self.period <= now || now < $0 }
        guard fetches.count < Self.limit else { return false }
        fetches.append(now)
        return true
    }

    /// Whether keys were fetched so recently that whatever signs tokens now is among them.
    func areOfNow(_ now: UnixTime) -> Bool { keys != nil && fetched <= now && now < fetched + Self.moment }

    /// What is known. Keys that are a day old, or of the future, are not.
    func entry(now: UnixTime) -> Entry {
        guard let keys, fetched <= now, now < fetched + Self.longest else { return .none }
        return now < fetched + lifetime ? .fresh(keys) : .old(keys)
    }

    /// - Parameter lifetime: How long the server says that they may be kept, in seconds.
    mutating func store(_ keys: KeySet, now: UnixTime, lifetime: Int64?) {
        self.keys = keys
        fetched = now
        self.lifetime = min(
            max(lifetime ?? Self.lifetimes.upperBound, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
    }
}
