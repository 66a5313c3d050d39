internal import RTCCrypto
internal import RTCWire

/// A server's public keys: RFC 7517. Unknown and invalid keys are ignored.
struct KeySet: Sendable {
    struct Key: Sendable {
        let identifier: String?
        /// The only algorithm of the key, if the server specifies it.
        let algorithm: String?
        let isForSignatures: Bool
        let key: SignatureKey
    }

    let keys: [Key]
    /// Whether a private key is among them, which must not be published.
    let hasPrivateKeys: Bool
    private static let capacity = 64

    init(_ keys: [Key]) {
        self.keys = keys
        hasPrivateKeys = false
    }

    /// - Returns: `nil` if it is no key set.
    init?(_ document: JSON) {
        guard case .array(let items)? = document["keys"] else { return nil }
        keys = items.prefix(Self.capacity).compactMap(Self.key)
        hasPrivateKeys = items.contains { $0["d"] != nil }
    }

    /// - Throws: ``OAuthError`` `badResponse` if it is no key set.
    init(parsing body: [UInt8], of issuer: Issuer) throws(OAuthError) {
        guard let document = JSON(body), let keys = KeySet(document) else {
            throw OAuthError(.badResponse, "the keys of \(issuer) cannot be read")
        }
        self = keys
    }

    private static func key(_ item: JSON) -> Key? {
        func number(_ name: String) -> [UInt8]? { item[name]?.string.flatMap { Base64.decode($0, as: .url) } }
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

    /// The keys that a token may be signed with: the one with its identifier, or without an identifier all that match.
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

/// Caches a server's keys, and determines when to fetch them again, since servers rotate keys: a token may be signed with a new
/// key, or with a stolen one that was revoked.
struct KeySetCache: Sendable {
    enum Entry: Sendable {
        case none
        case fresh(KeySet)
        /// Fetch them again, and use these only if the server cannot be reached.
        case old(KeySet)
    }

    private var keys: KeySet?
    private var fetched = UnixTime(seconds: 0)
    private var lifetime: Int64 = 0
    /// When all fetches that were allowed are made up for, at one every ``spacing``.
    private var settled = UnixTime(seconds: 0)

    /// The cache lifetime in seconds, whatever the server says.
    private static let lifetimes: ClosedRange<Int64> = 300...3_600
    /// The time for which keys are used while the server cannot be reached, in seconds.
    private static let longest: Int64 = 86_400

    /// Five fetches at once, and then one a minute, in case somebody sends tokens with invented key identifiers. Each of
    /// those brings new keys, too, so that they are never older than a minute then.
    private static let limit: Int64 = 5
    private static let spacing: Int64 = 60
    /// The time for which fetched keys count as current, in seconds.
    private static let freshness: Int64 = 5

    /// Returns whether keys may be fetched now because one is missing. Counts as a fetch.
    mutating func mayFetch(now: UnixTime) -> Bool {
        // A clock that was set back locks nobody out.
        if now + Self.limit * Self.spacing < settled { settled = now }
        guard settled <= now + (Self.limit - 1) * Self.spacing else { return false }
        settled = max(settled, now) + Self.spacing
        return true
    }

    /// Whether the keys were fetched so recently that every key in use is among them.
    func areFresh(_ now: UnixTime) -> Bool { keys != nil && fetched <= now && now < fetched + Self.freshness }

    /// The cached keys, unless they are older than a day, or from the future.
    func entry(now: UnixTime) -> Entry {
        guard let keys, fetched <= now, now < fetched + Self.longest else { return .none }
        return now < fetched + lifetime ? .fresh(keys) : .old(keys)
    }

    /// - Parameter lifetime: The server's cache lifetime, in seconds.
    mutating func store(_ keys: KeySet, now: UnixTime, lifetime: Int64?) {
        self.keys = keys
        fetched = now
        self.lifetime = min(
            max(lifetime ?? Self.lifetimes.upperBound, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
    }
}
