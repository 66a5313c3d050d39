/// The cryptographic functions that the transport cores use.
///
/// The cores contain no cryptography. `RTCCrypto` implements this protocol with BoringSSL; a simulation uses a fast,
/// repeatable stand-in. A provider is a class, shared by all parts of one peer.
package protocol CryptoProvider: AnyObject {
    /// The digest of `message`, or `nil` where the provider lacks the algorithm.
    func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]?

    /// HMAC (RFC 2104) of `message`, as STUN's MESSAGE-INTEGRITY attributes use it.
    func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8]

    /// A DTLS endpoint that has not started.
    ///
    /// - Throws: `CryptoError` when the certificate or a setting cannot be used.
    func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession

    /// The cryptography of SRTP for one direction, with session keys derived from a master key and salt (RFC 3711,
    /// section 4.3; RFC 7714, section 11).
    ///
    /// - Parameters:
    ///   - masterKey: ``SRTPProfile/keyLength`` bytes.
    ///   - masterSalt: ``SRTPProfile/saltLength`` bytes.
    /// - Throws: `CryptoError` when the lengths are wrong or the provider lacks the profile.
    func makeSRTPCipher(
        profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
    ) throws(CryptoError) -> any SRTPCipher
}

/// The hash functions that a certificate fingerprint may use (RFC 8122, section 5).
public enum DigestAlgorithm: String, Sendable, CaseIterable {
    case sha1 = "sha-1"
    case sha224 = "sha-224"
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"
    /// For STUN's long-term credentials only (RFC 8489, section 9.2.2); never accepted as a fingerprint.
    case md5 = "md5"
}

/// The hash functions of STUN message integrity.
package enum HMACAlgorithm: Sendable {
    /// MESSAGE-INTEGRITY, 20 bytes (RFC 8489, section 14.5).
    case sha1
    /// MESSAGE-INTEGRITY-SHA256, 32 bytes (RFC 8489, section 14.6).
    case sha256
}

/// A failure of the cryptographic library, or invalid input to it.
public struct CryptoError: Error, Sendable, CustomStringConvertible {
    /// The cause of the failure, and how to fix it.
    public let message: String

    @usableFromInline package init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
