import RTCWire
import Testing

@testable import RTCMedia

@Suite("An incoming RTP stream")
struct RTPIncomingStreamTests {
    private static func stream(nack: Bool = false, clockRate: UInt32 = 90_000) -> RTPIncomingStream {
        RTPIncomingStream(
            RTPIncomingStream.Configuration(
                ssrc: SynchronizationSource(1), clockRate: clockRate, requestsRetransmissions: nack,
                requestsKeyFrames: nack))
    }

    private func report(_ stream: inout RTPIncomingStream, at now: Instant = .zero) -> ReportBlock? {
        var blocks: [ReportBlock] = []
        stream.appendReportBlocks(to: &blocks, at: now)
        return blocks.first
    }

    private func sureReport(_ stream: inout RTPIncomingStream, at now: Instant = .zero) throws -> ReportBlock {
        guard let block = report(&stream, at: now) else { throw NothingThere() }
        return block
    }

    @Test("numbers do not wrap, whatever the order")
    func extendedNumbers() {
        var stream = Self.stream()
        let numbers = [65_534, 65_535, 1, 0, 65_533, 2].compactMap {
            stream.receive(PacketBytes.rtp($0), at: .zero)?.number
        }
        let first = numbers[0]
        #expect(numbers.map { $0 - first } == [0, 1, 3, 2, -1, 4])
    }

    @Test("reports say what was lost, in all and since the last one (RFC 3550, A.3)")
    func loss() throws {
        var stream = Self.stream()
        #expect(report(&stream) == nil)
        for number in 0..<100 where number % 4 != 3 { _ = stream.receive(PacketBytes.rtp(UInt16(number)), at: .zero) }
        // The newest is 98: 99 expected, 75 received.
        let first = try sureReport(&stream)
        #expect(first.cumulativeLost == 24)
        #expect(first.fractionLost == UInt8(24 * 256 / 99))
        #expect(first.highestSequenceNumber == 98)
        for number in 99..<199 { _ = stream.receive(PacketBytes.rtp(UInt16(number)), at: .zero) }
        let second = try sureReport(&stream)
        #expect(second.cumulativeLost == 24 && second.fractionLost == 0)
        #expect(try sureReport(&stream).fractionLost == 0)
    }

    @Test("the turn of the counter shows in the report, and duplicates make the loss negative")
    func wrapAndDuplicates() throws {
        var stream = Self.stream()
        for number in 65_500...65_535 { _ = stream.receive(PacketBytes.rtp(UInt16(number)), at: .zero) }
        for number in 0..<10 {
            for _ in 0..<3 { _ = stream.receive(PacketBytes.rtp(UInt16(number)), at: .zero) }
        }
        let block = try sureReport(&stream)
        #expect(block.highestSequenceNumber == 65_536 + 9)
        #expect(block.cumulativeLost == -20)
        #expect(block.fractionLost == 0)
    }

    @Test("a jump is believed when the next number follows (RFC 3550, A.1)")
    func restart() throws {
        var stream = Self.stream()
        for number in 0..<10 { _ = stream.receive(PacketBytes.rtp(UInt16(number)), at: .zero) }
        let highest = try #require(stream.reception.highest)
        // One stray packet, and the stream goes on.
        #expect(stream.receive(PacketBytes.rtp(30_000), at: .zero) == nil)
        #expect(stream.receive(PacketBytes.rtp(10), at: .zero)?.number == highest + 1)
        #expect(stream.receive(PacketBytes.rtp(30_000), at: .zero) == nil)
        let restarted = try stream.arrival(PacketBytes.rtp(30_001), at: .zero)
        #expect(restarted.isRestart && restarted.number > highest + 1)
        let next = try stream.arrival(PacketBytes.rtp(30_002), at: .zero)
        #expect(!next.isRestart && next.number == restarted.number + 1)
        #expect(stream.statistics.packetsDiscarded == 2)
        #expect(stream.reception.packetsLost == 0)
        // Backwards by a lot is a jump, too.
        #expect(stream.receive(PacketBytes.rtp(20_000), at: .zero) == nil)
        #expect(try stream.arrival(PacketBytes.rtp(20_001), at: .zero).number > next.number)
    }

