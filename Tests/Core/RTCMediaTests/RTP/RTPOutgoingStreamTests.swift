import RTCWire
import Testing

@testable import RTCMedia

@Suite("An outgoing RTP stream")
struct RTPOutgoingStreamTests {
    @Test("writes packets with rising numbers, and fills in what is known when they leave")
    func writing() throws {
        var fixture = OutgoingStreamFixture()
        let first = fixture.write([1, 2, 3], timestamp: 1_000)
        let second = fixture.write([4], timestamp: 1_000, marker: true)
        let (packet, sent) = try fixture.sent(first, transport: 77, at: .milliseconds(1_000))
        let one = try #require(ParsedRTP(packet))
        #expect(one.payload == [1, 2, 3])
        #expect(!one.header.marker && one.header.ssrc == OutgoingStreamFixture.ssrc)
        #expect(one.header.payloadType == RTPPayloadType(96))
        #expect(one.extensions.mid == RTPStreamName("1") && one.extensions.rid == nil)
        #expect(one.extensions.transportSequenceNumber == TransportSequenceNumber(77))
        #expect(one.extensions.absoluteSendTime == AbsoluteSendTime(.milliseconds(1_000)))
        #expect(sent.hasTransportSequenceNumber && !sent.isRetransmission && sent.size == packet.count)
        let two = try fixture.parsed(second)
        #expect(two.header.marker)
        #expect(two.header.sequenceNumber == one.header.sequenceNumber.next)
        #expect(two.header.timestamp == one.header.timestamp)
        #expect(fixture.stream.statistics.packetsSent == 2)
        #expect(fixture.stream.statistics.bytesSent == 4)
    }

