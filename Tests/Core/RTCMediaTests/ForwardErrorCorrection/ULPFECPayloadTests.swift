import RTCMedia
import RTCWire
import Testing

@Suite("Forward error correction (RFC 5109)")
struct ULPFECPayloadTests {
    /// The four packets of RFC 5109, section 10: A to D, of which A and C have the marker.
    static let examples: [[UInt8]] = [
        packet(8, type: 11, timestamp: 3, marker: true, size: 200),
        packet(9, type: 18, timestamp: 5, marker: false, size: 140),
        packet(10, type: 11, timestamp: 7, marker: true, size: 100),
        packet(11, type: 18, timestamp: 9, marker: false, size: 340),
    ]

    private static func packet(
        _ number: UInt16, type: UInt8, timestamp: UInt32, marker: Bool, size: Int
    ) -> [UInt8] {
        PacketBytes.rtp(
            number, timestamp: timestamp, ssrc: 2, payloadType: type, marker: marker,
            payload: (0..<size).map { UInt8(truncatingIfNeeded: $0 * Int(number) + size) })
    }

    /// The payload that protects `packets`.
    static func parity(of packets: [[UInt8]], base: UInt16) -> [UInt8] {
        var parity = ULPFECParity()
        parity.begin(at: RTPSequenceNumber(base))
        for packet in packets {
            let isAdded = packet.withUnsafeBytes { parity.add($0) }
            #expect(isAdded)
        }
        let size = parity.size
        let bytes = PacketBytes.write(room: 2_000) { parity.write(to: &$0) }
        #expect(bytes.count == size)
        return bytes
    }

    private static func read(_ bytes: [UInt8]) -> ULPFECPayload? {
        bytes.withUnsafeBytes { ULPFECPayload(RawSpan(_unsafeBytes: $0)) }
    }

    @Test("The RFC's example is written byte by byte (section 10.1)")
    func example() {
        let bytes = Self.parity(of: Self.examples, base: 8)
        // E, L, P, X, CC, M and PT are 0; SN base 8, TS 3^5^7^9, length 200^140^100^340, protection length 340, and the
        // mask's first four bits.
        #expect(bytes.prefix(14) == [0, 0, 0, 8, 0, 0, 0, 8, 0x01, 0x74, 0x01, 0x54, 0xF0, 0x00])
        #expect(bytes.count == 14 + 340)
        // Behind the end of C, then B, then A, fewer and at last only D are left.
        #expect(bytes[14 + 339] == Self.examples[3][12 + 339])
        #expect(bytes[14 + 199] == Self.examples[0][12 + 199] ^ Self.examples[3][12 + 199])
    }

    @Test("The RFC's example is read")
    func reading() throws {
        let payload = try #require(Self.read(Self.parity(of: Self.examples, base: 8)))
        #expect(payload.base == RTPSequenceNumber(8) && payload.mask == 0b1111 && payload.firstBytes == 0)
        #expect(payload.timestamp == 8 && payload.length == 372 && payload.parity == 14..<354)
    }

    @Test("Packets further apart than sixteen need the long mask")
    func longMask() throws {
        let packets = [65_530, 65_535, 9, 41].map { PacketBytes.rtp(UInt16($0), payload: [UInt8($0 & 0xFF)]) }
        let bytes = Self.parity(of: packets, base: 65_530)
        #expect(bytes[0] & 0x40 != 0 && bytes.count == 10 + 8 + 1)
        // The 1st, 6th, 16th and 48th bit.
        #expect(bytes[12..<18] == [0x84, 0x01, 0x00, 0x00, 0x00, 0x01])
        let payload = try #require(Self.read(bytes))
        #expect(payload.mask == 1 | 1 << 5 | 1 << 15 | 1 << 47 && payload.parity == 18..<19)
        var parity = ULPFECParity()
        parity.begin(at: RTPSequenceNumber(10))
        let outside = [9, 58].map { number in
            PacketBytes.rtp(UInt16(number)).withUnsafeBytes { parity.add($0) }
        }
        #expect(outside == [false, false])
    }

    @Test("What is cut, protects nothing or has the reserved bit is no error correction")
    func refused() {
        let good = Self.parity(of: Self.examples, base: 8)
        #expect(Self.read(good) != nil)
        for count in 0..<good.count { #expect(Self.read(Array(good.prefix(count))) == nil) }
        var reserved = good
        reserved[0] |= 0x80
        #expect(Self.read(reserved) == nil)
        var empty = good
        empty[12] = 0
        #expect(Self.read(empty) == nil)
        var long = Self.parity(of: [PacketBytes.rtp(1), PacketBytes.rtp(40)], base: 1)
        #expect(Self.read(long) != nil)
        long.removeLast(long.count - 16)
        #expect(Self.read(long) == nil)
    }

    @Test("Bytes behind level 0, as of higher levels, are left alone")
    func higherLevels() throws {
        let bytes = Self.parity(of: Self.examples, base: 8) + [0, 1, 0xF0, 0, 7]
        #expect(try #require(Self.read(bytes)).parity == 14..<354)
    }
}
