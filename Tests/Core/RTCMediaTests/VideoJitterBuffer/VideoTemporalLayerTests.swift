import RTCMedia
import RTCWire
import Testing

@Suite("Temporal layers")
struct VideoTemporalLayerTests {
    /// Pictures of one packet each, in the pattern 0 2 1 2; VP8 with TL0PICIDX, or VP9 likewise.
    ///
    /// - Parameter announcement: The scalability structure of VP9's key frame.
    static func packet(
        _ index: Int, _ format: PayloadFormat, isSwitch: Bool, announcement: [UInt8] = []
    ) -> VideoTestPacket {
        let layer: UInt8 = [0, 2, 1, 2][index % 4]
        let group: [UInt8] = index == 0 ? announcement : []
        let base = UInt8(truncatingIfNeeded: 250 + index / 4)
        let payload: [UInt8] =
            format == .vp8
            ? [0x90, 0xE0, 0x80 | UInt8(index >> 8), UInt8(index & 0xFF), base, layer << 6 | (isSwitch ? 0x20 : 0)]
                + TestPattern.vp8(isKey: index == 0, size: 20)
            : [0xAC | (index > 0 ? 0x40 : 0) | (group.isEmpty ? 0 : 2), 0x80 | UInt8(index >> 8), UInt8(index & 0xFF)]
                + [layer << 5 | (isSwitch ? 0x10 : 0), base] + group + [0xAA]
        return VideoTestPacket(
            info: VideoPacketInfo(
                format: format, sequenceNumber: 1_000 + Int64(index), timestamp: RTPTimestamp(UInt32(index) * 3_000),
                marker: true), payload: payload, index: index)
    }

    /// What is shown when `lost` never arrives.
    static func shown(
        _ format: PayloadFormat, lost: Set<Int>, switches: Set<Int> = [], announcement: [UInt8] = []
    ) -> (indices: [Int], asked: Bool) {
        let buffer = VideoTestBuffer()
        var indices: [Int] = []
        var asked = false
        for index in 0..<40 {
            let now = frameTime(index)
            if !lost.contains(index) {
                buffer.insert(
                    packet(index, format, isSwitch: switches.contains(index), announcement: announcement), at: now)
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

    /// The pattern 0 2 1 2: each picture refers to the nearest one of a lower layer, and the last to the one before.
    private static let announcement: [UInt8] = [
        0b0000_1000, 4, 0b0000_0100, 4, 0b0101_0100, 1, 0b0011_0100, 2, 0b0100_0100, 1,
    ]

    @Test(
        "VP9 that announces its references needs no switching point: a loss costs what refers to it, and nothing else")
    func announced() {
        #expect(Self.shown(.vp9, lost: [], announcement: Self.announcement).indices == Array(0..<40))
        let top = Self.shown(.vp9, lost: [5, 11, 17], announcement: Self.announcement)
        #expect(top.indices == (0..<40).filter { ![5, 11, 17].contains($0) })
        #expect(!top.asked)
        // Picture 7 refers to picture 6.
        let middle = Self.shown(.vp9, lost: [6], announcement: Self.announcement)
        #expect(middle.indices == (0..<40).filter { ![6, 7].contains($0) })
        #expect(!middle.asked)
        let base = Self.shown(.vp9, lost: [8], announcement: Self.announcement)
        #expect(base.indices == Array(0..<8) && base.asked)
    }

    @Test("VP9 that does not keep to what it announced is judged by its layers, as without")
    func misannounced() {
        let other: [UInt8] = [0b0000_1000, 2, 0b0000_0100, 2, 0b0011_0100, 1]
        #expect(Self.shown(.vp9, lost: [], announcement: other).indices == Array(0..<40))
        let lost = Self.shown(.vp9, lost: [5], switches: [8], announcement: other)
        #expect(lost.indices == Array(0...4) + Array(8..<40))
        #expect(!lost.asked)
    }

    @Test("Of our own patterns, a loss in the highest layer costs one frame", arguments: [PayloadFormat.vp8, .vp9])
    func ownPatterns(format: PayloadFormat) throws {
        // VP8 does not show of which layer a missing frame was, so the next frame of layer 2 may have needed it.
        for mode in format == .vp9 ? [ScalabilityMode.l1t2, .l1t3] : [.l1t2] {
            var packetizer = try #require(VideoPacketizer(format: format, firstPictureID: 0x7FF0))
            let buffer = VideoTestBuffer()
            var shown: [Int] = []
            func isLost(_ index: Int) -> Bool { index % 3 == 0 && mode.layer(at: index)?.isDiscardable == true }
            for index in 0..<60 {
                let frame = EncodedVideoFrame(
                    format: format, data: TestPattern.vp8(isKey: index == 0, size: 50), isKeyFrame: index == 0,
                    timestamp: RTPTimestamp(UInt32(index) * 3_000), temporalLayer: mode.layer(at: index))
                let packet = VideoTestPacket(
                    info: VideoPacketInfo(
                        format: format, sequenceNumber: Int64(index), timestamp: frame.timestamp, marker: true),
                    payload: packetizer.payloads(of: frame, maximumPayloadSize: 1_000)[0], index: index)
                let now = frameTime(index)
                if !isLost(index) { buffer.insert(packet, at: now) }
                for time in [now, now + .milliseconds(25)] {
                    shown += buffer.drain(at: time).map { Int($0.firstSequenceNumber) }
                    #expect(!buffer.pollKeyFrameRequest(at: time))
                }
            }
            #expect(shown == (0..<60).filter { !isLost($0) })
        }
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
