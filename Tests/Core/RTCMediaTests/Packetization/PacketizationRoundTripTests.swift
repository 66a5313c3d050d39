import RTCMedia
import RTCWire
import Testing

@Suite("Frames survive packetization")
struct PacketizationRoundTripTests {
    @Test("At every size of frame and of packet", arguments: [PayloadFormat.vp8, .vp9])
    func wholeFrames(format: PayloadFormat) throws {
        let random = SeededRandom(seed: 7)
        var packetizer = try #require(VideoPacketizer(format: format))
        for limit in [32, 33, 40, 100, 1_150, 1_200, 9_000] {
            for round in 0..<120 {
                let size = round < 100 ? round + 1 : Int(random.next(below: 20_000)) + 1
                let isKey = round % 3 == 0
                let frame = EncodedVideoFrame(
                    format: format, data: random.bytes(size), isKeyFrame: isKey, timestamp: RTPTimestamp(0), width: 640,
                    height: 360)
                let expected = packetizer.begin(frame, maximumPayloadSize: limit)
                let payloads = packetizer.payloads(of: frame, maximumPayloadSize: limit)
                #expect(payloads.count == expected)
                #expect(depacketized(payloads, format) == frame.data)
                let sizes = payloads.map(\.count)
                #expect(sizes.allSatisfy { $0 <= limit })
                // The structure of VP9 apart, parts differ by one byte at most.
                #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
                let descriptors = payloads.compactMap { videoDescriptor($0, format) }
                #expect(descriptors.map(\.beginsFrame) == [true] + Array(repeating: false, count: payloads.count - 1))
                #expect(Set(descriptors.map(\.pictureID)).count == 1)
                if format == .vp9 { #expect(descriptors[0].isKeyFrame == isKey) }
            }
        }
    }

    @Test("NAL units of every size, in both packetization modes", arguments: [0, 1])
    func units(mode: Int) throws {
        let random = SeededRandom(seed: 8)
        var packetizer = try H264PayloadTests.packetizer(mode: mode)
        for limit in [32, 60, 1_150, 1_200, 70_000] {
            for _ in 0..<80 {
                var units: [[UInt8]] = []
                for _ in 0...random.next(below: 8) {
                    let largest = mode == 0 ? UInt64(limit) - 1 : random.next(below: 4) == 0 ? 70_000 : 200
                    let size = Int(random.next(below: largest))
                    let type = UInt8(random.next(below: 12)) + 1
                    units.append(
                        [UInt8(random.next(below: 4)) << 5 | type] + TestPattern.unitBytes(random, count: size))
                }
                let frame = H264PayloadTests.frame(units)
                let payloads = packetizer.payloads(of: frame, maximumPayloadSize: limit)
                #expect(depacketized(payloads, .h264) == frame.data)
                #expect(payloads.allSatisfy { $0.count <= limit })
            }
        }
    }

    @Test("What cannot be sent gives no payloads, and leaves the packetizer usable")
    func impossible() throws {
        var packetizer = try #require(VideoPacketizer(format: .vp8))
        let good = EncodedVideoFrame(format: .vp8, data: [1, 2, 3], isKeyFrame: false, timestamp: RTPTimestamp(0))
        var empty = good
        empty.data = []
        var other = good
        other.format = .vp9
        #expect(packetizer.begin(empty, maximumPayloadSize: 1_000) == 0)
        #expect(packetizer.begin(other, maximumPayloadSize: 1_000) == 0)
        #expect(packetizer.begin(good, maximumPayloadSize: 31) == 0)
        #expect(packetizer.payloads(of: good, maximumPayloadSize: 1_000).count == 1)
        #expect(VideoPacketizer(format: .opus) == nil)
        // Memory that is too small ends the frame, and writes nothing beyond it.
        packetizer.begin(good, maximumPayloadSize: 1_000)
        var memory = [UInt8](repeating: 0xEE, count: 8)
        let part = memory.withUnsafeMutableBytes {
            packetizer.next(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<6]))
        }
        #expect(part == nil)
        #expect(memory[6...] == [0xEE, 0xEE])
    }
}
