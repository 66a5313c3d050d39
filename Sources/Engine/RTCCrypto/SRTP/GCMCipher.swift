internal import CNIOBoringSSL
internal import RTCTransport

/// SRTP and SRTCP by AES-GCM (RFC 7714).
final class GCMCipher: SRTPCipher {
    private let rtp: Key
    private let rtcp: Key
    fileprivate static let tagLength = 16
    private static let rtcpHeaderLength = 8

    init(_ keys: borrowing SRTPSessionKeys) throws(CryptoError) {
        let aead = keys.profile == .aeadAES256GCM ? EVP_aead_aes_256_gcm() : EVP_aead_aes_128_gcm()
        let rtp = try Key(aead, key: keys[.rtpEncryption], salt: keys[.rtpSalt])
        do throws(CryptoError) {
            rtcp = try Key(aead, key: keys[.rtcpEncryption], salt: keys[.rtcpSalt])
        } catch {
            EVP_AEAD_CTX_free(rtp.context)
            throw error
        }
        self.rtp = rtp
    }

    deinit {
        // The library wipes the memory that it frees.
        EVP_AEAD_CTX_free(rtp.context)
        EVP_AEAD_CTX_free(rtcp.context)
    }

    // MARK: RTP

    func sealRTP(_ packet: UnsafeMutableRawBufferPointer, count: Int, headerLength: Int, index: UInt64) -> Int? {
        let sealed = rtp.seal(
            UnsafeMutableRawBufferPointer(rebasing: packet[headerLength...]), count: count - headerLength,
            nonce: rtp.nonce(ssrc: packet.uint32(at: 8), index: index),
            authenticating: UnsafeRawBufferPointer(rebasing: packet[..<headerLength]))
        return sealed ? count + Self.tagLength : nil
    }

    func openRTP(
        _ packet: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, headerLength: Int, index: UInt64
    ) -> Int? {
        let head = UnsafeRawBufferPointer(rebasing: packet[..<headerLength])
        let opened = rtp.open(
            UnsafeRawBufferPointer(rebasing: packet[headerLength...]),
            into: UnsafeMutableRawBufferPointer(rebasing: memory[headerLength..<packet.count]),
            nonce: rtp.nonce(ssrc: packet.uint32(at: 8), index: index), authenticating: head)
        guard opened else { return nil }
        memory.copyMemory(from: head)
        return packet.count - Self.tagLength
    }

    // MARK: RTCP

    func sealRTCP(_ packet: UnsafeMutableRawBufferPointer, count: Int, index: UInt32, isEncrypted: Bool) -> Int? {
        let word = (isEncrypted ? index | 0x8000_0000 : index).bigEndian
        let nonce = rtcp.nonce(ssrc: packet.uint32(at: 4), index: UInt64(index))
        let size = count + Self.tagLength + 4
        let sealed: Bool
        if isEncrypted {
            sealed = withAuthenticatedHead(of: packet, word) {
                rtcp.seal(
                    UnsafeMutableRawBufferPointer(rebasing: packet[Self.rtcpHeaderLength..<size - 4]),
                    count: count - Self.rtcpHeaderLength, nonce: nonce, authenticating: $0)
            }
        } else {
            // The word is authenticated right after the packet, where the tag is placed later.
            packet.storeBytes(of: word, toByteOffset: count, as: UInt32.self)
            sealed = withUnsafeTemporaryAllocation(byteCount: Self.tagLength, alignment: 16) { tag in
                let sealed = rtcp.seal(
                    tag, count: 0, nonce: nonce,
                    authenticating: UnsafeRawBufferPointer(rebasing: packet[..<(count + 4)]))
                UnsafeMutableRawBufferPointer(rebasing: packet[count...]).copyMemory(from: UnsafeRawBufferPointer(tag))
                return sealed
            }
        }
        packet.storeBytes(of: word, toByteOffset: size - 4, as: UInt32.self)
        return sealed ? size : nil
    }

