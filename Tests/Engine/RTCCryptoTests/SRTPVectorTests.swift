import RTCTransport
import Testing

@testable import RTCCrypto

@Suite("Published vectors of SRTP")
struct SRTPVectorTests {
    private static let masterKey = hex("E1F97A0D3E018BE0D64FA32C06DE4139")
    private static let masterSalt = hex("0EC675AD498AFEEBB6960B3AABE6")

    // MARK: RFC 3711

    @Test("RFC 3711, B.3: key derivation")
    func derivation() throws {
        let keys = try SRTPSessionKeys(
            profile: .aes128CMHMACSHA1_80, masterKey: Self.masterKey, masterSalt: Self.masterSalt)
        #expect(Array(keys[.rtpEncryption]) == hex("C61E7A93744F39EE10734AFE3FF7A087"))
        #expect(Array(keys[.rtpSalt]) == hex("30CBBC08863D8C85D49DB34A9AE1"))
        #expect(Array(keys[.rtpAuthentication]) == hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    }

    @Test("RFC 3711, B.2: the keystream of AES in counter mode")
    func keystream() throws {
        let keys = SRTPSessionKeys(profile: .aes128CMHMACSHA1_80)
        keys[.rtpEncryption].copyBytes(from: hex("2B7E151628AED2A6ABF7158809CF4F3C"))
        keys[.rtpSalt].copyBytes(from: hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD"))
        let cipher = try CounterModeCipher(keys)
        // SSRC 0 and index 0, over a payload of zeros as long as the vector's, which goes to block 0xFF01.
        let blocks = 0xFF02
        var packet = [UInt8](repeating: 0, count: 12 + 16 * blocks + 10)
        let size = packet.withUnsafeMutableBytes {
            cipher.sealRTP($0, count: $0.count - 10, headerLength: 12, index: 0)
        }
        #expect(size == packet.count)
        func block(_ number: Int) -> [UInt8] { Array(packet[(12 + 16 * number)...].prefix(16)) }
        #expect(block(0) == hex("E03EAD0935C95E80E166B16DD92B4EB4"))
        #expect(block(1) == hex("D23513162B02D0F72A43A2FE4A5F97AB"))
        #expect(block(2) == hex("41E95B3BB0A2E8DD477901E4FCA894C0"))
        #expect(block(0xFEFF) == hex("EC8CDF7398607CB0F2D21675EA9EA1E4"))
        #expect(block(0xFF00) == hex("362B7C3C6773516318A077D7FC5073AE"))
        #expect(block(0xFF01) == hex("6A2CC3787889374FBEB4C81B17BA6C44"))
    }

    // MARK: RFC 7714

    private static let salt7714 = hex("51756964 2070726f 2071756f")
    private static let rtp7714 = hex(
        "8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976 69736120 696e2070 61727465 73207472"
            + "6573"
    )
    private static let rtcp7714 = hex(
        "81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61 deadbeef deadbeef deadbeef"
            + "deadbeef deadbeef"
    )

    private static func cipher7714(_ profile: SRTPProfile) throws -> GCMCipher {
        let keys = SRTPSessionKeys(profile: profile)
        for use in [SRTPSessionKeys.Use.rtpEncryption, .rtcpEncryption] {
            keys[use].copyBytes(from: 0..<UInt8(profile.keyLength))
        }
        for use in [SRTPSessionKeys.Use.rtpSalt, .rtcpSalt] { keys[use].copyBytes(from: salt7714) }
        return try GCMCipher(keys)
    }

    @Test(
        "RFC 7714, 16: SRTP with AES-GCM",
        arguments: [
            (
                SRTPProfile.aeadAES128GCM, 12,
                """
                f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b 36de3adf 8833
                899d7f27 beb16a91 52cf765e e4390cce
                """
            ),
            (
                .aeadAES256GCM, 12,
                """
                32b1de78 a822fe12 ef9f78fa 332e33aa b1801238 9a58e2f3 b50b2a02 76ffae0f 1ba63799 b87b
                7aa3db36 dfffd6b0 f9bb7878 d7a76c13
                """
            ),
            // Authenticated only: all of the packet is header.
            (.aeadAES128GCM, 50, "22493f82 d2bce397 e9d79e3b 19aa4216"),
            (.aeadAES256GCM, 50, "a866d591 0f887463 067ceefe c45215d4"),
        ])
    func rtp(profile: SRTPProfile, headerLength: Int, sealed: String) throws {
        let cipher = try Self.cipher7714(profile)
        let expected = Self.rtp7714[..<headerLength] + hex(sealed)
        var packet = Self.rtp7714 + [UInt8](repeating: 0, count: 16)
        let size = packet.withUnsafeMutableBytes {
            cipher.sealRTP($0, count: $0.count - 16, headerLength: headerLength, index: 0xF17B)
        }
        #expect(size == packet.count)
        #expect(packet == Array(expected))
        var memory = [UInt8](repeating: 0, count: packet.count)
        let opened = memory.withUnsafeMutableBytes { memory in
            packet.withUnsafeBytes { cipher.openRTP($0, into: memory, headerLength: headerLength, index: 0xF17B) }
        }
        #expect(opened == Self.rtp7714.count)
        #expect(memory.prefix(Self.rtp7714.count) == Self.rtp7714[...])
    }

    @Test(
        "RFC 7714, 17: SRTCP with AES-GCM",
        arguments: [
            (
                SRTPProfile.aeadAES128GCM, true,
                """
                63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda 4ce09b46 86303ded 0bb9275b
                c84aa458 96cf4d2f c5abf872 45d9eade 800005d4
                """
            ),
            (
                .aeadAES256GCM, true,
                """
                d50ae4d1 f5ce5d30 4ba297e4 7d470c28 2c3ece5d bffe0a50 a2eaa5c1 110555be 8415f658 c61de047 6f1b6fad
                1d1eb30c 4446839f 57ff6f6c b26ac3be 800005d4
                """
            ),
            (.aeadAES128GCM, false, "841dd968 3dd78ec9 2ae58790 125f62b3 000005d4"),
            (.aeadAES256GCM, false, "91db4afb feee5a97 8fab4393 ed2615fe 000005d4"),
        ])
    func rtcp(profile: SRTPProfile, isEncrypted: Bool, sealed: String) throws {
        let cipher = try Self.cipher7714(profile)
        let clear = isEncrypted ? 8 : Self.rtcp7714.count
        var packet = Self.rtcp7714 + [UInt8](repeating: 0, count: 20)
        let size = packet.withUnsafeMutableBytes {
            cipher.sealRTCP($0, count: $0.count - 20, index: 0x5D4, isEncrypted: isEncrypted)
        }
        #expect(size == packet.count)
        #expect(packet == Array(Self.rtcp7714[..<clear] + hex(sealed)))
        let opened = packet.withUnsafeMutableBytes { cipher.openRTCP($0) }
        #expect(opened == Self.rtcp7714.count)
        #expect(packet.prefix(Self.rtcp7714.count) == Self.rtcp7714[...])
    }

    // MARK: Packets that libsrtp made

    struct Stream: Sendable, CustomTestStringConvertible {
        let profile: SRTPProfile
        /// Master key and salt.
        let key: String
        let rtp: [String]
        let rtcp: [String]
        var testDescription: String { "\(profile)" }
    }

    @Test(
        "What libsrtp 2 protects, with contributing sources, header extension, padding and a wrap",
        arguments: [
            Stream(
                profile: .aes128CMHMACSHA1_80,
                key: "e1f97a0d3e018be0d64fa32c06de4139 0ec675ad498afeebb6960b3aabe6",
                rtp: [
                    "4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb",
                    "8f079a74d496ff0c12c1 8ae2f8db9281cdc6d4c6",
                    "622d6567c56e2debfeff 50abbc6de894d110bc3e",
                    "c874a1efb9658a9dd303 4a336e9cca0d3f27ef2e",
                ],
                rtcp: [
                    "7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798",
                    "621934ea9f788cdad295b3a512d8bc5f 80000002 c8dc9c552c823658cdac",
                ]),
            Stream(
                profile: .aeadAES128GCM,
                key: "101316191c1f2225282b2e3134373a3d a0a5aaafb4b9bec3c8cdd2d7",
                rtp: [
                    "afb43d0113da042cdcda6c9275ea6515 938fc5712ab9547bdf226b0eed7d81fc",
                    "05bd32b1d41cd79fc101 08ca257d54d9c7430f8d378bc3ba2104",
                    "91badd7bea946c06ed34 3f3ef7cfb9700a956abf78971c8863f3",
                    "1cb7994d638578d419e9 6ac19112adbf56c904256fd3a574ca38",
                ],
                rtcp: [
                    "3b2f3b57b2ee4d01582c069e608bdc04 58974ecd5990034c2964d871f633f8ab 80000001",
                    "ee8540fa613114767e82c51c889ff500 46aa9d20a7aade290d6839b009c9ceee 80000002",
                ]),
            Stream(
                profile: .aeadAES256GCM,
                key: """
                    101316191c1f2225282b2e3134373a3d404346494c4f5255585b5e6164676a6d
                    a0a5aaafb4b9bec3c8cdd2d7
                    """,
                rtp: [
                    "e88cbcb611aef5403a26b53be6f4f2f6 6515f6486aa318f53298f1fb26402f69",
                    "0f55ecd79945569275e2 dfec402d5818efc79e89a8556c8787f6",
                    "80a6a7fd919575fc49b8 645258b1b293306f7223547604ac631a",
                    "5527954cc33cff0f931e 8350b6a81d8249c7e608ad2a62dbe9a8",
                ],
                rtcp: [
                    "5e39e4001ed23aff921f1f1e110ef945 1804722bad8dcb55a692cbd19266d143 80000001",
                    "b57380a3746791a0daf319dff7458ec4 dd08df7397a97c876d036278e1a2257c 80000002",
                ]),
        ])
    func libsrtp(stream: Stream) throws {
        let sender = try sealingEnd(stream.profile, hex(stream.key))
        let receiver = try openingEnd(stream.profile, hex(stream.key))
        let filler = [UInt8](repeating: 0xAB, count: 16)
        let numbered = ["9000", "ffff", "0001"].map {
            (
                hex("b2e0\($0) 01020304 11223344 0000000a 0000000b bede0001 10aa0000"),
                Array("payload".utf8) + [0, 0, 3]
            )
        }
        let packets = [(hex("800f1234 decafbad cafebabe"), filler)] + numbered
        for ((header, payload), sealed) in zip(packets, stream.rtp) {
            let expected = header + hex(sealed)
            #expect(sender.run(.protectRTP, header + payload) == expected)
            #expect(receiver.run(.unprotectRTP, expected) == header + payload)
        }
        let head = hex("81c8000b cafebabe")
        for sealed in stream.rtcp {
            let expected = head + hex(sealed)
            #expect(sender.run(.protectRTCP, head + filler) == expected)
            #expect(receiver.run(.unprotectRTCP, expected) == head + filler)
        }
        #expect(receiver.counters.accepted == 6)
        #expect(receiver.counters.dropped == 0)
    }
}
