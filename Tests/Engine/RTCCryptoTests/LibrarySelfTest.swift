import CNIOBoringSSL
import RTCTransport

@testable import RTCCrypto

/// What RTCCrypto needs of the BoringSSL that swift-nio-ssl carries, tried out piece by piece.
///
/// That module is no public product of its package, so a later version may drop or change what is used here. A function
/// that is gone stops RTCCrypto, and nothing else, from compiling; a function that no longer does what it did is found
/// here, and a test says which.
enum LibrarySelfTest {
    /// One sentence for each thing that does not work; empty when all is well.
    static func failures() -> [String] {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = SharedContext.shared.pointer else { return ["SSL_CTX_new: no DTLS context"] }
        guard let ssl = SSL_new(context) else { return ["SSL_new: no connection"] }
        defer { SSL_free(ssl) }
        var failures: [String] = []
        func expect(_ holds: Bool, _ failure: String) {
            if !holds { failures.append(failure) }
        }
        expect(SSL_is_dtls(ssl) == 1, "DTLS_with_buffers_method: the connection is not DTLS")
        expect(SSL_set_max_proto_version(ssl, UInt16(DTLS1_3_VERSION)) == 1, "SSL_set_max_proto_version: no DTLS 1.3")
        expect(SSL_set_min_proto_version(ssl, UInt16(DTLS1_2_VERSION)) == 1, "SSL_set_min_proto_version: no DTLS 1.2")
        expect(SSL_set_mtu(ssl, 1_200) == 1, "SSL_set_mtu: 1,200 bytes are refused")
        expect(SSL_set_mtu(ssl, 10) == 0, "SSL_set_mtu: 10 bytes are accepted")
        for share in [KeyShare.classical, .postQuantumAndClassical] {
            let groups = share.groups + KeyShare.others
            expect(SSL_set1_group_ids(ssl, groups, groups.count) == 1, "SSL_set1_group_ids: \(groups) are refused")
            expect(
                SSL_set1_client_key_shares(ssl, share.groups, share.groups.count) == 1,
                "SSL_set1_client_key_shares: \(share.groups) are refused")
        }
        for profile in SRTPProfile.allCases {
            expect(SSL_set_srtp_profiles(ssl, profile.libraryName) == 1, "SSL_set_srtp_profiles: no \(profile)")
            let offered = SSL_get_srtp_profiles(ssl).flatMap { sk_SRTP_PROTECTION_PROFILE_value($0, 0) }
            expect(
                offered.map { UInt16(truncatingIfNeeded: $0.pointee.id) } == profile.rawValue,
                "SSL_get_srtp_profiles: \(profile) has another number")
        }
        expect(DatagramPipe.method.pointer != nil, "BIO_meth_new: no BIO of our own")
        failures += clockFailures(ssl)
        failures += srtpFailures()
        if let own = try? Certificate.generate() {
            expect(!CertificateName.matches(own.der, host: "example.org"), "X509_check_host: any name will do")
            expect(!CertificateName.matches(own.der, host: "192.0.2.1"), "X509_check_ip: any address will do")
        }
        return failures
    }

    /// Tests the SRTP ciphers: they work in place, append the tag to the ciphertext, and can reuse a key.
    private static func srtpFailures() -> [String] {
        var failures: [String] = []
        for (aead, keyLength) in [(EVP_aead_aes_128_gcm(), 16), (EVP_aead_aes_256_gcm(), 32)] {
            let key = [UInt8](repeating: 1, count: keyLength)
            guard let context = EVP_AEAD_CTX_new(aead, key, keyLength, 16) else { return ["EVP_AEAD_CTX_new: none"] }
            defer { EVP_AEAD_CTX_free(context) }
            let nonce = [UInt8](repeating: 2, count: 12)
            var text = [UInt8](repeating: 3, count: 20) + [UInt8](repeating: 0, count: 16)
            var size = 0
            text.withUnsafeMutableBytes {
                let text = $0.octets.baseAddress
                let sealed = EVP_AEAD_CTX_seal(context, text, &size, 36, nonce, 12, text, 20, nonce, 5)
                if sealed != 1 || size != 36 { failures.append("EVP_AEAD_CTX_seal: fails in place") }
                let opened = EVP_AEAD_CTX_open(context, text, &size, 36, nonce, 12, text, 36, nonce, 5)
                if opened != 1 || size != 20 { failures.append("EVP_AEAD_CTX_open: fails in place") }
            }
            if text.prefix(20) != [UInt8](repeating: 3, count: 20)[...] {
                failures.append("EVP_AEAD_CTX_open: another plaintext")
            }
        }
        guard let hmac = HMAC_CTX_new() else { return failures + ["HMAC_CTX_new: none"] }
        defer { HMAC_CTX_free(hmac) }
        let key: [UInt8] = [1, 2, 3]
        var codes: [[UInt8]] = []
        guard HMAC_Init_ex(hmac, key, key.count, EVP_sha1(), nil) == 1 else {
            return failures + ["HMAC_Init_ex: fails"]
        }
        for _ in 0..<2 {
            var code = [UInt8](repeating: 0, count: 20)
            var size: UInt32 = 0
            let done =
                HMAC_Init_ex(hmac, nil, 0, nil, nil) == 1 && HMAC_Update(hmac, key, key.count) == 1
                && HMAC_Final(hmac, &code, &size) == 1
            if !done || size != 20 { failures.append("HMAC_Init_ex: the key cannot be used again") }
            codes.append(code)
        }
        if codes.first != codes.last { failures.append("HMAC_Init_ex: another result at the second use") }
        if CRYPTO_memcmp(key, key, key.count) != 0 { failures.append("CRYPTO_memcmp: what is equal is not") }
        return failures
    }

    /// Tests the clock, whose failure would go unnoticed: retransmissions would follow the system clock.
    private static func clockFailures(_ ssl: OpaquePointer) -> [String] {
        let pipe = UnsafeMutablePointer<DatagramPipe>.allocate(capacity: 1)
        pipe.initialize(to: DatagramPipe())
        guard let bio = BIO_new(DatagramPipe.method.pointer) else { return ["BIO_new: none"] }
        BIO_set_data(bio, pipe)
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        CurrentCall.set(pipe)
        defer {
            CurrentCall.set(nil)
            SSL_set_bio(ssl, nil, nil)
            pipe.deinitialize(count: 1)
            pipe.deallocate()
        }
        DTLSv1_set_initial_timeout_duration(ssl, 1_000)
        pipe.pointee.clock = 5_000_000
        SSL_set_connect_state(ssl)
        guard SSL_get_error(ssl, SSL_do_handshake(ssl)) == SSL_ERROR_WANT_READ, !pipe.pointee.outgoing.isEmpty else {
            return ["SSL_do_handshake: no ClientHello comes out of the datagram BIO"]
        }
        guard pipe.pointee.clockWasRead else { return ["SSL_CTX_set_current_time_cb: the callback is not asked"] }
        pipe.pointee.clock += 400_000
        var left = timeval()
        guard DTLSv1_get_timeout(ssl, &left) == 1, left.tv_sec == 0, left.tv_usec == 600_000 else {
            return ["DTLSv1_get_timeout: \(left.tv_sec) s \(left.tv_usec) µs are left, not 600 ms"]
        }
        return []
    }
}
