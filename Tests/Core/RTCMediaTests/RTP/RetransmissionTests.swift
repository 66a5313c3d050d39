import RTCWire
import Testing

@testable import RTCMedia

@Suite("Retransmissions")
struct RetransmissionTests {
    private static func receiver(rtx: Bool = true) -> RTPIncomingStream {
        RTPIncomingStream(
            RTPIncomingStream.Configuration(
                ssrc: OutgoingStreamFixture.ssrc, clockRate: 90_000,
                rtxSSRC: rtx ? OutgoingStreamFixture.rtxSSRC : nil,
                rtxPayloadTypes: [(RTPPayloadType(96), RTPPayloadType(97))], requestsRetransmissions: true,
                requestsKeyFrames: true))
    }

    @Test("have the form of RFC 4588: own SSRC, number and payload type, the original number before the payload")
    func rtxForm() throws {
        var fixture = OutgoingStreamFixture(OutgoingStreamFixture.configuration(rid: "lo"))
        let (original, sent) = try fixture.sent(fixture.write([7, 8, 9], timestamp: 5, marker: true))
        let references = fixture.nack([sent.sequenceNumber], at: .milliseconds(100))
        #expect(references.count == 1 && references[0].isRetransmission)
        let (again, resent) = try fixture.sent(references[0], transport: 500, at: .milliseconds(200))
        let one = try #require(ParsedRTP(original))
        let two = try #require(ParsedRTP(again))
        #expect(two.header.ssrc == OutgoingStreamFixture.rtxSSRC)
        #expect(two.header.payloadType == RTPPayloadType(97))
        #expect(two.header.timestamp == one.header.timestamp && two.header.marker)
        let number = one.header.sequenceNumber.rawValue
        #expect(two.payload == [UInt8(number >> 8), UInt8(number & 0xFF), 7, 8, 9])
        #expect(two.extensions.repairedRID == RTPStreamName("lo") && two.extensions.rid == nil)
        #expect(two.extensions.mid == RTPStreamName("1"))
        #expect(two.extensions.transportSequenceNumber == TransportSequenceNumber(500))
        #expect(two.extensions.absoluteSendTime == AbsoluteSendTime(.milliseconds(200)))
        #expect(resent.isRetransmission && resent.hasTransportSequenceNumber && resent.size == again.count)
        #expect(again.count <= references[0].size)
        // The next one has the next number of the retransmission stream.
        let more = fixture.nack([sent.sequenceNumber], at: .milliseconds(400))
        let three = try fixture.parsed(more.first)
        #expect(three.header.sequenceNumber == two.header.sequenceNumber.next)
        #expect(fixture.stream.statistics.retransmittedPacketsSent == 2)
    }

    @Test("of a higher temporal layer are made once, and only while they come in time")
    func higherLayer() throws {
        var fixture = OutgoingStreamFixture()
        let (_, base) = try fixture.sent(fixture.write())
        let (_, higher) = try fixture.sent(fixture.write(isHigherLayer: true))
        let both = [base.sequenceNumber, higher.sequenceNumber]
        // Behind a queue it would come too late.
        #expect(fixture.nack([higher.sequenceNumber], at: .milliseconds(60), queue: .milliseconds(200)).isEmpty)
        let inTime = fixture.nack([higher.sequenceNumber], at: .milliseconds(60))
        _ = try fixture.sent(inTime.first, at: .milliseconds(60))
        #expect(fixture.nack([higher.sequenceNumber], at: .milliseconds(140)).isEmpty)
        let (_, late) = try fixture.sent(
            fixture.write(isHigherLayer: true, at: .milliseconds(200)), at: .milliseconds(200))
        #expect(fixture.nack(both + [late.sequenceNumber], at: .milliseconds(400)).count == 1)
        #expect(fixture.stream.statistics.refusedRetransmissions == 4)
    }

