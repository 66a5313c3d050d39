import RTCMedia
import RTCWire
import Testing

@Suite("H.264 streams")
struct VideoH264StreamTests {
    private static func packet(_ number: Int64, _ payload: [UInt8], picture: Int, marker: Bool = true)
        -> VideoTestPacket
    {
        VideoTestPacket(
            info: VideoPacketInfo(
                format: .h264, sequenceNumber: number, timestamp: RTPTimestamp(UInt32(picture) * 3_000), marker: marker),
            payload: payload, index: picture)
    }

    private static let idr: [UInt8] = [0x65, 0x88, 0x80, 0x01]
    private static let slice: [UInt8] = [0x41, 0x9A, 0x01]
    private static let sets = [0, 0, 0, 1] + TestPattern.sps + [0, 0, 0, 1] + TestPattern.pps

    @Test("Parameter sets sent once are put before every key frame that comes without them")
    func keptSets() {
        let buffer = VideoTestBuffer()
        var shown: [[UInt8]] = []
        let packets = [
            Self.packet(1, TestPattern.sps, picture: 0, marker: false),
            Self.packet(2, TestPattern.pps, picture: 0, marker: false),
            Self.packet(3, Self.idr, picture: 0), Self.packet(4, Self.slice, picture: 1),
            Self.packet(5, Self.idr, picture: 2),
        ]
        for packet in packets {
            buffer.insert(packet, at: frameTime(packet.index))
            shown += buffer.drain(at: frameTime(packet.index)).map(\.frame.data)
        }
        let key = Self.sets + [0, 0, 0, 1] + Self.idr
        #expect(shown == [key, [0, 0, 0, 1] + Self.slice, key])
    }

    @Test("Sets of the description serve a stream that never sends them")
    func describedSets() throws {
        let text = Base64.encode(TestPattern.sps) + "," + Base64.encode(TestPattern.pps)
        let buffer = VideoTestBuffer(parameters: FormatParameters("packetization-mode=1;sprop-parameter-sets=\(text)"))
        buffer.insert(Self.packet(1, Self.slice, picture: 0), at: frameTime(0))
        buffer.insert(Self.packet(2, Self.idr, picture: 1), at: frameTime(1))
        let picture = try #require(buffer.poll(at: frameTime(1)) as AssembledVideoFrame?)
        #expect(picture.frame.data == Self.sets + [0, 0, 0, 1] + Self.idr)
        #expect(picture.frame.width == 320)
    }

    @Test("A key frame whose sets never came cannot be decoded: another is asked for")
    func missingSets() {
        let buffer = VideoTestBuffer()
        buffer.insert(Self.packet(1, Self.slice, picture: 0), at: frameTime(0))
        buffer.insert(Self.packet(2, Self.idr, picture: 1), at: frameTime(1))
        #expect(buffer.poll(at: frameTime(1)) == nil)
        #expect(buffer.needsKeyFrame)
        #expect(buffer.statistics.framesDropped == 1)
        #expect(buffer.pollKeyFrameRequest(at: milliseconds(400)))
        let whole = [0x78, 0, UInt8(TestPattern.sps.count)] + TestPattern.sps + [0, 4] + TestPattern.pps
        buffer.insert(Self.packet(3, whole, picture: 14, marker: false), at: frameTime(14))
        buffer.insert(Self.packet(4, Self.idr, picture: 14), at: frameTime(14))
        #expect(buffer.drain(at: frameTime(14)).count == 1)
        #expect(!buffer.needsKeyFrame)
    }

    @Test("Parameter sets alone are kept, and are no picture")
    func setsAlone() {
        let buffer = VideoTestBuffer()
        var shown = 0
        for packet in [
            Self.packet(1, TestPattern.sps, picture: 0, marker: false), Self.packet(2, TestPattern.pps, picture: 0),
            Self.packet(3, Self.idr, picture: 1), Self.packet(4, TestPattern.sps, picture: 2, marker: false),
            Self.packet(5, TestPattern.pps, picture: 2), Self.packet(6, Self.slice, picture: 3),
        ] {
            buffer.insert(packet, at: frameTime(packet.index))
            shown += buffer.drain(at: frameTime(packet.index)).count
        }
        #expect(shown == 2)
        #expect(!buffer.needsKeyFrame)
    }

    @Test("A fragment without a beginning spoils its picture, and only a key frame helps")
    func fragmentWithoutStart() {
        let buffer = VideoTestBuffer()
        buffer.insert(Self.packet(1, TestPattern.sps, picture: 0, marker: false), at: frameTime(0))
        buffer.insert(Self.packet(2, TestPattern.pps, picture: 0, marker: false), at: frameTime(0))
        buffer.insert(Self.packet(3, Self.idr, picture: 0), at: frameTime(0))
        #expect(buffer.drain(at: frameTime(0)).count == 1)
        buffer.insert(Self.packet(4, Self.slice, picture: 1, marker: false), at: frameTime(1))
        buffer.insert(Self.packet(5, [0x5C, 0x41, 1, 2], picture: 1), at: frameTime(1))
        buffer.insert(Self.packet(6, Self.slice, picture: 2), at: frameTime(2))
        #expect(buffer.drain(at: frameTime(2)).isEmpty)
        #expect(buffer.pollKeyFrameRequest(at: frameTime(2)))
        buffer.insert(Self.packet(7, Self.idr, picture: 3), at: frameTime(3))
        #expect(buffer.drain(at: frameTime(3)).count == 1)
    }
}
