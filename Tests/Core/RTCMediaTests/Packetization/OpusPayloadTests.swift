import RTCMedia
import RTCWire
import Testing

@Suite("Opus payloads")
struct OpusPayloadTests {
    static func read(_ payload: [UInt8]) -> OpusPayload? {
        payload.withUnsafeBytes { OpusPayload(RawSpan(_unsafeBytes: $0)) }
    }

    @Test(
        "How long a packet plays (RFC 6716, table 2)",
        arguments: [
            (0, 480), (1, 960), (2, 1_920), (3, 2_880), (11, 2_880), (12, 480), (13, 960), (15, 960), (16, 120),
            (17, 240), (18, 480), (19, 960), (31, 960),
        ])
    func durations(configuration: UInt8, ticks: Int) throws {
        #expect(try #require(Self.read([configuration << 3, 1])).duration == ticks)
        #expect(try #require(Self.read([configuration << 3 | 1, 1, 1])).duration == 2 * ticks)
        #expect(try #require(Self.read([configuration << 3 | 2, 1, 7, 8])).duration == 2 * ticks)
        #expect(try #require(Self.read([configuration << 3 | 3, 0x02, 7, 8])).duration == 2 * ticks)
    }

    @Test("Redundancy is seen behind the voice flags of SILK frames, and only there")
    func redundancy() throws {
        // SILK, 20 ms, mono: one voice flag, then the redundancy flag.
        #expect(try #require(Self.read([0x08, 0b0100_0000])).carriesPreviousPacket)
        #expect(!(try #require(Self.read([0x08, 0b1011_1111])).carriesPreviousPacket))
        // 60 ms: three voice flags.
        #expect(try #require(Self.read([0x18, 0b0001_0000])).carriesPreviousPacket)
        #expect(!(try #require(Self.read([0x18, 0b1110_1111])).carriesPreviousPacket))
        // Stereo: the second channel's flags follow.
        #expect(try #require(Self.read([0x0C, 0b0001_0000])).carriesPreviousPacket)
        // CELT has none.
        #expect(!(try #require(Self.read([0x98, 0xFF])).carriesPreviousPacket))
        // A packet of discontinuous transmission is its first byte alone.
        #expect(!(try #require(Self.read([0x08])).carriesPreviousPacket))
    }

    @Test(
        "What breaks a rule of RFC 6716, section 3.4, is no packet",
        arguments: [
            [], [0x09, 1], [0x0A], [0x0A, 252], [0x0A, 9, 1], [0x0B], [0x0B, 0x00], [0x0B, 0x03, 1],
            [0x0B, 0x3F] + [UInt8](repeating: 1, count: 63), [0x0B, 0x41], [0x0B, 0x41, 255, 255],
            [0x0B, 0x41, 9, 1], [0x0B, 0x83, 9, 9, 1],
        ] as [[UInt8]])
    func broken(payload: [UInt8]) {
        #expect(Self.read(payload) == nil)
    }

    @Test("Random bytes never trap, and no packet plays for more than 120 ms")
    func hostile() {
        let random = SeededRandom(seed: 5)
        for _ in 0..<50_000 {
            if let packet = Self.read(random.bytes(Int(random.next(below: 30)))) {
                #expect((120...5_760).contains(packet.duration))
            }
        }
    }
}
