internal import CNIOBoringSSL
package import RTCTransport

/// A private key on P-256, for tests that need to sign what the package only verifies.
package final class SignatureTestKey: @unchecked Sendable {
    private let key: OpaquePointer
    package let x: [UInt8]
    package let y: [UInt8]

    package init() throws(CryptoError) {
        guard let key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw CryptoError(attempting: "making a key")
        }
        self.key = key
        let (bx, by) = (BN_new(), BN_new())
        defer {
            BN_free(bx)
            BN_free(by)
        }
        guard EC_KEY_generate_key(key) == 1,
            EC_POINT_get_affine_coordinates_GFp(
                EC_KEY_get0_group(key), EC_KEY_get0_public_key(key), bx, by, nil) == 1
        else { throw CryptoError(attempting: "making a key") }
        x = Self.bytes(bx)
        y = Self.bytes(by)
    }

    deinit { EC_KEY_free(key) }

    /// A signature by ES256, as JSON Web Signatures have it.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(message, message.count, &digest)
        guard let pair = ECDSA_do_sign(digest, digest.count, key) else { return [] }
        defer { ECDSA_SIG_free(pair) }
        return Self.bytes(ECDSA_SIG_get0_r(pair)) + Self.bytes(ECDSA_SIG_get0_s(pair))
    }

    private static func bytes(_ number: UnsafePointer<BIGNUM>?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        BN_bn2bin_padded(&bytes, bytes.count, number)
        return bytes
    }
}
