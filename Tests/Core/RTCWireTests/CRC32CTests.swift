import RTCWire
import Testing

@Suite("CRC-32c")
struct CRC32CTests {
    /// The vectors of RFC 3720, appendix B.4, which give the bytes in wire order, and the check value of the catalogue
    /// of CRCs.
    @Test(
        "gives the published checksums",
        arguments: [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            ([UInt8](0..<32), 0x46DD_794E),
            ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
            ([UInt8]("123456789".utf8), 0xE306_9283),
            ([], 0),
        ] as [([UInt8], UInt32)])
    func published(bytes: [UInt8], expected: UInt32) {
        #expect(bytes.withUnsafeBytes { CRC32C.checksum($0) } == expected)
    }

    @Test("gives the checksum of an iSCSI read command (RFC 3720, appendix B.4)")
    func readCommand() {
        var bytes = [UInt8](repeating: 0, count: 48)
        (bytes[0], bytes[1]) = (0x01, 0xC0)
        (bytes[16], bytes[22], bytes[27], bytes[31]) = (0x14, 0x04, 0x14, 0x18)
        (bytes[32], bytes[40]) = (0x28, 0x02)
        #expect(bytes.withUnsafeBytes { CRC32C.checksum($0) } == 0xD996_3A56)
    }

    @Test("agrees with the definition for every length and alignment")
    func definition() {
        let random = SeededRandom(seed: 1)
        let bytes = random.bytes(200)
        for start in 0..<17 {
            for end in start...200 where (end - start) % 7 == 0 || end - start < 40 {
                let slice = bytes[start..<end]
                let fast = slice.withUnsafeBytes { CRC32C.checksum($0) }
                #expect(fast == bitwise(slice), "bytes \(start) to \(end)")
            }
        }
    }

    @Test("counts an SCTP packet's own checksum as zero")
    func sctpPacket() {
        var packet = SeededRandom(seed: 2).bytes(120)
        let checksum = packet.withUnsafeBytes { CRC32C.checksum(ofSCTPPacket: $0) }
        packet.replaceSubrange(8..<12, with: [0xDE, 0xAD, 0xBE, 0xEF])
        #expect(packet.withUnsafeBytes { CRC32C.checksum(ofSCTPPacket: $0) } == checksum)
        packet.replaceSubrange(8..<12, with: [0, 0, 0, 0])
        #expect(packet.withUnsafeBytes { CRC32C.checksum($0) } == checksum)
    }

    @Test("takes what is too short to be an SCTP packet as it is")
    func shortPacket() {
        let bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeBytes { #expect(CRC32C.checksum(ofSCTPPacket: $0) == CRC32C.checksum($0)) }
    }

    private func bitwise(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
        return ~crc
    }
}
