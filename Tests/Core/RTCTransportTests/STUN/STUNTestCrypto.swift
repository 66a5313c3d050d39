import RTCTransport
import RTCWire

/// Real digests and HMACs, written out for the tests of STUN and ICE; the product has those of RTCCrypto.
final class STUNTestCrypto: CryptoProvider {
    func digest(_ algorithm: DigestAlgorithm, of message: RawSpan) -> [UInt8]? {
        let bytes = message.array
        switch algorithm {
        case .md5: return MD5Digest.of(bytes)
        case .sha1: return SHA1Digest.of(bytes)
        case .sha256: return SHA256Digest.of(bytes)
        default: return nil
        }
    }

    func hmac(_ algorithm: HMACAlgorithm, key: [UInt8], message: RawSpan) -> [UInt8] {
        let hash: ([UInt8]) -> [UInt8] =
            switch algorithm {
            case .sha1: SHA1Digest.of
            case .sha256: SHA256Digest.of
            }
        var block = key.count > 64 ? hash(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = hash(block.map { $0 ^ 0x36 } + message.array)
        return hash(block.map { $0 ^ 0x5C } + inner)
    }

    func makeDTLSSession(_ configuration: DTLSConfiguration) throws(CryptoError) -> any DTLSSession {
        throw CryptoError("The tests of STUN and ICE have no DTLS.")
    }

    func makeSRTPCipher(
        profile: SRTPProfile, masterKey: [UInt8], masterSalt: [UInt8]
    ) throws(CryptoError) -> any SRTPCipher {
        throw CryptoError("The tests of STUN and ICE have no SRTP.")
    }
}

/// Appends the padding that MD5, SHA-1 and SHA-256 share.
private func padded(_ message: [UInt8], bigEndian: Bool) -> [UInt8] {
    var bytes = message + [0x80]
    bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
    let bits = UInt64(message.count) * 8
    withUnsafeBytes(of: bigEndian ? bits.bigEndian : bits.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
}

/// The words of one 64-byte block.
private func words(_ bytes: [UInt8], _ block: Int, bigEndian: Bool) -> [UInt32] {
    bytes.withUnsafeBytes { memory in
        (0..<16).map { index in
            let word = memory.loadUnaligned(fromByteOffset: block * 64 + index * 4, as: UInt32.self)
            return bigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }
    }
}

private func rotateLeft(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
private func rotateRight(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

private func output(_ state: [UInt32], bigEndian: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in state {
        withUnsafeBytes(of: bigEndian ? word.bigEndian : word.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
}

/// FIPS 180-4.
private enum SHA1Digest {
    static func of(_ message: [UInt8]) -> [UInt8] {
        let bytes = padded(message, bigEndian: true)
        var h: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var w = [UInt32](repeating: 0, count: 80)
        for block in 0..<bytes.count / 64 {
            w.replaceSubrange(0..<16, with: words(bytes, block, bigEndian: true))
            for t in 16..<80 { w[t] = rotateLeft(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1) }
            var (a, b, c, d, e) = (h[0], h[1], h[2], h[3], h[4])
            for t in 0..<80 {
                let (f, k): (UInt32, UInt32)
                switch t {
                case ..<20: (f, k) = (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (f, k) = (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (f, k) = (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (f, k) = (b ^ c ^ d, 0xCA62_C1D6)
                }
                let next = rotateLeft(a, 5) &+ f &+ e &+ k &+ w[t]
                (e, d, c, b, a) = (d, c, rotateLeft(b, 30), a, next)
            }
            h[0] &+= a
            h[1] &+= b
            h[2] &+= c
            h[3] &+= d
            h[4] &+= e
        }
        return output(h, bigEndian: true)
    }
}

/// FIPS 180-4. The constants are computed as they are defined: from the roots of the first primes.
private enum SHA256Digest {
    private static let primes: [UInt64] = {
        var primes: [UInt64] = []
        var next: UInt64 = 2
        while primes.count < 64 {
            if !primes.contains(where: { next % $0 == 0 }) { primes.append(next) }
            next += 1
        }
        return primes
    }()

    private static func fraction(_ root: Double) -> UInt32 {
        UInt32((root - root.rounded(.down)) * 4_294_967_296)
    }

    /// By Newton's method from a good start: within the 32 bits that are needed.
    private static func cubeRoot(_ value: Double) -> Double {
        var root = value / 3 + 1
        for _ in 0..<60 { root -= (root * root * root - value) / (3 * root * root) }
        return root
    }

    private static let k: [UInt32] = primes.map { fraction(cubeRoot(Double($0))) }
    private static let start: [UInt32] = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

    static func of(_ message: [UInt8]) -> [UInt8] {
        let bytes = padded(message, bigEndian: true)
        var h = start
        var w = [UInt32](repeating: 0, count: 64)
        for block in 0..<bytes.count / 64 {
            w.replaceSubrange(0..<16, with: words(bytes, block, bigEndian: true))
            for t in 16..<64 {
                let s0 = rotateRight(w[t - 15], 7) ^ rotateRight(w[t - 15], 18) ^ (w[t - 15] >> 3)
                let s1 = rotateRight(w[t - 2], 17) ^ rotateRight(w[t - 2], 19) ^ (w[t - 2] >> 10)
                w[t] = w[t - 16] &+ s0 &+ w[t - 7] &+ s1
            }
            var v = h
            for t in 0..<64 {
                let s1 = rotateRight(v[4], 6) ^ rotateRight(v[4], 11) ^ rotateRight(v[4], 25)
                let choice = v[4] & v[5] ^ ~v[4] & v[6]
                let t1 = v[7] &+ s1 &+ choice &+ k[t] &+ w[t]
                let s0 = rotateRight(v[0], 2) ^ rotateRight(v[0], 13) ^ rotateRight(v[0], 22)
                let t2 = s0 &+ (v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2])
                v = [t1 &+ t2, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
            }
            for index in 0..<8 { h[index] &+= v[index] }
        }
        return output(h, bigEndian: true)
    }
}

/// RFC 1321.
private enum MD5Digest {
    private static let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
    private static let k: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]

    static func of(_ message: [UInt8]) -> [UInt8] {
        let bytes = padded(message, bigEndian: false)
        var h: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in 0..<bytes.count / 64 {
            let m = words(bytes, block, bigEndian: false)
            var (a, b, c, d) = (h[0], h[1], h[2], h[3])
            for i in 0..<64 {
                let (f, g): (UInt32, Int)
                switch i / 16 {
                case 0: (f, g) = (b & c | ~b & d, i)
                case 1: (f, g) = (d & b | ~d & c, (5 * i + 1) % 16)
                case 2: (f, g) = (b ^ c ^ d, (3 * i + 5) % 16)
                default: (f, g) = (c ^ (b | ~d), (7 * i) % 16)
                }
                let next = b &+ rotateLeft(a &+ f &+ k[i] &+ m[g], shifts[i / 16 * 4 + i % 4])
                (a, d, c, b) = (d, c, b, next)
            }
            h[0] &+= a
            h[1] &+= b
            h[2] &+= c
            h[3] &+= d
        }
        return output(h, bigEndian: false)
    }
}
