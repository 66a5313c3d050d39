import RTCCrypto
import RTCTransport
import RTCWire
import Testing

@Suite("Hashes and message authentication codes")
struct DigestTests {
    static let crypto = BoringCrypto()

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// FIPS 180-4's examples of one and two blocks, RFC 1321's for MD5, and the empty message.
    static let digests: [(DigestAlgorithm, String, [String])] = [
        (
            .md5, "abc",
            ["900150983cd24fb0d6963f7d28e17f72"]
        ),
        (
            .sha1, "abc",
            ["a9993e364706816aba3e25717850c26c9cd0d89d"]
        ),
        (
            .sha224, "abc",
            ["23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"]
        ),
        (
            .sha256, "abc",
            ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]
        ),
        (
            .sha384, "abc",
            [
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed",
                "8086072ba1e7cc2358baeca134c825a7",
            ]
        ),
        (
            .sha512, "abc",
            [
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a",
                "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ]
        ),
        (
            .md5, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            ["8215ef0796a20bcaaae116d3876c664a"]
        ),
        (
            .sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            ["84983e441c3bd26ebaae4aa1f95129e5e54670f1"]
        ),
        (
            .sha224, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            ["75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"]
        ),
        (
            .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            ["248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"]
        ),
        (
            .sha384, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            [
                "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6",
                "b0455a8520bc4e6f5fe95b1fe3c8452b",
            ]
        ),
        (
            .sha512, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            [
                "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335",
                "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
            ]
        ),
        (
            .sha1, String(repeating: "a", count: 1_000_000),
            ["34aa973cd4c4daa4f61eeb2bdbad27316534016f"]
        ),
        (
            .md5, "",
            ["d41d8cd98f00b204e9800998ecf8427e"]
        ),
        (
            .sha1, "",
            ["da39a3ee5e6b4b0d3255bfef95601890afd80709"]
        ),
        (
            .sha224, "",
            ["d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"]
        ),
        (
            .sha256, "",
            ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]
        ),
        (
            .sha384, "",
            [
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da",
                "274edebfe76f65fbd51ad2f14898b95b",
            ]
        ),
        (
            .sha512, "",
            [
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce",
                "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
            ]
        ),
    ]

    @Test("Digests of the published examples", arguments: digests.indices)
    func digest(_ index: Int) {
        let (algorithm, message, expected) = Self.digests[index]
        let digest = Array(message.utf8).withUnsafeBytes {
            Self.crypto.digest(algorithm, of: RawSpan(_unsafeBytes: $0))
        }
        #expect(digest.map(Self.hexadecimal) == expected.joined())
        #expect(digest?.count == algorithm.byteCount)
    }

    private struct CodeVector {
        var algorithm: HMACAlgorithm
        var key: [UInt8]
        var message: [UInt8]
        var expected: String
    }

    private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private static let counting = (1...25).map { UInt8($0) }
    private static let longKey = "Test Using Larger Than Block-Size Key - Hash Key First"
    private static let longMessage1 = "Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data"
    private static let longMessage256 = """
        This is a test using a larger than block-size key and a larger than block-size data. The key needs to be \
        hashed before being used by the HMAC algorithm.
        """

    /// RFC 2202, section 3, cases 1 to 7.
    private static let sha1: [CodeVector] = [
        CodeVector(
            algorithm: .sha1, key: repeated(0x0b, 20), message: Array("Hi There".utf8),
            expected: "b617318655057264e28bc0b6fb378c8ef146be00"),
        CodeVector(
            algorithm: .sha1, key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            expected: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        CodeVector(
            algorithm: .sha1, key: repeated(0xaa, 20), message: repeated(0xdd, 50),
            expected: "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        CodeVector(
            algorithm: .sha1, key: counting, message: repeated(0xcd, 50),
            expected: "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
        CodeVector(
            algorithm: .sha1, key: repeated(0x0c, 20), message: Array("Test With Truncation".utf8),
            expected: "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
        CodeVector(
            algorithm: .sha1, key: repeated(0xaa, 80), message: Array(longKey.utf8),
            expected: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        CodeVector(
            algorithm: .sha1, key: repeated(0xaa, 80), message: Array(longMessage1.utf8),
            expected: "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
    ]

    /// RFC 4231, section 4, cases 1 to 4, 6 and 7.
    private static let sha256: [CodeVector] = [
        CodeVector(
            algorithm: .sha256, key: repeated(0x0b, 20), message: Array("Hi There".utf8),
            expected: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        CodeVector(
            algorithm: .sha256, key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            expected: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        CodeVector(
            algorithm: .sha256, key: repeated(0xaa, 20), message: repeated(0xdd, 50),
            expected: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        CodeVector(
            algorithm: .sha256, key: counting, message: repeated(0xcd, 50),
            expected: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        CodeVector(
            algorithm: .sha256, key: repeated(0xaa, 131), message: Array(longKey.utf8),
            expected: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        CodeVector(
            algorithm: .sha256, key: repeated(0xaa, 131), message: Array(longMessage256.utf8),
            expected: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test("HMAC-SHA1 of RFC 2202 and HMAC-SHA256 of RFC 4231")
    func codes() {
        for vector in Self.sha1 + Self.sha256 {
            let code = vector.message.withUnsafeBytes {
                Self.crypto.hmac(vector.algorithm, key: vector.key, message: RawSpan(_unsafeBytes: $0))
            }
            #expect(Self.hexadecimal(code) == vector.expected)
        }
    }

    @Test("An empty key and an empty message have a code")
    func empty() {
        let nothing: [UInt8] = []
        let code = nothing.withUnsafeBytes { Self.crypto.hmac(.sha256, key: [], message: RawSpan(_unsafeBytes: $0)) }
        #expect(Self.hexadecimal(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}
