internal import CNIOBoringSSL
internal import RTCTransport

/// The key shares in a client's first flight.
enum KeyShare: Sendable {
    case classical
    case postQuantumAndClassical

    var groups: [UInt16] {
        switch self {
        case .classical: [UInt16(SSL_GROUP_X25519)]
        case .postQuantumAndClassical: [UInt16(SSL_GROUP_X25519_MLKEM768), UInt16(SSL_GROUP_X25519)]
        }
    }

    /// The groups offered after those of the key shares.
    static let others = [UInt16(SSL_GROUP_SECP256R1), UInt16(SSL_GROUP_SECP384R1)]
}

/// The library's context, one per process: otherwise every connection would hold its data.
///
/// It has no certificate; each connection gets its own. Resumption is off, because the description authenticates every
/// WebRTC association anew.
final class SharedContext: @unchecked Sendable {
    static let shared = SharedContext()

    /// `nil` if the library could not be set up.
    let pointer: OpaquePointer?

    private init() {
        // Certificates are judged by their digest, so they are never parsed into X.509 objects.
        guard let context = SSL_CTX_new(DTLS_with_buffers_method()) else {
            pointer = nil
            return
        }
        pointer = context
        SSL_CTX_set_options(context, UInt32(SSL_OP_NO_TICKET | SSL_OP_NO_QUERY_MTU))
        SSL_CTX_set_session_cache_mode(context, Int32(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_strict_cipher_list(context, Self.cipherSuites12)
        SSL_CTX_set_verify_algorithm_prefs(context, SignatureAlgorithms.all, SignatureAlgorithms.all.count)
        // The library buffers up to seven messages of this size for an unauthenticated peer; the default is 100 KB.
        SSL_CTX_set_max_cert_list(context, 16 * 1_024)
        let groups = [SSL_GROUP_X25519, SSL_GROUP_X25519_MLKEM768, SSL_GROUP_SECP256R1, SSL_GROUP_SECP384R1]
        SSL_CTX_set1_group_ids(context, groups.map { UInt16($0) }, groups.count)
        SSL_CTX_set_custom_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT) { ssl, alert in
            guard let ssl, let bio = SSL_get_rbio(ssl), let session = DatagramPipe.behind(bio)?.pointee.session else {
                return ssl_verify_invalid
            }
            switch session.judgePeer() {
            case nil: return ssl_verify_retry
            case true?: return ssl_verify_ok
            case false?:
                alert?.pointee = UInt8(SSL_AD_BAD_CERTIFICATE)
                return ssl_verify_invalid
            }
        }
        SSL_CTX_set_current_time_cb(context) { _, time in
            guard let time else { return }
            guard let pipe = CurrentCall.pipe else {
                time.pointee = timeval(tv_sec: 0, tv_usec: 0)
                return
            }
            pipe.pointee.clockWasRead = true
            let (seconds, microseconds) = pipe.pointee.clock.quotientAndRemainder(dividingBy: 1_000_000)
            time.pointee = timeval(tv_sec: .init(seconds), tv_usec: .init(microseconds))
        }
    }

    /// DTLS 1.2: forward secrecy and authenticated encryption only (RFC 8827, section 6.5).
    private static let cipherSuites12 = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
        ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
        ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """
}

/// The signature algorithms for handshakes: all that the library supports for WebRTC keys, except those with SHA-1,
/// which it would otherwise accept and use if the peer offered nothing else (RFC 9155).
enum SignatureAlgorithms {
    static let all = [
        SSL_SIGN_ECDSA_SECP256R1_SHA256, SSL_SIGN_RSA_PSS_RSAE_SHA256, SSL_SIGN_RSA_PKCS1_SHA256,
        SSL_SIGN_ECDSA_SECP384R1_SHA384, SSL_SIGN_RSA_PSS_RSAE_SHA384, SSL_SIGN_RSA_PKCS1_SHA384,
        SSL_SIGN_RSA_PSS_RSAE_SHA512, SSL_SIGN_RSA_PKCS1_SHA512, SSL_SIGN_ED25519,
    ].map { UInt16($0) }
}

extension SRTPProfile {
    /// The library's name.
    var libraryName: String {
        switch self {
        case .aes128CMHMACSHA1_80: "SRTP_AES128_CM_SHA1_80"
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aeadAES256GCM: "SRTP_AEAD_AES_256_GCM"
        }
    }
}