    @Test("without RTX repeat the very bytes, since SRTP seals them under the same nonce")
    func plain() throws {
        var fixture = OutgoingStreamFixture(OutgoingStreamFixture.configuration(rtx: false))
        let (original, sent) = try fixture.sent(fixture.write(), transport: 1, at: .milliseconds(10))
        let reference = fixture.nack([sent.sequenceNumber], at: .milliseconds(100)).first
        let (again, resent) = try fixture.sent(reference, transport: 9, at: .milliseconds(150))
        #expect(again == original)
        // The number that was handed in is still to be had.
        #expect(!resent.hasTransportSequenceNumber && resent.isRetransmission)
    }

    @Test("beside RTX of other payload types are refused: SRTP seals no packet twice under one number")
    func withoutEntry() throws {
        var fixture = OutgoingStreamFixture()
        let (_, other) = try fixture.sent(fixture.write(payloadType: 100))
        #expect(fixture.nack([other.sequenceNumber], at: .milliseconds(100)).isEmpty)
        #expect(fixture.stream.statistics.refusedRetransmissions == 1)
        var references: [RTPPacketReference] = []
        fixture.stream.appendPadding(3, of: 100, to: &references)
        #expect(references.isEmpty)
        // Padding is made of what can be sent again, however much nearer to the size the other is.
        _ = try fixture.sent(fixture.write([UInt8](repeating: 0, count: 900)))
        fixture.stream.appendPadding(3, of: 20, to: &references)
        #expect(references.count == 3 && references.allSatisfy { $0.size > 900 })
    }

    @Test("that wait when a negotiation takes RTX away leave no more, and are not counted")
    func negotiatedAway() throws {
        var fixture = OutgoingStreamFixture()
        let (_, sent) = try fixture.sent(fixture.write())
        let waiting = fixture.nack([sent.sequenceNumber], at: .milliseconds(100)).first
        fixture.stream.configuration.rtxPayloadTypes = [(RTPPayloadType(98), RTPPayloadType(99))]
        #expect(waiting != nil)
        #expect(fixture.send(waiting) == nil)
        fixture.stream.configuration.rtxSSRC = nil
        fixture.stream.configuration.answersNACKs = false
        #expect(fixture.send(waiting) == nil)
        #expect(fixture.stream.statistics.retransmittedPacketsSent == 0)
    }

    @Test("are undone by the receiver: original number, payload type and SSRC")
    func undone() throws {
        var sender = OutgoingStreamFixture()
        var receiver = Self.receiver()
        let packets = try (0..<3).map { index in
            try sender.sent(sender.write([UInt8(index)], timestamp: 5))
        }
        _ = receiver.receive(packets[0].packet, at: .zero)
        _ = receiver.receive(packets[2].packet, at: .zero)
        #expect(receiver.missingCount == 1)
        let reference = sender.nack([packets[1].sent.sequenceNumber], at: .milliseconds(1)).first
        let again = try sender.sent(reference).packet
        let arrival = try receiver.arrival(again, at: .milliseconds(2))
        let original = try #require(ParsedRTP(packets[1].packet))
        #expect(arrival.isRetransmission)
        #expect(arrival.header.sequenceNumber == original.header.sequenceNumber)
        #expect(arrival.header.payloadType == original.header.payloadType)
        #expect(arrival.header.ssrc == original.header.ssrc)
        #expect(Array(again[arrival.payload]) == [1])
        #expect(receiver.missingCount == 0)
        #expect(receiver.reception.highest == arrival.number + 1)
        #expect(receiver.statistics.retransmittedPacketsReceived == 1)
    }

    @Test("that are empty, unknown or ahead of the stream are dropped")
    func malformed() {
        var receiver = Self.receiver()
        #expect(receiver.receive(PacketBytes.rtp(100, ssrc: 0x1111_1111), at: .zero) != nil)
        func rtx(_ payload: [UInt8], payloadType: UInt8 = 97) -> [UInt8] {
            PacketBytes.rtp(1, ssrc: 0x2222_2222, payloadType: payloadType, payload: payload)
        }
        for packet in [rtx([]), rtx([1]), rtx([0, 99, 1], payloadType: 55), rtx([0, 101, 1])] {
            let arrival = receiver.receive(packet, at: .zero)
            #expect(arrival == nil)
        }
        #expect(receiver.receive(rtx([0, 99, 1]), at: .zero) != nil)
        #expect(receiver.statistics.packetsDiscarded == 2)
    }

