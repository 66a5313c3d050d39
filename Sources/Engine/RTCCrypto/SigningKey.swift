internal import CNIOBoringSSL
package import RTCTransport

/// A private key on P-256 that signs with ES256 (RFC 7518, section 3.4). It is never printed.
///
/// Only read after its creation, which the library allows from several threads at once.
package final class SigningKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Reads a private key in PEM: `PRIVATE KEY` (RFC 5958), as in Apple's files of the name `.p8`, or `EC PRIVATE KEY`.
    ///
    /// - Throws: `CryptoError` if there is none, it is encrypted, or it is not on P-256.
    package init(pem text: String) throws(CryptoError) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let key = MemoryText.read(text, { PEM_read_bio_PrivateKey($0, nil, nil, nil) }) else {
            throw CryptoError("there is no private key in the PEM")
        }
        guard EVP_PKEY_id(key) == EVP_PKEY_EC, let curve = EVP_PKEY_get0_EC_KEY(key),
            EC_GROUP_get_curve_name(EC_KEY_get0_group(curve)) == NID_X9_62_prime256v1
        else {
            EVP_PKEY_free(key)
            throw CryptoError("the private key is not on P-256")
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns a signature as JSON Web Signatures have it: r and s, 32 bytes each.
    ///
    /// - Throws: `CryptoError` if the library fails.
    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(message, message.count, &digest)
        guard let curve = EVP_PKEY_get0_EC_KEY(key), let pair = ECDSA_do_sign(digest, digest.count, curve) else {
            throw CryptoError(attempting: "signing")
        }
        defer { ECDSA_SIG_free(pair) }
        var (r, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        guard BN_bn2bin_padded(&r, r.count, ECDSA_SIG_get0_r(pair)) == 1,
            BN_bn2bin_padded(&s, s.count, ECDSA_SIG_get0_s(pair)) == 1
        else { throw CryptoError(attempting: "signing") }
        return r + s
    }
}
