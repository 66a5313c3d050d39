internal import CNIOBoringSSL
package import RTCTransport

extension SignatureKey {
    /// Reads a public key in PEM: `PUBLIC KEY` (RFC 7468, section 13), or `RSA PUBLIC KEY` (RFC 8017, appendix A.1.1).
    ///
    /// - Parameter text: The first key in it counts.
    /// - Throws: `CryptoError` when there is none, or it is of a kind or a size that ``SignatureKey`` does not have.
    package static func pem(_ text: String) throws(CryptoError) -> SignatureKey {
        ERR_clear_error()
        defer { ERR_clear_error() }
        if let key = MemoryText.read(text, { PEM_read_bio_PUBKEY($0, nil, nil, nil) }) {
            defer { EVP_PKEY_free(key) }
            return try read(key)
        }
        if let rsa = MemoryText.read(text, { PEM_read_bio_RSAPublicKey($0, nil, nil, nil) }) {
            defer { RSA_free(rsa) }
            return try read(rsa: rsa)
        }
        throw CryptoError("there is no public key in the PEM")
    }

    /// Converts the key by its numbers, so that the same limits apply as to a key given by numbers.
    private static func read(_ key: OpaquePointer) throws(CryptoError) -> SignatureKey {
        switch EVP_PKEY_id(key) {
        case EVP_PKEY_RSA:
            guard let rsa = EVP_PKEY_get0_RSA(key) else { throw CryptoError(attempting: "reading an RSA key") }
            return try read(rsa: rsa)
        case EVP_PKEY_EC:
            guard let curve = EVP_PKEY_get0_EC_KEY(key) else { throw CryptoError(attempting: "reading a key") }
            return try read(curve: curve)
        case EVP_PKEY_ED25519:
            var (bytes, count) = (
                [UInt8](repeating: 0, count: Int(ED25519_PUBLIC_KEY_LEN)), Int(ED25519_PUBLIC_KEY_LEN)
            )
            guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else {
                throw CryptoError(attempting: "reading a key of Ed25519")
            }
            return try .ed25519(bytes)
        default: throw CryptoError("the key is none of RSA, P-256, P-384, P-521 and Ed25519")
        }
    }

    private static func read(rsa: OpaquePointer) throws(CryptoError) -> SignatureKey {
        try .rsa(modulus: bytes(RSA_get0_n(rsa)), exponent: bytes(RSA_get0_e(rsa)))
    }

    private static func read(curve key: OpaquePointer) throws(CryptoError) -> SignatureKey {
        let kinds: [Kind] = [.p256, .p384, .p521]
        let name = EC_GROUP_get_curve_name(EC_KEY_get0_group(key))
        guard let kind = kinds.first(where: { $0.curve == name }), let size = kind.coordinateSize else {
            throw CryptoError("the key's curve is none of P-256, P-384 and P-521")
        }
        let (x, y) = (BN_new(), BN_new())
        defer {
            BN_free(x)
            BN_free(y)
        }
        var (bytesOfX, bytesOfY) = ([UInt8](repeating: 0, count: size), [UInt8](repeating: 0, count: size))
        guard EC_POINT_get_affine_coordinates_GFp(EC_KEY_get0_group(key), EC_KEY_get0_public_key(key), x, y, nil) == 1,
            BN_bn2bin_padded(&bytesOfX, size, x) == 1, BN_bn2bin_padded(&bytesOfY, size, y) == 1
        else { throw CryptoError(attempting: "reading an elliptic curve's key") }
        return try .ellipticCurve(kind, x: bytesOfX, y: bytesOfY)
    }

    private static func bytes(_ number: UnsafePointer<BIGNUM>?) -> [UInt8] {
        guard let number else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(BN_num_bytes(number))) { bytes, count in
            count = bytes.baseAddress.map { BN_bn2bin(number, $0) } ?? 0
        }
    }
}