    @Test("are made at most once in a round trip and ten times in all")
    func rateOfOnePacket() throws {
        var fixture = OutgoingStreamFixture()
        fixture.stream.roundTripTime = .milliseconds(100)
        let (_, sent) = try fixture.sent(fixture.write())
        var times: [Int64] = []
        for time in stride(from: Int64(10), to: 1_400, by: 10) {
            let now = Instant.milliseconds(time)
            guard let reference = fixture.nack([sent.sequenceNumber], at: now).first else { continue }
            _ = try fixture.sent(reference, at: now)
            times.append(time)
        }
        #expect(times == (0..<10).map { 10 + $0 * 100 })
    }

    @Test("that wait are not asked for again, and the round trip begins when they leave, with the queue on the path")
    func waiting() throws {
        var fixture = OutgoingStreamFixture()
        fixture.stream.roundTripTime = .milliseconds(100)
        let (_, sent) = try fixture.sent(fixture.write())
        let reference = fixture.nack([sent.sequenceNumber], at: .milliseconds(10)).first
        #expect(fixture.nack([sent.sequenceNumber], at: .milliseconds(400)).isEmpty)
        _ = try fixture.sent(reference, at: .milliseconds(500))
        #expect(fixture.nack([sent.sequenceNumber], at: .milliseconds(590)).isEmpty)
        #expect(fixture.nack([sent.sequenceNumber], at: .milliseconds(890), queue: .milliseconds(300)).isEmpty)
        #expect(fixture.nack([sent.sequenceNumber], at: .milliseconds(910), queue: .milliseconds(300)).count == 1)
    }

    @Test("of what a key frame has made unnecessary are not made")
    func beforeKeyFrame() throws {
        var fixture = OutgoingStreamFixture()
        let (_, before) = try fixture.sent(fixture.write())
        let written = fixture.write(at: .milliseconds(40))
        let reference = try #require(written)
        fixture.stream.noteKeyFrame(reference, at: .milliseconds(40))
        let (_, key) = try fixture.sent(reference, at: .milliseconds(40))
        #expect(fixture.nack([before.sequenceNumber], at: .milliseconds(80)).isEmpty)
        #expect(fixture.nack([key.sequenceNumber], at: .milliseconds(80)).count == 1)
    }

    @Test("are given up for a key frame once in two seconds at most")
    func replaceRetransmissionsByKeyFrame() throws {
        var fixture = OutgoingStreamFixture()
        let (_, first) = try fixture.sent(fixture.write())
        func surrenders(at time: Int64) -> Bool {
            fixture.stream.replaceRetransmissionsByKeyFrame(at: .milliseconds(time))
        }
        #expect(surrenders(at: 10))
        #expect(fixture.nack([first.sequenceNumber], at: .milliseconds(20)).isEmpty)
        let (_, second) = try fixture.sent(fixture.write(at: .milliseconds(30)), at: .milliseconds(30))
        #expect(!surrenders(at: 1_000))
        #expect(fixture.nack([second.sequenceNumber], at: .milliseconds(1_000)).count == 1)
        #expect(surrenders(at: 2_020))
    }