    @Test("jitter follows A.8: a steady stream has none, one that alternates by 10 ms comes near to it")
    func jitter() {
        var steady = Self.stream()
        var uneven = Self.stream()
        // The timestamps wrap on the way.
        for index in 0..<400 {
            let timestamp = UInt32.max - 90_000 &+ UInt32(index) &* 1_800
            let packet = PacketBytes.rtp(UInt16(index), timestamp: timestamp)
            let time = Instant.milliseconds(Int64(index * 20))
            _ = steady.receive(packet, at: time)
            _ = uneven.receive(packet, at: time + .milliseconds(index % 2 == 0 ? 0 : 10))
        }
        #expect(steady.reception.jitter == .zero)
        #expect((9...10).contains(uneven.reception.jitter.milliseconds))
    }

    @Test("the packets of one frame count once for the jitter, and a new clock does not count")
    func jitterOfFrames() {
        var stream = Self.stream()
        for frame in 0..<100 {
            for part in 0..<5 {
                _ = stream.receive(
                    PacketBytes.rtp(UInt16(frame * 5 + part), timestamp: UInt32(frame * 3_000)),
                    at: .zero + .microseconds(Int64(frame * 33_333 + part * 5_000)))
            }
        }
        #expect(stream.reception.jitter < .milliseconds(1))
        _ = stream.receive(PacketBytes.rtp(500, timestamp: 0x8000_0000), at: .milliseconds(3_340))
        #expect(stream.reception.jitter < .milliseconds(1))
    }

    @Test("reports refer to the last sender report")
    func lastSenderReport() throws {
        var stream = Self.stream()
        _ = stream.receive(PacketBytes.rtp(1), at: .zero)
        #expect(try sureReport(&stream).lastSenderReport == 0)
        let time = NTPTimestamp(rawValue: 0x1111_2222_3333_4444)
        stream.handle(
            SenderInfo(time: time, timestamp: RTPTimestamp(90_000), packetCount: 1, octetCount: 1),
            at: .milliseconds(1_000))
        let block = try sureReport(&stream, at: .milliseconds(1_500))
        #expect(block.lastSenderReport == 0x2222_3333)
        #expect(block.delaySinceLastSenderReport == 32_768)
        // And RTP timestamps become times on the sender's clock, before and after, over the wrap.
        #expect(stream.captureTime(of: RTPTimestamp(180_000)) == time.advanced(by: .seconds(1)))
        let before = try #require(stream.captureTime(of: RTPTimestamp(0 &- 90_000)))
        #expect(abs((time.since(before) - .seconds(2)).nanoseconds) <= 1)
    }

    @Test("an absurd delay since the last sender report is as much as there can be")
    func absurdDelay() throws {
        var stream = Self.stream()
        _ = stream.receive(PacketBytes.rtp(1), at: .zero)
        stream.handle(
            SenderInfo(
                time: NTPTimestamp(rawValue: 1 << 32), timestamp: RTPTimestamp(0), packetCount: 0, octetCount: 0),
            at: .zero)
        #expect(try sureReport(&stream, at: .distantFuture).delaySinceLastSenderReport >= 0xFFFF_0000)
        #expect(try sureReport(&stream, at: Instant(nanoseconds: .min)).delaySinceLastSenderReport == 0)
    }

    @Test("padding alone uses its number; padding longer than the packet is noise")
    func padding() throws {
        var stream = Self.stream()
        var packet = PacketBytes.rtp(1, payload: [0, 0, 3])
        packet[0] |= 0x20
        #expect(try stream.arrival(packet, at: .zero).payload.isEmpty)
        packet[packet.count - 1] = 4
        #expect(stream.receive(packet, at: .zero) == nil)
        #expect(stream.statistics.packetsDiscarded == 1)
    }
}
