internal import CNIOBoringSSL
package import RTCTransport

/// The signature algorithms of JSON Web Signatures, by their names there (RFC 7518, section 3.1; RFC 8037).
///
/// Those with a shared secret are missing on purpose: who can verify them can forge them.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"
}

/// A public key that verifies signatures. It is never printed, though it is no secret.
package final class SignatureKey: Sendable {
    /// What kind of key it is: each algorithm takes one kind only.
    package enum Kind: Sendable, Hashable {
        case rsa
        case p256
        case p384
        case p521
        case ed25519
    }

    package let kind: Kind
    private let material: Material

    private init(_ kind: Kind, _ material: Material) {
        self.kind = kind
        self.material = material
    }

    /// An RSA key.
    ///
    /// - Parameters:
    ///   - modulus: In network byte order: 2,048 to 8,192 bits.
    ///   - exponent: Likewise: odd, 3 to 2³³ − 1.
    /// - Throws: `CryptoError` when the numbers make no key.
    package static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) -> SignatureKey {
        ERR_clear_error()
        // Checked before the library counts bits: an untrusted key must have a limited length.
        guard modulus.count <= 1_025, exponent.count <= 16 else { throw CryptoError("an RSA key is too long") }
        guard let n = BN_bin2bn(modulus, modulus.count, nil) else {
            throw CryptoError(attempting: "reading an RSA key")
        }
        defer { BN_free(n) }
        guard let e = BN_bin2bn(exponent, exponent.count, nil) else {
            throw CryptoError(attempting: "reading an RSA key")
        }
        defer { BN_free(e) }
        guard BN_num_bits(n) >= 2_048 else { throw CryptoError("an RSA key is shorter than 2,048 bits") }
        guard BN_num_bits(n) <= 8_192 else { throw CryptoError("an RSA key is longer than 8,192 bits") }
        guard let rsa = RSA_new_public_key(n, e) else { throw CryptoError(attempting: "reading an RSA key") }
        return SignatureKey(
            .rsa,
            try Material {
                EVP_PKEY_assign_RSA($0, rsa)
            } orFree: {
                RSA_free(rsa)
            })
    }

    /// A key on one of NIST's curves.
    ///
    /// - Parameters:
    ///   - kind: `p256`, `p384` or `p521`.
    ///   - x: The coordinates of a point on the curve, each of exactly the curve's size (RFC 7518, section 6.2.1.2).
    /// - Throws: `CryptoError` when they make no key.
    package static func ellipticCurve(_ kind: Kind, x: [UInt8], y: [UInt8]) throws(CryptoError) -> SignatureKey {
        ERR_clear_error()
        guard let size = kind.coordinateSize, let curve = kind.curve else {
            throw CryptoError("this is no curve of ECDSA")
        }
        guard x.count == size, y.count == size else {
            throw CryptoError("the coordinates of an elliptic curve's key have another length")
        }
        guard let key = EC_KEY_new_by_curve_name(curve) else { throw CryptoError(attempting: "reading a key") }
        let bx = BN_bin2bn(x, x.count, nil)
        let by = BN_bin2bn(y, y.count, nil)
        defer {
            BN_free(bx)
            BN_free(by)
        }
        guard EC_KEY_set_public_key_affine_coordinates(key, bx, by) == 1 else {
            EC_KEY_free(key)
            throw CryptoError(attempting: "reading an elliptic curve's key")
        }
        return SignatureKey(
            kind,
            try Material {
                EVP_PKEY_assign_EC_KEY($0, key)
            } orFree: {
                EC_KEY_free(key)
            })
    }

    /// A key of Ed25519: 32 bytes (RFC 8032, section 5.1.5).
    ///
    /// - Throws: `CryptoError` when it has another length.
    package static func ed25519(_ bytes: [UInt8]) throws(CryptoError) -> SignatureKey {
        guard bytes.count == Int(ED25519_PUBLIC_KEY_LEN) else { throw CryptoError("a key of Ed25519 has 32 bytes") }
        return SignatureKey(.ed25519, Material(edwards: bytes))
    }

    /// Whether `signature` is one of `message` by this key.
    ///
    /// - Parameters:
    ///   - signature: As JSON Web Signatures have it: of ECDSA, r and s one after the other (RFC 7518, section 3.4).
    ///   - algorithm: `false` for any that takes another kind of key.
    package func verifies(_ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
        guard algorithm.takes(kind) else { return false }
        ERR_clear_error()
        defer { ERR_clear_error() }
        switch kind {
        case .rsa: return verifiesRSA(signature, of: message, by: algorithm)
        case .p256, .p384, .p521: return verifiesECDSA(signature, of: message, by: algorithm)
        case .ed25519:
            guard signature.count == Int(ED25519_SIGNATURE_LEN) else { return false }
            return ED25519_verify(message, message.count, signature, material.edwards) == 1
        }
    }

    private func verifiesRSA(_ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        var options: OpaquePointer?
        guard EVP_DigestVerifyInit(context, &options, algorithm.digest, nil, material.key) == 1 else { return false }
        if algorithm.isProbabilistic {
            // The salt has the length of the digest: RFC 7518, section 3.5.
            guard EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
            else { return false }
        }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    private func verifiesECDSA(_ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
        guard let size = kind.coordinateSize, signature.count == 2 * size else { return false }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(message, message.count, &digest, &count, algorithm.digest, nil) == 1 else { return false }
        guard let pair = ECDSA_SIG_new() else { return false }
        defer { ECDSA_SIG_free(pair) }
        let r = BN_bin2bn(Array(signature[..<size]), size, nil)
        let s = BN_bin2bn(Array(signature[size...]), size, nil)
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return false
        }
        return ECDSA_do_verify(digest, Int(count), pair, EVP_PKEY_get0_EC_KEY(material.key)) == 1
    }
}

extension SignatureKey {
    /// The key in the library's format. Only read, which the library allows from several threads at once.
    private final class Material: @unchecked Sendable {
        let key: OpaquePointer?
        let edwards: [UInt8]

        init(edwards: [UInt8]) {
            key = nil
            self.edwards = edwards
        }

        init(assign: (OpaquePointer) -> Int32, orFree: () -> Void) throws(CryptoError) {
            edwards = []
            guard let key = EVP_PKEY_new() else {
                orFree()
                throw CryptoError(attempting: "reading a key")
            }
            guard assign(key) == 1 else {
                EVP_PKEY_free(key)
                orFree()
                throw CryptoError(attempting: "reading a key")
            }
            self.key = key
        }

        deinit {
            if let key { EVP_PKEY_free(key) }
        }
    }
}

extension SignatureKey.Kind {
    var curve: Int32? {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        case .rsa, .ed25519: nil
        }
    }

    /// The size of a coordinate in bytes.
    var coordinateSize: Int? {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        case .rsa, .ed25519: nil
        }
    }
}

extension SignatureAlgorithm {
    /// Whether a key of this kind can have made such a signature.
    package func takes(_ kind: SignatureKey.Kind) -> Bool {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: kind == .rsa
        case .es256: kind == .p256
        case .es384: kind == .p384
        case .es512: kind == .p521
        case .edDSA: kind == .ed25519
        }
    }

    fileprivate var isProbabilistic: Bool {
        switch self {
        case .ps256, .ps384, .ps512: true
        default: false
        }
    }

    fileprivate var digest: OpaquePointer? {
        switch self {
        case .rs256, .ps256, .es256: EVP_sha256()
        case .rs384, .ps384, .es384: EVP_sha384()
        case .rs512, .ps512, .es512: EVP_sha512()
        case .edDSA: nil
        }
    }
}