    @Test("Pictures that have not left are taken back for a key frame, and nobody misses their numbers")
    func withdraw() throws {
        var fixture = OutgoingStreamFixture()
        func withdraws(at time: Int64) -> Bool { fixture.stream.withdraw(at: .milliseconds(time)) }
        #expect(!withdraws(at: 0), "nothing waits")
        let (_, left) = try fixture.sent(fixture.write(marker: true))
        let waiting = (0..<5).map { _ in fixture.write(marker: true, at: .milliseconds(10)) }
        #expect(withdraws(at: 20))
        #expect(fixture.send(waiting[4], at: .milliseconds(30)) == nil)
        let key = fixture.write([7], marker: true, at: .milliseconds(40))
        fixture.stream.noteKeyFrame(try #require(key), at: .milliseconds(40))
        let more = fixture.write(marker: true, at: .milliseconds(50))
        #expect(!withdraws(at: 3_000), "the key frame has not left")
        let (_, next) = try fixture.sent(key, at: .milliseconds(60))
        #expect(next.sequenceNumber == left.sequenceNumber.next)
        #expect(fixture.nack([left.sequenceNumber], at: .milliseconds(100)).isEmpty)
        #expect(!withdraws(at: 1_000), "once in two seconds at most")
        #expect(withdraws(at: 3_100) && more != nil)
        let last = try fixture.sent(fixture.write(marker: true, at: .milliseconds(3_110)), at: .milliseconds(3_110))
        #expect(last.sent.sequenceNumber == next.sequenceNumber.next)
        // Removed frames do not count as sent.
        #expect(fixture.stream.statistics.framesSent == 3 && fixture.stream.statistics.keyFramesSent == 1)
    }

    @Test("A picture of which a part has left leaves as a whole, or the other side would take the part for all of it")
    func withdrawRest() throws {
        var fixture = OutgoingStreamFixture()
        let packets = [false, false, true, false, true].map { fixture.write(marker: $0) }
        let (_, first) = try fixture.sent(packets[0])
        #expect(fixture.stream.statistics.framesSent == 0)
        let isTakenBack = fixture.stream.withdraw(at: .milliseconds(20))
        #expect(isTakenBack)
        let kept = try packets.map { fixture.stream.keeps(try #require($0)) }
        #expect(kept == [true, true, true, false, false])
        _ = try fixture.sent(packets[1])
        let (_, last) = try fixture.sent(packets[2])
        #expect(fixture.stream.statistics.framesSent == 1)
        let (_, next) = try fixture.sent(fixture.write(marker: true))
        #expect(next.sequenceNumber == last.sequenceNumber.next)
        #expect(last.sequenceNumber == first.sequenceNumber.next.next)
        #expect(fixture.stream.statistics.framesSent == 2)
    }

    @Test("On another path, frames before the next key frame are superseded, however recent the last one is")
    func surrenderOnAnotherPath() throws {
        var fixture = OutgoingStreamFixture()
        let packets = [false, true].map { fixture.write(marker: $0) }
        let first = try #require(packets[0])
        _ = try fixture.sent(first)
        #expect(!fixture.stream.isSuperseded(first))
        let isGranted = fixture.stream.replaceRetransmissionsByKeyFrame(at: .milliseconds(100))
        #expect(isGranted)
        let written = fixture.write(marker: true, at: .milliseconds(110))
        let key = try #require(written)
        fixture.stream.noteKeyFrame(key, at: .milliseconds(110))
        #expect(!fixture.stream.isSuperseded(key))
        // It left on the path before.
        _ = try fixture.sent(key, at: .milliseconds(120))
        let isGrantedAgain = fixture.stream.replaceRetransmissionsByKeyFrame(at: .milliseconds(150))
        #expect(!isGrantedAgain)
        let isGrantedElsewhere = fixture.stream.replaceRetransmissionsByKeyFrame(
            onAnotherPath: true, at: .milliseconds(150))
        #expect(isGrantedElsewhere)
        let last = fixture.write(marker: true, at: .milliseconds(160))
        let next = try #require(last)
        #expect(fixture.stream.isSuperseded(first) && fixture.stream.isSuperseded(key))
        #expect(!fixture.stream.isSuperseded(next))
        // The rest of the first frame is given up: it does not leave, and its number is not used again.
        let rest = try #require(packets[1])
        fixture.stream.abandon(rest, at: .milliseconds(160))
        fixture.stream.abandon(next, at: .milliseconds(160))
        let abandoned = fixture.send(rest, at: .milliseconds(170))
        #expect(abandoned == nil)
        let (_, sent) = try fixture.sent(next, at: .milliseconds(170))
        #expect(sent.sequenceNumber == fixture.stream.nextSequenceNumber.previous)
    }

    @Test("A PLI that cannot have seen the last key frame asks for none")
    func staleRequest() throws {
        var fixture = OutgoingStreamFixture()
        fixture.stream.roundTripTime = .milliseconds(100)
        func asks(at time: Int64, queue: Int64) -> Bool {
            fixture.stream.handle(
                PictureLossIndication(mediaSSRC: OutgoingStreamFixture.ssrc), queue: .milliseconds(queue),
                at: .milliseconds(time))
        }
        #expect(asks(at: 0, queue: 0))
        let written = fixture.write()
        fixture.stream.noteKeyFrame(try #require(written), at: .milliseconds(40))
        #expect(!asks(at: 300, queue: 200))
        #expect(asks(at: 345, queue: 200))
    }

    @Test("a flood of NACKs brings no more bytes than were sent, and 32 KiB")
    func flood() throws {
        var fixture = OutgoingStreamFixture()
        fixture.stream.roundTripTime = .milliseconds(1)
        var numbers: [RTPSequenceNumber] = []
        var sentBytes = 0
        for _ in 0..<300 {
            let (packet, sent) = try fixture.sent(fixture.write([UInt8](repeating: 0, count: 1_000)))
            numbers.append(sent.sequenceNumber)
            sentBytes += packet.count
        }
        var repeated = 0
        for time in 1..<1_000 {
            for reference in fixture.nack(numbers, at: .milliseconds(Int64(time))) {
                repeated += reference.size
                _ = fixture.send(reference, at: .milliseconds(Int64(time)))
            }
        }
        #expect(repeated > sentBytes / 2)
        #expect(repeated <= sentBytes * 11 / 10 + 40_000)
        #expect(fixture.stream.statistics.refusedRetransmissions > 100_000)
    }

    @Test("all at once are 256 KiB at most, however much was sent before")
    func burst() throws {
        var fixture = OutgoingStreamFixture()
        var numbers: [RTPSequenceNumber] = []
        for _ in 0..<1_500 {
            numbers.append(try fixture.sent(fixture.write([UInt8](repeating: 0, count: 1_000))).sent.sequenceNumber)
        }
        let size = fixture.nack(numbers, at: .milliseconds(10)).reduce(0) { $0 + $1.size }
        #expect(size > 200 << 10 && size < 280 << 10, "\(size)")
    }

    @Test("are no larger than any packet may be, whatever names of the stream they have to carry")
    func size() throws {
        var configuration = OutgoingStreamFixture.configuration(rid: "sixteen-bytes-it")
        configuration.mid = RTPStreamName("another-sixteen!")
        configuration.maximumPacketSize = 1_100
        var fixture = OutgoingStreamFixture(configuration)
        let frame = RTPFrameDescription(
            payloadType: RTPPayloadType(96), timestamp: RTPTimestamp(0), captureTime: .zero)

        /// A packet that is as large as it can be, and its retransmission.
        func sizes() throws -> (original: Int, again: ParsedRTP, size: Int) {
            let room = fixture.stream.maximumPayloadSize(for: frame)
            let (packet, sent) = try fixture.sent(fixture.write([UInt8](repeating: 7, count: room)))
            let reference = try #require(fixture.nack([sent.sequenceNumber], at: .milliseconds(1)).first)
            let again = try fixture.sent(reference)
            #expect(again.packet.count <= reference.size)
            return (packet.count, try #require(ParsedRTP(again.packet)), again.packet.count)
        }
        var packet = try sizes()
        #expect(packet.original > 1_000 && packet.size <= 1_100)
        #expect(packet.again.extensions.mid == configuration.mid)
        // The peer knows the stream now, but not that of the retransmissions.
        fixture.stream.isKnownToPeer = true
        packet = try sizes()
        #expect(packet.original > 1_000 && packet.size <= 1_100)
        #expect(packet.again.extensions.mid == configuration.mid)
        fixture.stream.isRTXKnownToPeer = true
        packet = try sizes()
        #expect(packet.original > 1_080 && packet.size == packet.original + 2)
        #expect(packet.again.extensions.mid == nil)
        // What was written while it knew both: without names, if it has to.
        let (_, sent) = try fixture.sent(
            fixture.write([UInt8](repeating: 7, count: fixture.stream.maximumPayloadSize(for: frame))))
        fixture.stream.isRTXKnownToPeer = false
        let again = try fixture.sent(fixture.nack([sent.sequenceNumber], at: .milliseconds(1)).first)
        #expect(again.packet.count <= 1_100 && ParsedRTP(again.packet)?.extensions.mid == nil)
    }

    @Test("are not made of what was never sent or is not kept any more")
    func unknown() throws {
        var fixture = OutgoingStreamFixture(
            OutgoingStreamFixture.configuration(
                history: RTPHistoryLimits(packets: 4, bytes: 100_000, age: .seconds(1))))
        let unsent = fixture.stream.nextSequenceNumber
        let waiting = fixture.write()
        #expect(fixture.nack([unsent, unsent.next, unsent.previous], at: .zero).isEmpty)
        #expect(fixture.send(waiting) != nil)
        let references = fixture.nack([unsent], at: .zero)
        #expect(references.count == 1)
        for _ in 0..<4 { _ = fixture.write() }
        #expect(fixture.nack([unsent], at: .milliseconds(500)).isEmpty)
        // It was evicted between the NACK and its turn.
        #expect(fixture.send(references[0]) == nil)
    }

    @Test("repair a stream over a path that loses", arguments: [(0.01, 1), (0.1, 2), (0.3, 3)] as [(Double, UInt64)])
    func lossyPath(loss: Double, seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var sender = OutgoingStreamFixture(seed: seed)
        var receiver = Self.receiver()
        sender.stream.roundTripTime = .milliseconds(40)
        receiver.roundTripTime = .milliseconds(40)
        var toReceiver: [(Instant, [UInt8])] = []
        var toSender: [(Instant, [UInt8])] = []
        var delivered: Set<Int64> = []
        func deliver(_ packet: [UInt8], _ now: Instant) {
            if random.nextUnit() >= loss { toReceiver.append((now + .milliseconds(20), packet)) }
        }
        // A packet each 2 ms for 4 s, and one more second for the last repairs.
        for step in 0..<2_500 {
            let now = Instant.milliseconds(Int64(step * 2))
            if step < 2_000, let (packet, _) = sender.send(sender.write(at: now), at: now) {
                if step == 0 || step == 1_999 {
                    toReceiver.append((now + .milliseconds(20), packet))
                } else {
                    deliver(packet, now)
                }
            }
            while let (time, packet) = toReceiver.first, time <= now {
                toReceiver.removeFirst()
                if let arrival = receiver.receive(packet, at: now) { delivered.insert(arrival.number) }
            }
            if receiver.nextDeadline <= now {
                let feedback = receiver.feedback(at: now)
                if !feedback.isEmpty, random.nextUnit() >= loss {
                    toSender.append((now + .milliseconds(20), feedback))
                }
            }
            while let (time, bytes) = toSender.first, time <= now {
                toSender.removeFirst()
                var numbers: [RTPSequenceNumber] = []
                PacketBytes.forEachRTCP(bytes) { packet in
                    guard var nack = GenericNACK(packet) else { return }
                    while let number = nack.next() { numbers.append(number) }
                }
                for reference in sender.nack(numbers, at: now) {
                    if let (packet, _) = sender.send(reference, at: now) { deliver(packet, now) }
                }
            }
        }
        #expect(delivered.count == 2_000)
        #expect(receiver.missingCount == 0)
        // Hardly more than the losses, those of retransmissions and requests included.
        let lost = 2_000 * loss
        #expect(Double(sender.stream.statistics.retransmittedPacketsSent) < lost / ((1 - loss) * (1 - loss)) * 1.4 + 30)
    }
}
