import RTCWire
import Testing

@testable import RTCMedia

@Suite("Lost packets recovered from forward error correction")
struct ULPFECReceiverTests {
    private static let ssrc = SynchronizationSource(2)
    private static let map = RTPHeaderExtensionMap([(3, .absoluteSendTime), (5, .transportSequenceNumber)])

    /// A receiver that takes in whole packets.
    private struct Fixture {
        var receiver = ULPFECReceiver()
        var recovered: [Int64: [UInt8]] = [:]

        mutating func receive(_ packet: [UInt8], number: Int64) {
            packet.withUnsafeBytes { memory in
                let span = RawSpan(_unsafeBytes: memory)
                guard let header = RTPHeader(span) else { return }
                receiver.insert(span, header: header, payloadStart: header.length, number: number, map: map)
            }
            collect()
        }

        mutating func receive(parity: [UInt8], number: Int64) {
            parity.withUnsafeBytes { receiver.insert(parity: RawSpan(_unsafeBytes: $0), number: number) }
            collect()
        }

        mutating func collect() {
            while let number = receiver.recover(of: ssrc) {
                var bytes: [UInt8] = []
                receiver.withPacket(number) { bytes = Array($0) }
                recovered[number] = bytes
            }
        }
    }

    /// Packets of all sizes, one of them with a contributing source, an extension and padding.
    private static func packets(_ count: Int, seed: UInt64) -> [[UInt8]] {
        let random = SeededRandom(seed: seed)
        return (0..<count).map { index in
            let size = Int(random.next() % 1_200) + 1
            var packet = PacketBytes.rtp(
                UInt16(truncatingIfNeeded: 65_500 + index), timestamp: UInt32(index / 4) &* 3_000, ssrc: ssrc.rawValue,
                payloadType: 96, marker: index % 4 == 3,
                payload: (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            if index % 5 == 1 {
                packet[0] |= 0x10 | 0x01 | 0x20
                packet.insert(contentsOf: [9, 9, 9, 9, 0xBE, 0xDE, 0, 1, 0x12, 7, 8, 9], at: 12)
                packet.append(contentsOf: [0, 0, 3])
            }
            return packet
        }
    }

    private static let first: Int64 = 65_536 + 65_500

    @Test("Each of the RFC's packets comes back from the others, whole", arguments: 0..<4)
    func example(lost: Int) {
        var fixture = Fixture()
        let packets = ULPFECPayloadTests.examples
        for index in 0..<4 where index != lost { fixture.receive(packets[index], number: 65_544 + Int64(index)) }
        fixture.receive(parity: ULPFECPayloadTests.parity(of: packets, base: 8), number: 65_548)
        #expect(fixture.recovered == [65_544 + Int64(lost): packets[lost]])
    }

    @Test("Two are too many, until one of them comes late")
    func late() {
        var fixture = Fixture()
        let packets = ULPFECPayloadTests.examples
        fixture.receive(parity: ULPFECPayloadTests.parity(of: packets, base: 8), number: 65_548)
        fixture.receive(packets[0], number: 65_544)
        fixture.receive(packets[3], number: 65_547)
        #expect(fixture.recovered.isEmpty)
        fixture.receive(packets[1], number: 65_545)
        #expect(fixture.recovered == [65_546: packets[2]])
        #expect(fixture.receiver.discarded == 0)
    }

    @Test("Parity of packets that are all there is counted as discarded")
    func unnecessary() {
        var fixture = Fixture()
        let packets = ULPFECPayloadTests.examples
        for (index, packet) in packets.enumerated() { fixture.receive(packet, number: 65_544 + Int64(index)) }
        fixture.receive(parity: ULPFECPayloadTests.parity(of: packets, base: 8), number: 65_548)
        #expect(fixture.receiver.discarded == 1 && fixture.recovered.isEmpty)
    }

    @Test("What one parity recovers, completes another")
    func chain() {
        var fixture = Fixture()
        let packets = Self.packets(6, seed: 7)
        let all = ULPFECPayloadTests.parity(of: packets, base: 65_500)
        let even = ULPFECPayloadTests.parity(of: [packets[0], packets[2], packets[4]], base: 65_500)
        for index in [0, 1, 3, 4] { fixture.receive(packets[index], number: Self.first + Int64(index)) }
        fixture.receive(parity: all, number: Self.first + 6)
        #expect(fixture.recovered.isEmpty)
        fixture.receive(parity: even, number: Self.first + 7)
        #expect(fixture.recovered == [Self.first + 2: packets[2], Self.first + 5: packets[5]])
    }

    @Test("Whatever gets lost, what comes back is what was sent", arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var fixture = Fixture()
        let packets = Self.packets(2_000, seed: seed)
        var (number, index, lost) = (Self.first, 0, 0)
        while index + 48 <= packets.count {
            let count = Int(random.next() % 48) + 1, rows = Int(random.next() % 4) + 1
            // Parity uses numbers of the stream, so the packets behind it have later ones.
            var block: [[UInt8]] = []
            for offset in 0..<count {
                var packet = packets[index + offset]
                let own = number + Int64(offset)
                packet[2] = UInt8(truncatingIfNeeded: own >> 8)
                packet[3] = UInt8(truncatingIfNeeded: own)
                block.append(packet)
            }
            var missing: [Int64: [UInt8]] = [:]
            for (offset, packet) in block.enumerated() {
                if random.next() % 10 == 0 {
                    missing[number + Int64(offset)] = packet
                } else {
                    fixture.receive(packet, number: number + Int64(offset))
                }
            }
            for row in 0..<min(rows, count) {
                let chosen = stride(from: row, to: count, by: rows).map { block[$0] }
                let base = UInt16(truncatingIfNeeded: number + Int64(row))
                let parity = ULPFECPayloadTests.parity(of: chosen, base: base)
                let isAlone = stride(from: row, to: count, by: rows).count { missing[number + Int64($0)] != nil } == 1
                if isAlone { lost += 1 }
                fixture.receive(parity: parity, number: number + Int64(count + row))
            }
            for (number, bytes) in fixture.recovered { #expect(missing[number] == bytes) }
            #expect(fixture.recovered.count == lost)
            fixture.recovered = [:]
            lost = 0
            index += count
            number += Int64(count + rows)
        }
    }

    @Test("What is filled in when a packet leaves is not protected")
    func sendTimeFields() {
        var fixture = Fixture()
        func packet(_ number: UInt16, _ time: [UInt8], _ transport: [UInt8]) -> [UInt8] {
            var packet = PacketBytes.rtp(number, ssrc: 2, payload: [UInt8](repeating: UInt8(number), count: 20))
            packet[0] |= 0x10
            packet.insert(contentsOf: [0xBE, 0xDE, 0, 2, 0x32] + time + [0x51] + transport + [0], at: 12)
            return packet
        }
        let protected = [packet(1, [0, 0, 0], [0, 0]), packet(2, [0, 0, 0], [0, 0])]
        fixture.receive(packet(1, [1, 2, 3], [4, 5]), number: 65_537)
        fixture.receive(parity: ULPFECPayloadTests.parity(of: protected, base: 1), number: 65_539)
        #expect(fixture.recovered == [65_538: protected[1]])
    }

    @Test("A packet that came as a retransmission is there, but recovers no other")
    func retransmission() {
        var fixture = Fixture()
        let packets = ULPFECPayloadTests.examples
        for index in [0, 1] { fixture.receive(packets[index], number: 65_544 + Int64(index)) }
        fixture.receiver.note(65_546)
        fixture.receive(parity: ULPFECPayloadTests.parity(of: packets, base: 8), number: 65_548)
        #expect(fixture.recovered.isEmpty && fixture.receiver.discarded == 1)
        // Nor does it replace the bytes of a packet that is known.
        fixture.receiver.note(65_544)
        fixture.receive(parity: ULPFECPayloadTests.parity(of: Array(packets[0...1]), base: 8), number: 65_549)
        #expect(fixture.receiver.discarded == 2)
    }

    @Test("Parity that does not fit its packets recovers nothing")
    func inconsistent() {
        let packets = ULPFECPayloadTests.examples
        let good = ULPFECPayloadTests.parity(of: packets, base: 8)
        for change in [(9, UInt8(0x40)), (8, 0x80), (14 + 339, 0x01), (3, 0x04)] {
            var fixture = Fixture()
            var bad = good
            bad[change.0] ^= change.1
            // The shortest one is lost: its end is known.
            for index in [0, 1, 3] { fixture.receive(packets[index], number: 65_544 + Int64(index)) }
            fixture.receive(parity: bad, number: 65_548)
            #expect(fixture.recovered.isEmpty, "\(change)")
        }
    }

    @Test("Parity must protect what was sent before it, and not long before")
    func far() {
        let packets = ULPFECPayloadTests.examples
        let parity = ULPFECPayloadTests.parity(of: packets, base: 8)
        for number in [65_547, 65_540, 65_544 + 200, 65_544 - 300] as [Int64] {
            var fixture = Fixture()
            for index in 0..<3 { fixture.receive(packets[index], number: 65_544 + Int64(index)) }
            fixture.receive(parity: parity, number: number)
            #expect(fixture.recovered.isEmpty && fixture.receiver.discarded == 1, "\(number)")
        }
    }

    @Test("However much parity waits, the newest is kept")
    func waiting() {
        var fixture = Fixture()
        let packets = Self.packets(100, seed: 3)
        for index in 0..<90 {
            let parity = ULPFECPayloadTests.parity(
                of: [packets[index], packets[index + 1]], base: UInt16(truncatingIfNeeded: 65_500 + index))
            fixture.receive(parity: parity, number: Self.first + Int64(index) + 2)
        }
        #expect(fixture.receiver.discarded == 90 - ULPFECReceiver.maximumWaiting)
        fixture.receive(packets[90], number: Self.first + 90)
        #expect(fixture.recovered.count == ULPFECReceiver.maximumWaiting)
        for (number, bytes) in fixture.recovered { #expect(bytes == packets[Int(number - Self.first)]) }
    }

    @Test("Nonsense is survived", arguments: 1...20 as ClosedRange<UInt64>)
    func nonsense(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var fixture = Fixture()
        var number: Int64 = 65_536
        for _ in 0..<3_000 {
            number += Int64(random.next() % 9) - 3
            let size = Int(random.next() % (random.next() % 8 == 0 ? 1_600 : 60))
            var bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if random.next() % 2 == 0 {
                if size > 12 { bytes[0] = 0x80 | bytes[0] & 0x3F }
                fixture.receive(bytes, number: number)
            } else {
                if size > 18 {
                    bytes[0] &= 0x7F
                    bytes[2] = UInt8(truncatingIfNeeded: (number - 3) >> 8)
                    bytes[3] = UInt8(truncatingIfNeeded: number - 3)
                    bytes[10] = 0
                    bytes[11] = UInt8(truncatingIfNeeded: size - 18)
                }
                fixture.receive(parity: bytes, number: number)
            }
        }
        for bytes in fixture.recovered.values { #expect(bytes.count <= ULPFECReceiver.slotSize) }
    }
}
