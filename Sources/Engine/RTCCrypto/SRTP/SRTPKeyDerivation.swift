internal import CNIOBoringSSL
internal import RTCTransport

/// The session keys of one direction, in memory that is wiped when freed (RFC 3711, section 4.3).
///
/// The key derivation rate is 0, as always with DTLS: one set of keys serves the whole association.
struct SRTPSessionKeys: ~Copyable {
    /// The purpose of a key, with its derivation label.
    enum Use: UInt8, CaseIterable {
        case rtpEncryption = 0
        case rtpAuthentication = 1
        case rtpSalt = 2
        case rtcpEncryption = 3
        case rtcpAuthentication = 4
        case rtcpSalt = 5
    }

    let profile: SRTPProfile
    private let memory: UnsafeMutableRawBufferPointer
    /// The room per key: that of AES-256.
    private static let stride = 32

    /// Derives all keys from a master key and salt.
    init(profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]) throws(CryptoError) {
        guard masterKey.count == profile.keyLength, masterSalt.count == profile.saltLength else {
            throw CryptoError("the SRTP master key or salt has the wrong length for \(profile)")
        }
        var key = AES_KEY()
        defer { withUnsafeMutableBytes(of: &key) { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        guard AES_set_encrypt_key(masterKey, UInt32(masterKey.count * 8), &key) == 0 else {
            throw CryptoError("AES refuses the SRTP master key")
        }
        self.init(profile: profile)
        for use in Use.allCases {
            // The label is XORed into the salt's eighth byte. A salt of 12 bytes is padded with zeros (RFC 7714,
            // section 11), as are the two bytes of the block counter.
            var block = masterSalt + [UInt8](repeating: 0, count: 16 - masterSalt.count)
            block[7] ^= use.rawValue
            var unused = [UInt8](repeating: 0, count: 16)
            var position: UInt32 = 0
            let target = self[use].assumingMemoryBound(to: UInt8.self)
            AES_ctr128_encrypt(
                target.baseAddress, target.baseAddress, target.count, &key, &block, &unused, &position)
        }
    }

    /// Reserves zeroed memory for the keys.
    init(profile: SRTPProfile) {
        self.profile = profile
        memory = .allocate(byteCount: Use.allCases.count * Self.stride, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// The key for `use`; empty for authentication keys with an AEAD, which has none.
    subscript(use: Use) -> UnsafeMutableRawBufferPointer {
        let start = Int(use.rawValue) * Self.stride
        return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + profile.length(of: use)])
    }
}

extension SRTPProfile {
    /// The length of a session key (RFC 5764, section 4.1.2; RFC 7714, section 12).
    fileprivate func length(of use: SRTPSessionKeys.Use) -> Int {
        switch use {
        case .rtpEncryption, .rtcpEncryption: keyLength
        case .rtpSalt, .rtcpSalt: saltLength
        case .rtpAuthentication, .rtcpAuthentication: self == .aes128CMHMACSHA1_80 ? 20 : 0
        }
    }
}