    @Test("each packet of sound is a frame, marked or not: the marker begins a talk spurt")
    func soundFrames() throws {
        var fixture = OutgoingStreamFixture()
        let frame = RTPFrameDescription(
            payloadType: RTPPayloadType(96), timestamp: RTPTimestamp(0), captureTime: .zero)
        for isMarked in [true, false, false] {
            let reference = [1, 2, 3].withUnsafeBytes {
                fixture.stream.write(frame, payload: $0, marker: isMarked, at: .zero)
            }
            let packet = try fixture.parsed(reference)
            #expect(packet.header.marker == isMarked)
        }
        #expect(fixture.stream.statistics.framesSent == 3)
        // Nothing of the next one has left, so it can be removed as a whole.
        let waiting = [1, 2, 3].withUnsafeBytes { fixture.stream.write(frame, payload: $0, marker: false, at: .zero) }
        fixture.stream.removeUnsentFrames()
        let isKept = fixture.stream.keeps(try #require(waiting))
        #expect(!isKept)
    }

    @Test("tells the names of the stream until the peer has reported on it")
    func names() throws {
        var fixture = OutgoingStreamFixture(OutgoingStreamFixture.configuration(rid: "hi"))
        let before = try fixture.parsed(fixture.write())
        #expect(before.extensions.mid == RTPStreamName("1") && before.extensions.rid == RTPStreamName("hi"))
        let clock = NTPClock(unixNanoseconds: 0, at: .zero)
        fixture.stream.handle(ReportBlock(ssrc: OutgoingStreamFixture.ssrc), at: .zero, clock: clock)
        let after = try fixture.parsed(fixture.write())
        #expect(after.extensions.mid == nil && after.extensions.rid == nil)
    }

    @Test("offers exactly the room that fits")
    func room() {
        var fixture = OutgoingStreamFixture()
        let frame = RTPFrameDescription(
            payloadType: RTPPayloadType(96), timestamp: RTPTimestamp(0), captureTime: .zero)
        let room = fixture.stream.maximumPayloadSize(for: frame)
        var offered = 0
        let reference = fixture.stream.write(frame, at: .zero) { memory in
            offered = memory.count
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            return (memory.count, true)
        }
        #expect(offered == room)
        #expect(reference?.size == fixture.stream.configuration.maximumPacketSize - 2)
        let tooMuch = fixture.stream.write(frame, at: .zero) { _ in (room + 1, true) }
        #expect(tooMuch == nil)
    }

    @Test("a packet that is given up uses no number")
    func givenUp() {
        var fixture = OutgoingStreamFixture()
        let number = fixture.stream.nextSequenceNumber
        let frame = RTPFrameDescription(
            payloadType: RTPPayloadType(96), timestamp: RTPTimestamp(0), captureTime: .zero)
        #expect(fixture.stream.write(frame, at: .zero) { _ in nil } == nil)
        #expect(fixture.stream.nextSequenceNumber == number)
    }

    @Test("a sender report relates the newest timestamp to the clock")
    func senderReport() throws {
        var fixture = OutgoingStreamFixture()
        let clock = NTPClock(unixNanoseconds: 1_700_000_000_000_000_000, at: .zero)
        #expect(fixture.stream.senderInfo(at: .zero, clock: clock) == nil)
        let reference = fixture.write([UInt8](repeating: 0, count: 100), timestamp: 0xFFFF_FFF0, at: .milliseconds(40))
        #expect(fixture.stream.senderInfo(at: .zero, clock: clock) == nil)
        let packet = try fixture.parsed(reference)
        let info = try #require(fixture.stream.senderInfo(at: .milliseconds(1_040), clock: clock))
        #expect(info.timestamp == packet.header.timestamp.advanced(by: 90_000))
        #expect(info.time == clock.timestamp(at: .milliseconds(1_040)))
        #expect(info.packetCount == 1 && info.octetCount == 100)
    }

    @Test("the round trip comes from LSR and DLSR")
    func roundTrip() throws {
        var fixture = OutgoingStreamFixture()
        let clock = NTPClock(unixNanoseconds: 1_700_000_000_000_000_000, at: .zero)
        var block = ReportBlock(ssrc: OutgoingStreamFixture.ssrc, fractionLost: 64, cumulativeLost: 5, jitter: 900)
        block.lastSenderReport = clock.timestamp(at: .milliseconds(1_000)).middle
        block.delaySinceLastSenderReport = 65_536 / 2
        fixture.stream.handle(block, at: .milliseconds(1_600), clock: clock)
        let measured = try #require(fixture.stream.roundTripTime)
        #expect(abs(measured.milliseconds - 100) <= 1)
        #expect(fixture.stream.remote?.fractionLost == 0.25)
        #expect(fixture.stream.remote?.packetsLost == 5)
        #expect(fixture.stream.remote?.jitter == .milliseconds(10))
        // Nonsense does not count: an answer from before the question by a lot, or after hours.
        for time in [-20_000, 7_200_000] as [Int64] {
            fixture.stream.handle(block, at: .milliseconds(time), clock: clock)
            #expect(fixture.stream.roundTripTime == measured)
        }
    }

    @Test("a report says up to which packet it speaks, whatever was sent since")
    func packetsReported() {
        var fixture = OutgoingStreamFixture()
        let clock = NTPClock(unixNanoseconds: 0, at: .zero)
        func report(_ number: RTPSequenceNumber, turns: UInt32 = 0) -> UInt64? {
            let highest = turns << 16 | UInt32(number.rawValue)
            let block = ReportBlock(ssrc: OutgoingStreamFixture.ssrc, highestSequenceNumber: highest)
            fixture.stream.handle(block, at: .zero, clock: clock)
            return fixture.stream.remote?.packetsReported
        }
        let first = fixture.stream.nextSequenceNumber
        for _ in 0..<100 { _ = fixture.write() }
        #expect(report(first) == 1)
        #expect(report(first.advanced(by: 49)) == 50)
        // One that was overtaken, and those that speak of what there never was.
        #expect(report(first.advanced(by: 9)) == 50)
        #expect(report(first.advanced(by: 100)) == 50)
        #expect(report(first.advanced(by: -1)) == 50)
        #expect(report(first.advanced(by: 99)) == 100)
        // The numbers turn; how the other side counts the turns does not matter.
        for _ in 0..<70_000 { _ = fixture.write() }
        #expect(report(first.advanced(by: 70_089), turns: 5) == 70_090)
    }

    @Test("PLI and FIR ask for a key frame, not more often than every 250 ms, and the same FIR once")
    func keyFrames() {
        var fixture = OutgoingStreamFixture()
        let indication = PictureLossIndication(mediaSSRC: OutgoingStreamFixture.ssrc)
        let entry = FullIntraRequest.Entry(ssrc: OutgoingStreamFixture.ssrc, sequenceNumber: 4)
        let answers = [
            fixture.stream.handle(indication, at: .zero),
            fixture.stream.handle(indication, at: .milliseconds(100)),
            fixture.stream.handle(indication, at: .milliseconds(300)),
            fixture.stream.handle(entry, at: .milliseconds(600)),
            fixture.stream.handle(entry, at: .milliseconds(1_200)),
            fixture.stream.handle(
                PictureLossIndication(mediaSSRC: SynchronizationSource(5)), at: .milliseconds(2_000)),
        ]
        #expect(answers == [true, false, true, true, false, false])
        #expect(fixture.stream.statistics.pliCount == 3 && fixture.stream.statistics.firCount == 1)
    }

    @Test("numbers and timestamps wrap")
    func wrapping() throws {
        var fixture = OutgoingStreamFixture()
        var previous: RTPSequenceNumber?
        for index in 0..<70_000 {
            let reference = fixture.write([0], at: .milliseconds(Int64(index)))
            let (_, sent) = try fixture.sent(reference, at: .milliseconds(Int64(index)))
            if let previous, previous.next != sent.sequenceNumber { Issue.record("a number was left out") }
            previous = sent.sequenceNumber
        }
        let last = try #require(previous)
        #expect(fixture.nack([last, last.advanced(by: -100)], at: .milliseconds(70_000)).count == 2)
        #expect(
            fixture.stream.senderInfo(at: .zero, clock: NTPClock(unixNanoseconds: 0, at: .zero))?.packetCount == 70_000)
    }
}
