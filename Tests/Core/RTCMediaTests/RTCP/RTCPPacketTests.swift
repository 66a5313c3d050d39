import RTCWire
import Testing

@testable import RTCMedia

@Suite("RTCP packets are written and read")
struct RTCPPacketTests {
    private let us = SynchronizationSource(0x0102_0304)
    private let them = SynchronizationSource(0xA0B0_C0D0)

    private let block = ReportBlock(
        ssrc: SynchronizationSource(7), fractionLost: 255, cumulativeLost: -3, highestSequenceNumber: 0xFFFF_FFFE,
        jitter: 12, lastSenderReport: 0xB705_2000, delaySinceLastSenderReport: 0x0005_4000)

    @Test("SR with blocks")
    func senderReport() {
        let info = SenderInfo(
            time: NTPTimestamp(rawValue: 0x0123_4567_89AB_CDEF), timestamp: RTPTimestamp(.max), packetCount: 5,
            octetCount: .max)
        let bytes = PacketBytes.write { SenderReport.write(info, from: us, blocks: [block, block], to: &$0) }
        #expect(bytes.prefix(8) == [0x82, 200, 0, 18, 1, 2, 3, 4])
        #expect(bytes.count == 76)
        let count = PacketBytes.forEachRTCP(bytes) { packet in
            #expect(packet.kind == .senderReport)
            guard let report = SenderReport(packet) else {
                Issue.record("not read")
                return
            }
            #expect(report.ssrc == us)
            #expect(report.info == info)
            #expect(report.blocks.count == 2)
            #expect(report.blocks[0] == block)
            #expect(report.blocks[1] == block)
            #expect(report.blocks[2] == nil)
        }
        #expect(count == 1)
    }

    @Test("RR without and with blocks; more than 31 are cut off", arguments: [0, 1, 31, 40])
    func receiverReport(blocks: Int) {
        let bytes = PacketBytes.write {
            ReceiverReport.write(from: us, blocks: ArraySlice(repeating: block, count: blocks), to: &$0)
        }
        PacketBytes.forEachRTCP(bytes) { packet in
            guard let report = ReceiverReport(packet) else {
                Issue.record("not read")
                return
            }
            #expect(report.blocks.count == min(blocks, 31))
            #expect(report.blocks[blocks - 1] == (blocks > 31 || blocks == 0 ? nil : block))
        }
    }

    @Test("cumulative loss has 24 bits with a sign", arguments: [0, 1, -1, 0x7F_FFFF, -0x80_0000] as [Int32])
    func cumulativeLoss(lost: Int32) {
        var block = block
        block.cumulativeLost = lost
        let bytes = PacketBytes.write { ReceiverReport.write(from: us, blocks: [block], to: &$0) }
        PacketBytes.forEachRTCP(bytes) { packet in
            let read = ReceiverReport(packet)?.blocks[0]?.cumulativeLost
            #expect(read == lost)
        }
    }

    @Test("SDES with a CNAME of any length", arguments: 0...9)
    func sourceDescription(length: Int) {
        let cname = [UInt8](repeating: 0x61, count: length)
        let bytes = PacketBytes.write { SourceDescription.write(cname: cname, of: us, to: &$0) }
        #expect(bytes.count % 4 == 0)
        #expect(bytes.last == 0)
        PacketBytes.forEachRTCP(bytes) { packet in
            guard var description = SourceDescription(packet) else {
                Issue.record("not read")
                return
            }
            guard let item = description.next() else {
                Issue.record("no item")
                return
            }
            #expect(item.ssrc == us && item.isCNAME && item.text.elementsEqual(cname))
            let isAlone = description.next() == nil
            #expect(isAlone)
        }
    }

    @Test("SDES with several sources and items")
    func severalSources() {
        // Source 1: CNAME "a", TOOL "bc"; source 2: nothing; source 3: CNAME "".
        let bytes: [UInt8] =
            [0x83, 202, 0, 7, 0, 0, 0, 1, 1, 1, 97, 6, 2, 98, 99, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0]
        var items: [String] = []
        PacketBytes.forEachRTCP(bytes) { packet in
            guard var description = SourceDescription(packet) else { return }
            while let item = description.next() {
                items.append("\(item.ssrc) \(item.type) \(String(decoding: item.text.array, as: UTF8.self))")
            }
        }
        #expect(items == ["1 1 a", "1 6 bc", "3 1 "])
    }

    @Test("BYE")
    func goodbye() {
        let bytes = PacketBytes.write { Goodbye.write(us, to: &$0) } + [0x81, 203, 0, 2, 0, 0, 0, 9, 2, 104, 105, 0]
        var sources: [SynchronizationSource?] = []
        PacketBytes.forEachRTCP(bytes) { packet in
            if let goodbye = Goodbye(packet) {
                #expect(goodbye.count == 1)
                sources.append(goodbye[0])
                #expect(goodbye[1] == nil)
            }
        }
        #expect(sources == [us, SynchronizationSource(9)])
    }

