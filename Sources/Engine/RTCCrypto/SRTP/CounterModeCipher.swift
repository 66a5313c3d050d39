internal import CNIOBoringSSL
internal import RTCTransport

/// SRTP and SRTCP by AES in counter mode with HMAC-SHA1 (RFC 3711, sections 4.1.1 and 4.2.1).
final class CounterModeCipher: SRTPCipher {
    private let rtp: Key
    private let rtcp: Key
    private static let tagLength = 10
    private static let rtcpHeaderLength = 8

    init(_ keys: borrowing SRTPSessionKeys) throws(CryptoError) {
        rtp = try Key(
            encryption: keys[.rtpEncryption], authentication: keys[.rtpAuthentication], salt: keys[.rtpSalt])
        do throws(CryptoError) {
            rtcp = try Key(
                encryption: keys[.rtcpEncryption], authentication: keys[.rtcpAuthentication], salt: keys[.rtcpSalt])
        } catch {
            rtp.free()
            throw error
        }
    }

    deinit {
        rtp.free()
        rtcp.free()
    }

    // MARK: RTP

    func sealRTP(_ packet: UnsafeMutableRawBufferPointer, count: Int, headerLength: Int, index: UInt64) -> Int? {
        rtp.crypt(packet, headerLength..<count, ssrc: packet.uint32(at: 8), index: index)
        let size = count + Self.tagLength
        let rollover = UInt32(truncatingIfNeeded: index >> 16)
        let tag = UnsafeMutableRawBufferPointer(rebasing: packet[count..<size])
        let text = UnsafeRawBufferPointer(packet)
        return rtp.authenticate(text, count, rollover: rollover) { tag.copyMemory(from: $0) } != nil ? size : nil
    }

    func openRTP(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, headerLength: Int, index: UInt64
    ) -> Int? {
        let count = packet.count - Self.tagLength
        let tag = UnsafeRawBufferPointer(rebasing: packet[count...])
        let rollover = UInt32(truncatingIfNeeded: index >> 16)
        let isAuthentic = rtp.authenticate(packet, count, rollover: rollover) { $0.isSecretlyEqual(to: tag) }
        guard isAuthentic == true else { return nil }
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[..<count]))
        rtp.crypt(memory, headerLength..<count, ssrc: packet.uint32(at: 8), index: index)
        return count
    }

    // MARK: RTCP

    func sealRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int, index: UInt32, isEncrypted: Bool) -> Int? {
        if isEncrypted {
            rtcp.crypt(packet, Self.rtcpHeaderLength..<count, ssrc: packet.uint32(at: 4), index: UInt64(index))
        }
        let word = isEncrypted ? index | 0x8000_0000 : index
        packet.storeBytes(of: word.bigEndian, toByteOffset: count, as: UInt32.self)
        let size = count + 4 + Self.tagLength
        let tag = UnsafeMutableRawBufferPointer(rebasing: packet[(count + 4)..<size])
        let text = UnsafeRawBufferPointer(packet)
        return rtcp.authenticate(text, count + 4) { tag.copyMemory(from: $0) } != nil ? size : nil
    }

    func openRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        let end = packet.count - Self.tagLength
        let tag = UnsafeRawBufferPointer(rebasing: packet[end...])
        let isAuthentic = rtcp.authenticate(UnsafeRawBufferPointer(packet), end) { $0.isSecretlyEqual(to: tag) }
        guard isAuthentic == true else { return nil }
        let word = packet.uint32(at: end - 4)
        if word >> 31 == 1 {
            rtcp.crypt(
                packet, Self.rtcpHeaderLength..<end - 4, ssrc: packet.uint32(at: 4), index: UInt64(word & 0x7FFF_FFFF))
        }
        return end - 4
    }

    /// The keys for RTP or RTCP, in memory that is wiped when freed.
    private struct Key {
        private struct Encryption {
            var key = AES_KEY()
            var saltHigh: UInt64
            var saltLow: UInt64
        }

        private let encryption: UnsafeMutablePointer<Encryption>
        private let hmac: UnsafeMutablePointer<HMAC_CTX>

        init(
            encryption key: UnsafeMutableRawBufferPointer, authentication: UnsafeMutableRawBufferPointer,
            salt: UnsafeMutableRawBufferPointer
        ) throws(CryptoError) {
            guard salt.count == 14, let hmac = HMAC_CTX_new() else {
                throw CryptoError(attempting: "making an SRTP key")
            }
            let high = UInt64(salt.uint32(at: 0)) << 32 | UInt64(salt.uint32(at: 4))
            let low = UInt64(salt.uint32(at: 8)) << 32 | UInt64(salt[12]) << 24 | UInt64(salt[13]) << 16
            encryption = .allocate(capacity: 1)
            encryption.initialize(to: Encryption(saltHigh: high, saltLow: low))
            self.hmac = hmac
            guard AES_set_encrypt_key(key.octets.baseAddress, UInt32(key.count * 8), &encryption.pointee.key) == 0,
                HMAC_Init_ex(hmac, authentication.baseAddress, authentication.count, EVP_sha1(), nil) == 1
            else {
                free()
                throw CryptoError(attempting: "making an SRTP key")
            }
        }

        func free() {
            // The library wipes the memory that it frees.
            HMAC_CTX_free(hmac)
            OPENSSL_cleanse(encryption, MemoryLayout<Encryption>.size)
            encryption.deallocate()
        }

        /// Encrypts or decrypts a range of `packet`. The block counter starts with SSRC and index, XORed with the salt.
        func crypt(_ packet: UnsafeMutableRawBufferPointer, _ range: Range<Int>, ssrc: UInt32, index: UInt64) {
            let text = UnsafeMutableRawBufferPointer(rebasing: packet[range]).octets
            var counter = (
                (encryption.pointee.saltHigh ^ UInt64(ssrc)).bigEndian,
                (encryption.pointee.saltLow ^ index << 16).bigEndian
            )
            var keystream: (UInt64, UInt64) = (0, 0)
            var position: UInt32 = 0
            withUnsafeMutableBytes(of: &counter) { counter in
                withUnsafeMutableBytes(of: &keystream) { keystream in
                    AES_ctr128_encrypt(
                        text.baseAddress, text.baseAddress, text.count, &encryption.pointee.key,
                        counter.octets.baseAddress, keystream.octets.baseAddress, &position)
                }
            }
        }

        /// Computes the tag of the first `count` bytes followed by a rollover counter, and passes it to `use`.
        func authenticate<Result>(
            _ packet: UnsafeRawBufferPointer, _ count: Int, rollover: UInt32? = nil,
            _ use: (UnsafeRawBufferPointer) -> Result
        ) -> Result? {
            guard HMAC_Init_ex(hmac, nil, 0, nil, nil) == 1, HMAC_Update(hmac, packet.octets.baseAddress, count) == 1
            else { return nil }
            if let rollover {
                let done = withUnsafeBytes(of: rollover.bigEndian) {
                    HMAC_Update(hmac, $0.octets.baseAddress, $0.count)
                }
                guard done == 1 else { return nil }
            }
            return withUnsafeTemporaryAllocation(byteCount: 20, alignment: 8) { code in
                var written: UInt32 = 0
                guard HMAC_Final(hmac, code.octets.baseAddress, &written) == 1, written == 20 else { return nil }
                return use(UnsafeRawBufferPointer(rebasing: code[..<CounterModeCipher.tagLength]))
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Compares in constant time.
    fileprivate func isSecretlyEqual(to other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && CRYPTO_memcmp(baseAddress, other.baseAddress, count) == 0
    }
}
