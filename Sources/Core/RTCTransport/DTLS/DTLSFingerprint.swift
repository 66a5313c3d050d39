import RTCWire

/// The digest of a certificate, by which a session description announces it (RFC 8122, section 5).
///
///     a=fingerprint:sha-256 4A:AD:B9:B1:…
public struct Fingerprint: Hashable, Sendable {
    public let algorithm: DigestAlgorithm
    /// The digest; as long as the algorithm's digests are.
    public let bytes: [UInt8]

    /// `nil` when `bytes` is not as long as a digest of `algorithm`.
    package init?(algorithm: DigestAlgorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Parses an attribute's value, such as `sha-256 4A:AD:…`: a hash function, one space or more, and the digest.
    ///
    /// `nil` for a hash function that is unknown, and for a digest that is malformed or of the wrong length. Neither
    /// the function's name nor the digits are case-sensitive.
    package init?(_ attributeValue: String) {
        let words = attributeValue.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2 else { return nil }
        self.init(algorithm: words[0], digest: words[1])
    }

    /// Parses the two words of an attribute's value.
    package init?(algorithm: some StringProtocol, digest: some StringProtocol) {
        guard let algorithm = DigestAlgorithm(rawValue: algorithm.lowercased()),
            let bytes = Self.bytes(of: digest)
        else { return nil }
        self.init(algorithm: algorithm, bytes: bytes)
    }

    /// The fingerprint of a certificate in DER, or `nil` where the provider lacks the algorithm.
    package init?(
        ofCertificate der: [UInt8], algorithm: DigestAlgorithm = .sha256, crypto: any CryptoProvider
    ) {
        let digest = der.withUnsafeBytes { crypto.digest(algorithm, of: RawSpan(_unsafeBytes: $0)) }
        guard let digest else { return nil }
        self.init(algorithm: algorithm, bytes: digest)
    }

    /// The digest as upper-case hexadecimal pairs with colons between: `4A:AD:B9:…`.
    package var text: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 3)
        for byte in bytes {
            if !text.isEmpty { text.append(UInt8(ascii: ":")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The value of an `a=fingerprint` attribute: `sha-256 4A:AD:…`.
    public var attributeValue: String { "\(algorithm.rawValue) \(text)" }

    /// Whether a certificate may be accepted by this fingerprint: SHA-2 of 256 bits or more.
    package var isAcceptable: Bool { algorithm.strength != nil }

    /// The fingerprints by which a certificate is judged: those of the strongest hash function among `announced`.
    ///
    /// RFC 8122, section 5: an endpoint picks the hash function it likes best among those announced, and the
    /// certificate has to match any one fingerprint of that function. SHA-1 and MD5 are never picked.
    package static func strongest(of announced: [Fingerprint]) -> [Fingerprint] {
        guard let best = announced.compactMap(\.algorithm.strength).max() else { return [] }
        return announced.filter { $0.algorithm.strength == best }
    }

    private static func bytes(of digest: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        var isAfterByte = false
        for character in digest.utf8 {
            if character == UInt8(ascii: ":") {
                guard isAfterByte else { return nil }
                isAfterByte = false
                continue
            }
            // A pair follows the start or a colon, never another pair.
            guard !isAfterByte, let nibble = hexadecimal(character), bytes.count < 64 else { return nil }
            if let first = high {
                bytes.append(first << 4 | nibble)
                high = nil
                isAfterByte = true
            } else {
                high = nibble
            }
        }
        return isAfterByte ? bytes : nil
    }

    private static func hexadecimal(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension DigestAlgorithm {
    /// The length of a digest in bytes.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The preference of a fingerprint with this function, or `nil` if it is not accepted.
    var strength: Int? {
        switch self {
        case .md5, .sha1, .sha224: nil
        case .sha256: 256
        case .sha384: 384
        case .sha512: 512
        }
    }
}
