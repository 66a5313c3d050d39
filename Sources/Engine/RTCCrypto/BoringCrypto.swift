internal import CNIOBoringSSL
package import RTCTransport

/// Digests, HMAC, DTLS and SRTP's ciphers from BoringSSL.
///
/// One instance serves any number of peers: it holds no state but its settings.
package final class BoringCrypto: CryptoProvider, Sendable {
    private let keyShare: KeyShare
    private let keyUpdateInterval: Int

    /// - Parameter postQuantumFirst: Whether a client sends an X25519MLKEM768 key share with its first flight. Its
    ///   ClientHello is then two datagrams instead of one. Either way the hybrid group is offered, and used as a server
    ///   when the client prefers it.
    package init(postQuantumFirst: Bool = false) {
        keyShare = postQuantumFirst ? .postQuantumAndClassical : .classical
        keyUpdateInterval = BoringDTLSSession.defaultKeyUpdateInterval
    }

    /// - Parameter keyUpdateInterval: After how many records of DTLS 1.3 a side replaces its keys.
    package init(postQuantumFirst: Bool = false, keyUpdateInterval: Int) {
        keyShare = postQuantumFirst ? .postQuantumAndClassical : .classical
        self.keyUpdateInterval = keyUpdateInterval
    }

    package func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]? {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { digest, count in
            var written: UInt32 = 0
            let done = message.withUnsafeBytes {
                EVP_Digest($0.baseAddress, $0.count, digest.baseAddress, &written, algorithm.function, nil)
            }
            count = done == 1 ? Int(written) : 0
        }
    }

    package func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { code, count in
            var written: UInt32 = 0
            let done = key.withUnsafeBytes { key in
                message.withUnsafeBytes {
                    let bytes = $0.assumingMemoryBound(to: UInt8.self)
                    return HMAC(
                        algorithm.function, key.baseAddress, key.count, bytes.baseAddress, bytes.count,
                        code.baseAddress, &written)
                }
            }
            count = done == nil ? 0 : Int(written)
        }
    }

    package func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession {
        try BoringDTLSSession(configuration, keyShare: keyShare, keyUpdateInterval: keyUpdateInterval)
    }

    package func makeSRTPCipher(
        profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
    ) throws(CryptoError) -> any SRTPCipher {
        ERR_clear_error()
        let keys = try SRTPSessionKeys(profile: profile, masterKey: masterKey, masterSalt: masterSalt)
        switch profile {
        case .aes128CMHMACSHA1_80: return try CounterModeCipher(keys)
        case .aeadAES128GCM, .aeadAES256GCM: return try GCMCipher(keys)
        }
    }
}

extension DigestAlgorithm {
    fileprivate var function: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha224: EVP_sha224()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}

extension HMACAlgorithm {
    fileprivate var function: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        }
    }
}