    @Test("generic NACK packs sixteen followers into one item")
    func genericNACK() {
        let numbers: [UInt16] = [65_530, 65_531, 65_535, 0, 10, 11, 300]
        let bytes = PacketBytes.write { writer in
            var nack = GenericNACKWriter(from: us, media: them, to: &writer)
            for number in numbers {
                let fits = nack.append(RTPSequenceNumber(number), to: &writer)
                #expect(fits)
            }
            nack.finish(to: &writer)
        }
        // 65,530 reaches up to 10; 11 begins a new item; 300 another.
        #expect(bytes.count == 12 + 3 * 4)
        var read: [UInt16] = []
        PacketBytes.forEachRTCP(bytes) { packet in
            guard var nack = GenericNACK(packet) else { return }
            #expect(nack.mediaSSRC == them)
            while let number = nack.next() { read.append(number.rawValue) }
        }
        #expect(read == numbers)
    }

    @Test("generic NACK leaves out what does not fit, and nothing half")
    func fullNACK() {
        let bytes = PacketBytes.write(room: 22) { writer in
            var nack = GenericNACKWriter(from: us, media: them, to: &writer)
            let fits = [1, 100, 200].map { nack.append(RTPSequenceNumber($0), to: &writer) }
            #expect(fits == [true, true, false])
            nack.finish(to: &writer)
            let overflowed = writer.overflowed
            #expect(!overflowed)
        }
        var read: [UInt16] = []
        PacketBytes.forEachRTCP(bytes) { packet in
            guard var nack = GenericNACK(packet) else { return }
            while let number = nack.next() { read.append(number.rawValue) }
        }
        #expect(read == [1, 100])
    }

    @Test("PLI and FIR")
    func keyFrameRequests() {
        let bytes = PacketBytes.write {
            PictureLossIndication(mediaSSRC: them).write(from: us, to: &$0)
            FullIntraRequest.write(of: them, sequenceNumber: 200, from: us, to: &$0)
        }
        #expect(bytes.prefix(12) == [0x81, 206, 0, 2, 1, 2, 3, 4, 0xA0, 0xB0, 0xC0, 0xD0])
        var kinds: [RTCPPacket.Kind] = []
        PacketBytes.forEachRTCP(bytes) { packet in
            kinds.append(packet.kind)
            if let indication = PictureLossIndication(packet) { #expect(indication.mediaSSRC == them) }
            if var request = FullIntraRequest(packet) {
                let entries = [request.next(), request.next()]
                #expect(entries == [FullIntraRequest.Entry(ssrc: them, sequenceNumber: 200), nil])
            }
        }
        #expect(kinds == [.pictureLossIndication, .fullIntraRequest])
    }

    @Test(
        "REMB keeps 18 bits of the rate",
        arguments: [
            (0, 0), (1, 1), (262_143, 262_143), (262_145, 262_144), (2_500_000, 2_500_000),
            (.max, .max - (1 << 45) + 1),
        ] as [(Int64, Int64)])
    func remb(rate: Int64, expected: Int64) {
        let bytes = PacketBytes.write {
            ReceiverEstimatedMaximumBitrate(bitrate: Bitrate(bitsPerSecond: rate))
                .write(from: us, about: [them], to: &$0)
        }
        PacketBytes.forEachRTCP(bytes) { packet in
            #expect(packet.kind == .receiverEstimatedMaximumBitrate)
            #expect(ReceiverEstimatedMaximumBitrate(packet)?.bitrate.bitsPerSecond == expected)
        }
        #expect(bytes.count == 24)
    }

    @Test("a REMB beyond all numbers is as much as there can be")
    func hugeREMB() {
        var bytes = PacketBytes.write {
            ReceiverEstimatedMaximumBitrate(bitrate: .kilobits(1)).write(from: us, about: [], to: &$0)
        }
        bytes.replaceSubrange(16..<20, with: [0, 0xFF, 0xFF, 0xFF])
        PacketBytes.forEachRTCP(bytes) {
            #expect(ReceiverEstimatedMaximumBitrate($0)?.bitrate.bitsPerSecond == .max)
        }
    }

    @Test("compound and reduced-size packets are walked through; what is not known is passed over")
    func compound() {
        let app: [UInt8] = [0x80, 204, 0, 2, 0, 0, 0, 1, 0x41, 0x42, 0x43, 0x44]
        let extendedReport: [UInt8] = [0x80, 207, 0, 1, 0, 0, 0, 1]
        let tmmbr: [UInt8] = [0x83, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0]
        let bytes =
            tmmbr + app
            + PacketBytes.write {
                ReceiverReport.write(from: us, blocks: [], to: &$0)
                SourceDescription.write(cname: [1, 2, 3], of: us, to: &$0)
            } + extendedReport
        var kinds: [RTCPPacket.Kind] = []
        PacketBytes.forEachRTCP(bytes) { kinds.append($0.kind) }
        #expect(kinds == [.other, .other, .receiverReport, .sourceDescription, .other])
    }

    @Test("padding is taken off")
    func padding() {
        let bytes: [UInt8] = [0xA0, 201, 0, 2, 0, 0, 0, 5, 0, 0, 0, 4]
        var count = 0
        PacketBytes.forEachRTCP(bytes) {
            count += 1
            #expect($0.body.byteCount == 4)
            let ssrc = ReceiverReport($0)?.ssrc
            #expect(ssrc == SynchronizationSource(5))
        }
        #expect(count == 1)
        for wrong in [0, 9, 255] as [UInt8] {
            #expect(PacketBytes.forEachRTCP(bytes.dropLast() + [wrong]) == 0)
        }
        // Padding without a body.
        #expect(PacketBytes.forEachRTCP([0xA0, 201, 0, 0]) == 0)
    }
}
