import RTCWire
import Testing

@testable import RTCMedia

@Suite("Hostile RTCP does no harm")
struct HostileRTCPTests {
    /// Reads all that anybody reads of every packet, and counts the steps that it took.
    @discardableResult
    static func readEverything(_ bytes: [UInt8]) -> Int {
        var steps = 0
        PacketBytes.forEachRTCP(bytes) { packet in
            steps += 1
            if let report = SenderReport(packet) {
                for index in -1...report.blocks.count where report.blocks[index] != nil { steps += 1 }
            }
            if let report = ReceiverReport(packet) {
                for index in -1...report.blocks.count where report.blocks[index] != nil { steps += 1 }
            }
            if var description = SourceDescription(packet) {
                while description.next() != nil { steps += 1 }
            }
            if let goodbye = Goodbye(packet) {
                for index in -1...goodbye.count where goodbye[index] != nil { steps += 1 }
            }
            if var nack = GenericNACK(packet) {
                while nack.next() != nil { steps += 1 }
            }
            if var feedback = TransportFeedback(packet) {
                while feedback.next() != nil { steps += 1 }
            }
            if var request = FullIntraRequest(packet) {
                while request.next() != nil { steps += 1 }
            }
            _ = PictureLossIndication(packet)
            _ = ReceiverEstimatedMaximumBitrate(packet)
        }
        return steps
    }

    private static func everyKind() -> [UInt8] {
        let us = SynchronizationSource(1)
        var writer = TransportFeedbackWriter()
        for number in 0..<40 where number % 5 != 0 {
            writer.record(TransportSequenceNumber(UInt16(number)), at: .milliseconds(Int64(number * 30)))
        }
        return PacketBytes.write { bytes in
            SenderReport.write(
                SenderInfo(time: NTPTimestamp(rawValue: 1), timestamp: RTPTimestamp(2), packetCount: 3, octetCount: 4),
                from: us, blocks: [ReportBlock(ssrc: us), ReportBlock(ssrc: us)], to: &bytes)
            SourceDescription.write(cname: [97, 98, 99], of: us, to: &bytes)
            Goodbye.write(us, to: &bytes)
            var nack = GenericNACKWriter(from: us, media: us, to: &bytes)
            for number in [1, 2, 30] as [UInt16] { _ = nack.append(RTPSequenceNumber(number), to: &bytes) }
            nack.finish(to: &bytes)
            writer.write(from: us, media: us, at: .zero, to: &bytes)
            PictureLossIndication(mediaSSRC: us).write(from: us, to: &bytes)
            FullIntraRequest.write(of: us, sequenceNumber: 1, from: us, to: &bytes)
            ReceiverEstimatedMaximumBitrate(bitrate: .kilobits(500)).write(from: us, about: [us], to: &bytes)
        }
    }

    @Test("every truncation is survived")
    func truncated() {
        let bytes = Self.everyKind()
        #expect(PacketBytes.forEachRTCP(bytes) == 8)
        for length in 0..<bytes.count { Self.readEverything(Array(bytes[..<length])) }
    }

    @Test("every changed byte is survived")
    func changed() {
        let bytes = Self.everyKind()
        for index in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var copy = bytes
                copy[index] = value
                Self.readEverything(copy)
            }
        }
    }

    @Test("counts that lie are cut down to what is there", arguments: [200, 201, 202, 203] as [UInt8])
    func lyingCounts(type: UInt8) {
        let bytes: [UInt8] = [0x9F, type, 0, 6] + [UInt8](repeating: 1, count: 24)
        #expect(Self.readEverything(bytes) < 40)
    }

    @Test("a datagram of the smallest packets is walked through once")
    func thousandsOfPackets() {
        let bytes = [[UInt8]](repeating: [0x80, 203, 0, 0], count: 16_000).flatMap { $0 }
        #expect(PacketBytes.forEachRTCP(bytes) == 16_000)
    }

    @Test("transport feedback about 65,535 packets in a few bytes costs at most that many steps")
    func longRuns() {
        // Nine runs of 8,191 lost packets.
        let body: [UInt8] =
            [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0]
            + [[UInt8]](repeating: [0x1F, 0xFF], count: 9).flatMap { $0 }
            + [0, 0]
        let bytes: [UInt8] = [0x8F, 205, 0, UInt8(body.count / 4)] + body
        #expect(Self.readEverything(bytes) == 65_536)

        // The reader of feedback refuses it: so much was never sent.
        var reader = TransportFeedbackReader()
        for _ in 0..<100 { reader.noteSent(size: 1, at: .zero) }
        PacketBytes.forEachRTCP(bytes) { packet in
            if let feedback = TransportFeedback(packet) {
                let isTaken = reader.handle(feedback)
                #expect(!isTaken)
            }
        }
        #expect(reader.results.isEmpty)
    }

    @Test("chunks of length zero and missing chunks are refused")
    func emptyChunks() {
        let head: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 0]
        for chunks in [[], [0x20, 0, 0, 0], [0x20, 3, 0x20, 3]] as [[UInt8]] {
            let bytes: [UInt8] = [0x8F, 205, 0, UInt8((head.count + chunks.count) / 4)] + head + chunks
            PacketBytes.forEachRTCP(bytes) { packet in
                let isRead = TransportFeedback(packet) != nil
                #expect(!isRead)
            }
        }
    }

    @Test("random bytes are survived")
    func random() {
        let random = SeededRandom(seed: 11)
        for _ in 0..<2_000 {
            var bytes = random.bytes(Int(random.next(below: 200)))
            if bytes.count > 4 {
                bytes[0] = 0x80 | bytes[0] & 0x3F
                bytes[1] = 200 + bytes[1] % 8
                bytes[2] = 0
                bytes[3] %= 50
            }
            Self.readEverything(bytes)
        }
    }
}