    func openRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Int? {
        let end = packet.count - 4
        let count = end - Self.tagLength
        let word = packet.loadUnaligned(fromByteOffset: end, as: UInt32.self)
        let nonce = rtcp.nonce(ssrc: packet.uint32(at: 4), index: UInt64(UInt32(bigEndian: word) & 0x7FFF_FFFF))
        let opened: Bool
        if UInt32(bigEndian: word) >> 31 == 1 {
            opened = withAuthenticatedHead(of: packet, word) {
                let text = UnsafeMutableRawBufferPointer(rebasing: packet[Self.rtcpHeaderLength..<end])
                return rtcp.open(UnsafeRawBufferPointer(text), into: text, nonce: nonce, authenticating: $0)
            }
        } else {
            opened = withUnsafeTemporaryAllocation(byteCount: Self.tagLength, alignment: 16) { tag in
                tag.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[count..<end]))
                packet.storeBytes(of: word, toByteOffset: count, as: UInt32.self)
                return rtcp.open(
                    UnsafeRawBufferPointer(tag), into: tag, nonce: nonce,
                    authenticating: UnsafeRawBufferPointer(rebasing: packet[..<(count + 4)]))
            }
        }
        return opened ? count : nil
    }

    /// Assembles the associated data of an encrypted packet: its first 8 bytes, then the word with E flag and index
    /// (RFC 7714, section 9.2).
    private func withAuthenticatedHead(
        of packet: UnsafeMutableRawBufferPointer, _ word: UInt32, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.rtcpHeaderLength + 4, alignment: 8) { head in
            head.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[..<Self.rtcpHeaderLength]))
            head.storeBytes(of: word, toByteOffset: Self.rtcpHeaderLength, as: UInt32.self)
            return body(UnsafeRawBufferPointer(head))
        }
    }
}

/// An AES-GCM key with the salt of its nonces.
private struct Key {
    let context: UnsafeMutablePointer<EVP_AEAD_CTX>
    private let saltHigh: UInt32
    private let saltLow: UInt64

    init(
        _ aead: OpaquePointer?, key: UnsafeMutableRawBufferPointer, salt: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard salt.count == Nonce.length,
            let context = EVP_AEAD_CTX_new(aead, key.octets.baseAddress, key.count, GCMCipher.tagLength)
        else { throw CryptoError(attempting: "making an SRTP key") }
        self.context = context
        saltHigh = salt.uint32(at: 0)
        saltLow = UInt64(salt.uint32(at: 4)) << 32 | UInt64(salt.uint32(at: 8))
    }

    /// Two zero bytes, the SSRC, and the 48-bit index, XORed with the salt (RFC 7714, sections 8.1 and 9.1).
    func nonce(ssrc: UInt32, index: UInt64) -> Nonce {
        Nonce(high: saltHigh ^ ssrc >> 16, low: saltLow ^ (UInt64(ssrc) << 48 | index))
    }

    /// Encrypts the first `count` bytes of `text` and appends the tag.
    func seal(
        _ text: UnsafeMutableRawBufferPointer, count: Int, nonce: Nonce, authenticating head: UnsafeRawBufferPointer
    ) -> Bool {
        var written = 0
        let done = withUnsafeBytes(of: nonce) {
            EVP_AEAD_CTX_seal(
                context, text.octets.baseAddress, &written, text.count, $0.octets.baseAddress, $0.count,
                text.octets.baseAddress, count, head.octets.baseAddress, head.count)
        }
        if done != 1 { ERR_clear_error() }
        return done == 1
    }

    /// Decrypts `text`, which ends with the tag, into memory of the same size: in place, or elsewhere. Writes zeros if
    /// it is not authentic.
    func open(
        _ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, nonce: Nonce,
        authenticating head: UnsafeRawBufferPointer
    ) -> Bool {
        var written = 0
        let done = withUnsafeBytes(of: nonce) {
            EVP_AEAD_CTX_open(
                context, memory.octets.baseAddress, &written, memory.count, $0.octets.baseAddress, $0.count,
                text.octets.baseAddress, text.count, head.octets.baseAddress, head.count)
        }
        // A leftover error would be attributed to DTLS calls on the same thread.
        if done != 1 { ERR_clear_error() }
        return done == 1
    }
}

/// The 96 bits of a nonce in memory.
private struct Nonce {
    static let length = 12
    private let words: (UInt32, UInt32, UInt32)

    init(high: UInt32, low: UInt64) {
        words = (
            high.bigEndian, UInt32(truncatingIfNeeded: low >> 32).bigEndian, UInt32(truncatingIfNeeded: low).bigEndian
        )
    }
}
