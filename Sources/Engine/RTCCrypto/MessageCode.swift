internal import CNIOBoringSSL
internal import RTCTransport

/// HMAC (RFC 2104) of whole messages, other than for STUN and SRTP: relay credentials and tokens.
package enum MessageCode {
    /// - Returns: 20 bytes.
    package static func hmacSHA1(key: [UInt8], _ message: [UInt8]) -> [UInt8] { code(.sha1, key, message) }

    /// - Returns: 32 bytes.
    package static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] { code(.sha256, key, message) }

    /// Whether two codes are equal, in constant time.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }

    private static func code(_ algorithm: HMACAlgorithm, _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { BoringCrypto().hmac(algorithm, key: key, message: RawSpan(_unsafeBytes: $0)) }
    }
}
