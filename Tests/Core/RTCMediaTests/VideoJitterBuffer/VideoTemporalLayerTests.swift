import RTCMedia
import RTCWire
import Testing

@Suite("Temporal layers")
struct VideoTemporalLayerTests {
    /// Pictures of one packet each, in the pattern 0 2 1 2; VP8 with TL0PICIDX, or VP9 likewise.
    static func packet(_ index: Int, _ format: PayloadFormat, isSwitch: Bool) -> VideoTestPacket {
        let layer: UInt8 = [0, 2, 1, 2][index % 4]
        let base = UInt8(truncatingIfNeeded: 250 + index / 4)
        let payload: [UInt8] =
            format == .vp8
            ? [0x90, 0xE0, 0x80 | UInt8(index >> 8), UInt8(index & 0xFF), base, layer << 6 | (isSwitch ? 0x20 : 0)]
                + TestPicture.vp8(isKey: index == 0, size: 20)
            : [0xAC | (index > 0 ? 0x40 : 0), 0x80 | UInt8(index >> 8), UInt8(index & 0xFF)]
                + [layer << 5 | (isSwitch ? 0x10 : 0), base, 0xAA]
        return VideoTestPacket(
            info: VideoPacketInfo(
                format: format, sequenceNumber: 1_000 + Int64(index), timestamp: RTPTimestamp(UInt32(index) * 3_000),
                marker: true), payload: payload, index: index)
    }

    /// What is shown when `lost` never arrives.
    static func shown(_ format: PayloadFormat, lost: Set<Int>, switches: Set<Int> = []) -> (indices: [Int], asked: Bool)
    {
        let buffer = VideoTestBuffer()
        var indices: [Int] = []
        var asked = false
        for index in 0..<40 {
            let now = frameTime(index)
            if !lost.contains(index) {
                buffer.insert(packet(index, format, isSwitch: switches.contains(index)), at: now)
            }
            for time in [now, now + .milliseconds(25)] {
                indices += buffer.drain(at: time).map { Int($0.firstSequenceNumber - 1_000) }
                if buffer.pollKeyFrameRequest(at: time) { asked = true }
            }
        }
        return (indices, asked)
    }

    @Test("All layers are shown when nothing is lost", arguments: [PayloadFormat.vp8, .vp9])
    func complete(format: PayloadFormat) {
        #expect(Self.shown(format, lost: []).indices == Array(0..<40))
    }

    @Test("What is lost in a higher layer costs that layer alone, and no key frame")
    func higherLayer() {
        // Picture 5 is of layer 2. The higher layers wait for a point of entry: picture 9 is one for itself, 10 for
        // layer 1, and for layer 2 there is none.
        let vp8 = Self.shown(.vp8, lost: [5], switches: [9, 10])
        #expect(vp8.indices == Array(0...4) + [8, 9, 10] + (11..<40).filter { $0 % 2 == 0 })
        #expect(!vp8.asked)
        let vp9 = Self.shown(.vp9, lost: [5], switches: [8])
        #expect(vp9.indices == Array(0...4) + Array(8..<40))
        #expect(!vp9.asked)
    }

    @Test("What is lost in the lowest layer needs a key frame", arguments: [PayloadFormat.vp8, .vp9])
    func lowestLayer(format: PayloadFormat) {
        let result = Self.shown(format, lost: [8])
        #expect(result.indices == Array(0..<8))
        #expect(result.asked)
    }

    @Test("Layers that a middlebox takes out without renumbering are no loss")
    func removedLayers() {
        // Sequence numbers are rewritten, picture ids are not.
        for format in [PayloadFormat.vp8, .vp9] {
            let buffer = VideoTestBuffer()
            var indices: [Int] = []
            var number: Int64 = 1_000
            for index in 0..<40 where index % 2 == 0 {
                var packet = Self.packet(index, format, isSwitch: false)
                packet.info.sequenceNumber = number
                number += 1
                buffer.insert(packet, at: frameTime(index))
                indices += buffer.drain(at: frameTime(index)).map { Int($0.firstSequenceNumber) }
            }
            #expect(indices == Array(1_000..<1_020))
        }
    }

    @Test("VP9 in flexible mode goes on without what nothing refers to")
    func flexible() {
        let buffer = VideoTestBuffer()
        var shown: [Int] = []
        for index in 0..<20 {
            // Odd pictures are referred to by nothing; even ones refer two back.
            let isKey = index == 0
            let head: [UInt8] = isKey ? [0x9C, UInt8(index)] : [0xDC, UInt8(index), index % 2 == 0 ? 4 : 2]
            let packet = VideoTestPacket(
                info: VideoPacketInfo(
                    format: .vp9, sequenceNumber: Int64(index), timestamp: RTPTimestamp(UInt32(index) * 3_000),
                    marker: true), payload: head + [0xAA], index: index)
            let now = frameTime(index)
            if index != 7 { buffer.insert(packet, at: now) }
            shown += buffer.drain(at: now).map { Int($0.firstSequenceNumber) }
            shown += buffer.drain(at: now + .milliseconds(25)).map { Int($0.firstSequenceNumber) }
            #expect(!buffer.pollKeyFrameRequest(at: now))
        }
        #expect(shown == Array(0...6) + Array(8..<20))
    }
}
