internal import CNIOBoringSSL
public import RTCTransport
public import RTCWire

/// A certificate with its private key, generated or supplied by the app.
///
/// The key never leaves it and is never printed. Give it to as many peers as you like; peers that share one can be
/// recognised as the same by those whom they call.
public final class Certificate: LocalCertificate, CustomStringConvertible, @unchecked Sendable {
    public let der: [UInt8]
    public let expiry: Int64
    /// Certificate chain and key in the library's format, shared by all connections.
    let credential: OpaquePointer

    /// A new self-signed ECDSA certificate on P-256, under a random name. Takes about 0.1 ms.
    ///
    /// - Parameters:
    ///   - lifetime: How long it is valid from now on. It became valid a day ago, for peers whose clock is behind.
    ///   - now: The time in seconds since 1970, by default the system's.
    /// - Throws: `CryptoError` when `lifetime` is not positive or reaches past the year 9999.
    public static func generate(
        lifetime: TimeDelta = .seconds(30 * 86_400), now: Int64? = nil
    ) throws(CryptoError) -> Certificate {
        ERR_clear_error()
        guard lifetime > .zero else { throw CryptoError("a certificate's lifetime has to be positive") }
        guard let key = EVP_PKEY_new(), let curve = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw CryptoError(attempting: "making a key")
        }
        defer { EVP_PKEY_free(key) }
        guard EVP_PKEY_assign_EC_KEY(key, curve) == 1, EC_KEY_generate_key(curve) == 1 else {
            throw CryptoError(attempting: "making a key")
        }
        guard let certificate = X509_new() else { throw CryptoError(attempting: "making a certificate") }
        defer { X509_free(certificate) }
        try fill(certificate, key: key, lifetime: lifetime.nanoseconds / 1_000_000_000, now: now)
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else {
            throw CryptoError(attempting: "signing a certificate")
        }
        return try Certificate(certificate, key: key)
    }

    /// A certificate that the app supplies in PEM.
    ///
    /// - Parameters:
    ///   - pem: The text with `BEGIN CERTIFICATE`. The first certificate counts: WebRTC judges no chain.
    ///   - privateKeyPEM: The text with `BEGIN PRIVATE KEY` or `BEGIN EC PRIVATE KEY`, not encrypted.
    /// - Throws: `CryptoError` when one cannot be read, or they do not belong together.
    public convenience init(pem: String, privateKeyPEM: String) throws(CryptoError) {
        ERR_clear_error()
        let certificate = MemoryText.read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        guard let certificate else { throw CryptoError(attempting: "reading the certificate's PEM") }
        defer { X509_free(certificate) }
        // The password callback returns none; otherwise the library would prompt on the terminal.
        let key = MemoryText.read(privateKeyPEM) {
            PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key else { throw CryptoError(attempting: "reading the private key's PEM") }
        defer { EVP_PKEY_free(key) }
        try self.init(certificate, key: key)
    }

    /// A certificate that the app supplies in DER.
    ///
    /// - Parameters:
    ///   - der: The certificate.
    ///   - privateKeyDER: The key as PKCS #8, or in the older form of its own algorithm.
    /// - Throws: `CryptoError` when one cannot be read, or they do not belong together.
    public convenience init(der: [UInt8], privateKeyDER: [UInt8]) throws(CryptoError) {
        ERR_clear_error()
        let certificate = der.withUnsafeBufferPointer {
            var cursor = $0.baseAddress
            return d2i_X509(nil, &cursor, $0.count)
        }
        guard let certificate else { throw CryptoError(attempting: "reading the certificate's DER") }
        defer { X509_free(certificate) }
        let key = privateKeyDER.withUnsafeBufferPointer {
            var cursor = $0.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, $0.count)
        }
        guard let key else { throw CryptoError(attempting: "reading the private key's DER") }
        defer { EVP_PKEY_free(key) }
        try self.init(certificate, key: key)
    }

    deinit {
        SSL_CREDENTIAL_free(credential)
    }

    /// Whether it has expired at `time`, in seconds since 1970.
    package func hasExpired(at time: Int64) -> Bool { time > expiry }

    /// The digest by which a session description announces it, or `nil` for an algorithm that the library lacks.
    public func fingerprint(_ algorithm: DigestAlgorithm = .sha256) -> Fingerprint? {
        Fingerprint(ofCertificate: der, algorithm: algorithm, crypto: BoringCrypto())
    }

    public var description: String { "Certificate(\(fingerprint()?.attributeValue ?? ""), expires \(expiry))" }

    /// Borrows both arguments.
    private init(_ certificate: OpaquePointer, key: OpaquePointer) throws(CryptoError) {
        guard X509_check_private_key(certificate, key) == 1 else {
            throw CryptoError(attempting: "the private key does not belong to the certificate")
        }
        var expiry: Int64 = 0
        guard ASN1_TIME_to_posix(X509_get0_notAfter(certificate), &expiry) == 1 else {
            throw CryptoError("the certificate has no date of expiry")
        }
        let der = try Self.encode(certificate)
        guard let credential = SSL_CREDENTIAL_new_x509() else { throw CryptoError(attempting: "making a credential") }
        let buffer = der.withUnsafeBufferPointer { CRYPTO_BUFFER_new($0.baseAddress, $0.count, nil) }
        defer { CRYPTO_BUFFER_free(buffer) }
        let signatures = SignatureAlgorithms.all
        guard SSL_CREDENTIAL_set1_cert_chain(credential, [buffer], 1) == 1,
            SSL_CREDENTIAL_set1_private_key(credential, key) == 1,
            SSL_CREDENTIAL_set1_signing_algorithm_prefs(credential, signatures, signatures.count) == 1
        else {
            defer { SSL_CREDENTIAL_free(credential) }
            throw CryptoError(attempting: "this kind of certificate cannot be used for DTLS")
        }
        self.der = der
        self.expiry = expiry
        self.credential = credential
    }

    private static func fill(
        _ certificate: OpaquePointer, key: OpaquePointer, lifetime: Int64, now: Int64?
    ) throws(CryptoError) {
        let day: Int64 = 86_400
        let notBefore = X509_getm_notBefore(certificate)
        let notAfter = X509_getm_notAfter(certificate)
        var datesAreSet: Bool
        if let now {
            let (end, overflow) = now.addingReportingOverflow(lifetime)
            datesAreSet = !overflow && now >= 0
            datesAreSet = datesAreSet && ASN1_TIME_set_posix(notBefore, now - day) != nil
            datesAreSet = datesAreSet && ASN1_TIME_set_posix(notAfter, end) != nil
        } else {
            datesAreSet = X509_gmtime_adj(notBefore, Int(-day)) != nil
            datesAreSet = datesAreSet && X509_gmtime_adj(notAfter, Int(lifetime)) != nil
        }
        guard datesAreSet else { throw CryptoError("a certificate's dates have to lie before the year 10000") }

        var random = [UInt8](repeating: 0, count: 16)
        RAND_bytes(&random, random.count)
        // A serial number is positive and not zero (RFC 5280, section 4.1.2.2).
        let serial = random[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1 | 1
        let digits = Array("0123456789abcdef".utf8)
        let name = random[8...].flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        let subject = X509_get_subject_name(certificate)
        guard X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
            X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_ASC, name, Int(name.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, subject) == 1,
            X509_set_pubkey(certificate, key) == 1
        else { throw CryptoError(attempting: "making a certificate") }
    }

    private static func encode(_ certificate: OpaquePointer) throws(CryptoError) -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &bytes)
        guard count > 0, let bytes else { throw CryptoError(attempting: "encoding the certificate") }
        defer { OPENSSL_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}
