import RTCWire
import Testing

@testable import RTCMedia

@Suite("Missing packets of higher temporal layers")
struct TemporalLayerGapTests {
    /// Packets of frames, each of two, in the pattern of `mode`.
    struct Sender {
        let format: PayloadFormat
        let mode: ScalabilityMode
        private var packetizer: VideoPacketizer
        private var count = 0

        init(_ format: PayloadFormat, _ mode: ScalabilityMode) throws {
            self.format = format
            self.mode = mode
            packetizer = try #require(VideoPacketizer(format: format, firstPictureID: 0x7FFD))
        }

        mutating func next() -> [VideoTestPacket] {
            defer { count += 1 }
            let frame = EncodedVideoFrame(
                format: format, data: TestPattern.vp8(isKey: count == 0, size: 150), isKeyFrame: count == 0,
                timestamp: RTPTimestamp(UInt32(count) * 3_000), temporalLayer: mode.layer(at: count))
            let payloads = packetizer.payloads(of: frame, maximumPayloadSize: 100)
            return payloads.enumerated().map { part, payload in
                VideoTestPacket(
                    info: VideoPacketInfo(
                        format: format, sequenceNumber: Int64(count * 2 + part), timestamp: frame.timestamp,
                        marker: part == payloads.count - 1),
                    payload: payload, index: count)
            }
        }
    }

    /// What the loss of `lost` leaves to be repaired no more, of frames of the pattern 0 1 or 0 2 1 2.
    static func found(
        _ format: PayloadFormat, _ mode: ScalabilityMode, lost: Set<Int64>, frames: Int = 12
    ) throws -> [Int64] {
        var sender = try Sender(format, mode)
        var gaps = TemporalLayerGaps()
        var found: [Int64] = []
        for _ in 0..<frames {
            for packet in sender.next() where !lost.contains(packet.info.sequenceNumber) {
                guard let descriptor = videoDescriptor(packet.payload, format) else { throw NothingThere() }
                found += gaps.note(packet.info, descriptor) ?? 0..<0
            }
        }
        return found
    }

    @Test("are found: parts of a frame, a whole one, and several in a row", arguments: [PayloadFormat.vp8, .vp9])
    func found(format: PayloadFormat) throws {
        // Frames 1, 3, 5 of L1T2 are of layer 1: packets 2 and 3, 6 and 7, 10 and 11.
        for lost in [[2], [3], [2, 3], [6, 7]] as [Set<Int64>] {
            #expect(try Set(Self.found(format, .l1t2, lost: lost)) == lost || lost == [2])
        }
        // Frames 1, 2 and 3 of L1T3 are of layers 2, 1 and 2.
        #expect(try Self.found(format, .l1t3, lost: [2, 3, 4, 5, 6, 7]) == [2, 3, 4, 5, 6, 7])
        #expect(try Self.found(format, .l1t3, lost: [5, 6]) == (format == .vp8 ? [5, 6] : []))
    }

    @Test("are not found where the base layer may be among them", arguments: [PayloadFormat.vp8, .vp9])
    func baseLayer(format: PayloadFormat) throws {
        for lost in [[4], [5], [4, 5], [3, 4], [5, 6], [6, 7, 8], [3, 4, 5], [1], [1, 2, 3]] as [Set<Int64>] {
            #expect(try Self.found(format, .l1t2, lost: lost) == [], "\(lost)")
        }
    }

    @Test("are not found in streams without layers, nor behind padding")
    func others() throws {
        #expect(try Self.found(.vp8, .l1t1, lost: [2, 3, 7]) == [])
        #expect(try Self.found(.vp9, .l1t1, lost: [2, 3, 7]) == [])
        var sender = try Sender(.vp8, .l1t2)
        var gaps = TemporalLayerGaps()
        for packet in sender.next() { _ = gaps.note(packet.info, videoDescriptor(packet.payload, .vp8)) }
        _ = sender.next()
        var padding = try #require(sender.next().first).info
        #expect(gaps.note(padding, nil) == nil)
        padding.sequenceNumber += 1
        let next = try #require(sender.next().first)
        #expect(gaps.note(next.info, videoDescriptor(next.payload, .vp8)) == nil)
    }

    @Test("are given up only where the repair would come too late")
    func roundTrip() throws {
        for (roundTrip, isGivenUp) in [(10, false), (200, true)] as [(Int64, Bool)] {
            var buffer = VideoJitterBuffer()
            buffer.roundTripTime = .milliseconds(roundTrip)
            var sender = try Sender(.vp8, .l1t2)
            var dispensable: [Range<Int64>] = []
            for index in 0..<8 {
                for packet in sender.next() where index != 3 {
                    buffer.insert(packet, at: frameTime(index))
                    if let range = buffer.dispensable { dispensable.append(range) }
                }
                _ = buffer.drain(at: frameTime(index) + .milliseconds(25))
            }
            #expect(dispensable == (isGivenUp ? [6..<8] : []))
            #expect(buffer.statistics.jitterBufferEmittedCount == 7)
        }
    }
}
