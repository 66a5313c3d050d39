import RTCWire
import Testing

@testable import RTCMedia

@Suite("H.264 parameter sets")
struct H264ParameterSetTests {
    static func read(_ unit: [UInt8]) -> H264SequenceParameterSet? {
        unit.withUnsafeBytes { H264SequenceParameterSet($0) }
    }

    @Test("The size of the pictures, cropping included", arguments: [(1_280, 720), (640, 360), (318, 182), (16, 16)])
    func sizes(width: Int, height: Int) throws {
        for order in [UInt32(0), 1, 2] {
            for profile in [UInt8(66), 100] {
                var writer = H264SPSWriter(width: width, height: height)
                writer.orderType = order
                writer.profileIDC = profile
                writer.constraints = profile == 100 ? 0x0C : 0xC0
                writer.hasScalingMatrix = order == 1
                writer.id = order
                let set = try #require(Self.read(writer.unit))
                #expect(set.width == width)
                #expect(set.height == height)
                #expect(set.id == order)
                #expect(set.profileLevel?.profile == (profile == 100 ? .constrainedHigh : .constrainedBaseline))
            }
        }
    }

    @Test("A set of x264 in High profile at 1280 × 720, with bytes against start codes")
    func recorded() throws {
        let unit: [UInt8] = [
            0x67, 0x64, 0x00, 0x1F, 0xAC, 0xD9, 0x40, 0x50, 0x05, 0xBB, 0x01, 0x10, 0x00, 0x00, 0x03, 0x00, 0x10, 0x00,
            0x00, 0x03, 0x03, 0xC0, 0xF1, 0x83, 0x19, 0x60,
        ]
        let set = try #require(Self.read(unit))
        #expect(set.width == 1_280)
        #expect(set.height == 720)
        #expect(set.profileLevel == H264ProfileLevel(.high, H264ProfileLevel.Level(levelIDC: 31)))
        for count in 0..<9 { #expect(Self.read(Array(unit[..<count])) == nil) }
    }

    @Test("Random bytes are never more than no parameter set")
    func hostile() {
        let random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            let unit = [UInt8(0x67)] + random.bytes(Int(random.next(below: 60)))
            if let set = Self.read(unit) {
                #expect(set.width > 0 && set.width <= 16_384)
                #expect(set.height > 0 && set.height <= 32_768)
            }
        }
        var sets = H264ParameterSets()
        for id in 0..<1_000 {
            var writer = H264SPSWriter(width: 320, height: 240)
            writer.id = UInt32(id % 40)
            writer.unit.withUnsafeBytes { sets.note($0) }
            ([UInt8(0x68)] + random.bytes(Int(random.next(below: 3_000)))).withUnsafeBytes { sets.note($0) }
        }
    }

    @Test("A picture without its sets gets those that were kept, from packets or from the description")
    func completion() throws {
        let slice: [UInt8] = [0, 0, 0, 1, 0x65, 0x88, 0x80, 0x01]
        var sets = H264ParameterSets()
        #expect(slice.withUnsafeBytes { sets.completion(of: $0) == nil })
        TestPattern.sps.withUnsafeBytes { sets.note($0) }
        #expect(slice.withUnsafeBytes { sets.completion(of: $0) == nil })
        TestPattern.pps.withUnsafeBytes { sets.note($0) }
        let completion = try #require(slice.withUnsafeBytes { sets.completion(of: $0) })
        #expect(completion.prefix == [0, 0, 0, 1] + TestPattern.sps + [0, 0, 0, 1] + TestPattern.pps)
        #expect(completion.size?.width == 320)
        let whole = completion.prefix + slice
        #expect(whole.withUnsafeBytes { sets.completion(of: $0)?.prefix } == [])

        // A picture set names its sequence set, which need not have the same number.
        var writer = H264SPSWriter(width: 640, height: 360)
        writer.id = 1
        let other = writer.unit
        other.withUnsafeBytes { sets.note($0) }
        ([0x68, 0b1_010_1000] as [UInt8]).withUnsafeBytes { sets.note($0) }
        let second = try #require(slice.withUnsafeBytes { sets.completion(of: $0) })
        #expect(second.prefix == [0, 0, 0, 1] + other + [0, 0, 0, 1, 0x68, 0b1_010_1000])
        #expect(second.size?.width == 640)

        var described = H264ParameterSets()
        described.note(description: "!!!,Z0LAH4xoFB+QgICAgA==,aM48gA==")
        described.note(description: Base64.encode(TestPattern.sps) + "," + Base64.encode(TestPattern.pps))
        #expect(slice.withUnsafeBytes { described.completion(of: $0)?.prefix } == completion.prefix)

        var unpadded = H264ParameterSets()
        let texts = [TestPattern.sps, TestPattern.pps].map { Base64.encode($0).filter { $0 != "=" } }
        unpadded.note(description: texts.joined(separator: ","))
        #expect(slice.withUnsafeBytes { unpadded.completion(of: $0)?.prefix } == completion.prefix)
    }
}
