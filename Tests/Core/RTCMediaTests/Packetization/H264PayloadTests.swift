import RTCMedia
import RTCWire
import Testing

@Suite("H.264 payloads")
struct H264PayloadTests {
    static func packetizer(mode: Int) throws -> VideoPacketizer {
        try #require(VideoPacketizer(format: .h264, parameters: FormatParameters("packetization-mode=\(mode)")))
    }

    static func frame(_ units: [[UInt8]], isKey: Bool = false) -> EncodedVideoFrame {
        EncodedVideoFrame(
            format: .h264, data: Array(units.map { [0, 0, 0, 1] + $0 }.joined()), isKeyFrame: isKey,
            timestamp: RTPTimestamp(0))
    }

    @Test("A NAL unit that fits is a payload as it is (RFC 6184, section 5.6)")
    func singleUnit() throws {
        var packetizer = try Self.packetizer(mode: 1)
        let unit: [UInt8] = [0x41, 0x9A, 0x01, 0x02]
        #expect(packetizer.payloads(of: Self.frame([unit]), maximumPayloadSize: 1_000) == [unit])
        let descriptor = try #require(videoDescriptor(unit, .h264))
        #expect(descriptor.mayBeginFrame)
        #expect(!descriptor.beginsFrame)
        #expect(!descriptor.isKeyFrame)
        #expect(!descriptor.isDiscardable)
        #expect(descriptor.hasSlice)
        #expect(try #require(videoDescriptor([0x01, 0x9A], .h264)).isDiscardable)
    }

    @Test("Small units share a payload (STAP-A, section 5.7.1)")
    func aggregate() throws {
        var packetizer = try Self.packetizer(mode: 1)
        let idr: [UInt8] = [0x65, 0x88, 0x80, 0x01]
        let payloads = packetizer.payloads(
            of: Self.frame([TestPattern.sps, TestPattern.pps, idr], isKey: true), maximumPayloadSize: 1_000)
        try #require(payloads.count == 1)
        var expected: [UInt8] = [0x78]
        for unit in [TestPattern.sps, TestPattern.pps, idr] { expected += [0, UInt8(unit.count)] + unit }
        #expect(payloads[0] == expected)
        let descriptor = try #require(videoDescriptor(payloads[0], .h264))
        #expect(descriptor.beginsFrame)
        #expect(descriptor.isKeyFrame)
        #expect(descriptor.hasParameterSets)
        #expect(descriptor.packaging == .aggregate)
    }

    @Test("A large unit is cut into even fragments (FU-A, section 5.8)")
    func fragments() throws {
        var packetizer = try Self.packetizer(mode: 1)
        let unit: [UInt8] = [0x65] + [UInt8](repeating: 0x33, count: 250)
        let payloads = packetizer.payloads(of: Self.frame([unit], isKey: true), maximumPayloadSize: 102)
        #expect(payloads.map(\.count) == [85, 85, 86])
        #expect(payloads.map { Array($0[..<2]) } == [[0x7C, 0x85], [0x7C, 0x05], [0x7C, 0x45]])
        #expect(depacketized(payloads, .h264) == [0, 0, 0, 1] + unit)
        #expect(videoDescriptor(payloads[0], .h264)?.packaging == .firstFragment(header: 0x65))
        #expect(videoDescriptor(payloads[1], .h264)?.mayBeginFrame == false)
    }

    @Test("Mode 0 neither joins nor cuts: a unit that does not fit makes the frame impossible")
    func singleUnitMode() throws {
        var packetizer = try Self.packetizer(mode: 0)
        let units = [TestPattern.sps, TestPattern.pps, [0x65, 0x88, 0x80]]
        #expect(packetizer.payloads(of: Self.frame(units, isKey: true), maximumPayloadSize: 1_000) == units)
        let large = Self.frame([[0x65] + [UInt8](repeating: 0x33, count: 250)], isKey: true)
        #expect(packetizer.begin(large, maximumPayloadSize: 100) == 0)
        #expect(packetizer.payloads(of: large, maximumPayloadSize: 100).isEmpty)
    }

    @Test("Start codes of three and four bytes, zeros between units, and nothing between them")
    func startCodes() throws {
        var packetizer = try Self.packetizer(mode: 0)
        let frame = EncodedVideoFrame(
            format: .h264, data: [9, 9, 0, 0, 1, 0x67, 1, 0, 0, 0, 0, 1, 0x68, 0, 3, 0, 0, 1, 0, 0, 1, 0x65, 5, 0, 0],
            isKeyFrame: true, timestamp: RTPTimestamp(0))
        #expect(packetizer.payloads(of: frame, maximumPayloadSize: 100) == [[0x67, 1], [0x68, 0, 3], [0x65, 5]])
    }

    @Test(
        "Payloads of packetization mode 2, and payloads that lie about sizes, are noise",
        arguments: [
            [], [0x00], [0x1F, 1], [0x19, 0, 0, 0, 2, 0x41, 1], [0x1A, 0, 0, 0, 0], [0x1B, 0, 0],
            [0x1D, 0x85, 0, 0, 1],
            // STAP-A: nothing inside, a size beyond the end, a size of 0, half a size, an aggregate inside.
            [0x78], [0x78, 0, 5, 0x67, 1], [0x78, 0, 0], [0x78, 0, 1, 0x67, 0], [0x78, 0, 2, 0x78, 1],
            [0x78, 0xFF, 0xFF, 0x67, 1],
            // FU-A: no header, nothing behind it, an aggregate in fragments, no type.
            [0x7C], [0x7C, 0x85], [0x7C, 0x98, 1], [0x7C, 0x9C, 1], [0x7C, 0x80, 1],
        ] as [[UInt8]])
    func noise(payload: [UInt8]) {
        #expect(videoDescriptor(payload, .h264) == nil)
    }
}
