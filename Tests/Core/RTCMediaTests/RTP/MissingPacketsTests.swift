import RTCWire
import Testing

@testable import RTCMedia

@Suite("Missing packets are asked for")
struct MissingPacketsTests {
    private static func stream(roundTrip: Int64 = 100) -> RTPIncomingStream {
        var stream = RTPIncomingStream(
            RTPIncomingStream.Configuration(
                ssrc: SynchronizationSource(1), clockRate: 90_000, requestsRetransmissions: true,
                requestsKeyFrames: true))
        stream.roundTripTime = .milliseconds(roundTrip)
        return stream
    }

    /// What the stream asks for at `now`: missing numbers, and whether a key frame.
    private func requests(_ stream: inout RTPIncomingStream, at now: Instant) -> (numbers: [UInt16], keyFrame: Bool) {
        var numbers: [UInt16] = []
        var keyFrame = false
        PacketBytes.forEachRTCP(stream.feedback(at: now)) { packet in
            if var nack = GenericNACK(packet) {
                while let number = nack.next() { numbers.append(number.rawValue) }
            }
            if PictureLossIndication(packet) != nil { keyFrame = true }
        }
        return (numbers, keyFrame)
    }

    private func receive(_ numbers: [UInt16], _ stream: inout RTPIncomingStream, at milliseconds: Int64) {
        for number in numbers { _ = stream.receive(PacketBytes.rtp(number), at: .milliseconds(milliseconds)) }
    }

    @Test("at once, over the wrap, and again after a round trip until they come")
    func asking() {
        var stream = Self.stream()
        receive([65_533, 65_534], &stream, at: 0)
        #expect(stream.nextDeadline == .distantFuture)
        receive([1, 3], &stream, at: 10)
        #expect(stream.nextDeadline <= .milliseconds(10))
        #expect(requests(&stream, at: .milliseconds(10)).numbers == [65_535, 0, 2])
        #expect(stream.nextDeadline == .milliseconds(135))
        #expect(requests(&stream, at: .milliseconds(134)).numbers.isEmpty)
        receive([0], &stream, at: 134)
        #expect(requests(&stream, at: .milliseconds(135)).numbers == [65_535, 2])
        receive([65_535, 2], &stream, at: 200)
        #expect(stream.missingCount == 0 && stream.nextDeadline == .distantFuture)
        #expect(stream.statistics.nackCount == 2)
    }

    @Test("at most ten times, then a key frame is asked for")
    func givingUp() {
        var stream = Self.stream(roundTrip: 20)
        receive([1, 3], &stream, at: 0)
        var asked = 0
        var keyFrameAt: Int64?
        for time in 0..<1_200 as Range<Int64> where stream.nextDeadline <= .milliseconds(time) {
            let (numbers, keyFrame) = requests(&stream, at: .milliseconds(time))
            asked += numbers.count
            if keyFrame, keyFrameAt == nil { keyFrameAt = time }
        }
        #expect(asked == 10)
        #expect(keyFrameAt == 250)
        #expect(stream.missingCount == 0)
    }

    @Test("for a second at most")
    func age() {
        var stream = Self.stream(roundTrip: 400)
        receive([1, 3], &stream, at: 0)
        var times: [Int64] = []
        var keyFrameAt: Int64?
        for time in stride(from: Int64(0), to: 3_000, by: 10) where stream.nextDeadline <= .milliseconds(time) {
            let (numbers, keyFrame) = requests(&stream, at: .milliseconds(time))
            if !numbers.isEmpty { times.append(time) }
            if keyFrame, keyFrameAt == nil { keyFrameAt = time }
        }
        #expect(times == [0, 500])
        #expect(keyFrameAt == 1_000)
    }

    @Test("a key frame is asked for again until it comes, and not more often than each 200 ms")
    func keyFrames() {
        var stream = Self.stream(roundTrip: 50)
        stream.requestKeyFrame()
        var times: [Int64] = []
        for time in 0..<700 as Range<Int64> where stream.nextDeadline <= .milliseconds(time) {
            if requests(&stream, at: .milliseconds(time)).keyFrame { times.append(time) }
            if times.count == 3 { stream.keyFrameArrived() }
        }
        #expect(times == [0, 200, 400])
        stream.requestKeyFrame()
        stream.requestKeyFrame()
        #expect(stream.nextDeadline == .milliseconds(600))
        #expect(stream.statistics.pliCount == 3)
    }

    @Test("only when they stay away for longer than the network reorders")
    func reordering() {
        var stream = Self.stream()
        receive([1, 3, 2], &stream, at: 0)
        // It is known now that packets come out of order by one.
        receive([5], &stream, at: 20)
        #expect(requests(&stream, at: .milliseconds(20)).numbers.isEmpty)
        receive([4], &stream, at: 21)
        #expect(stream.missingCount == 0)
        receive([7], &stream, at: 40)
        #expect(requests(&stream, at: .milliseconds(40)).numbers.isEmpty)
        receive([8], &stream, at: 41)
        #expect(requests(&stream, at: .milliseconds(41)).numbers == [6])
        // Nothing newer comes: asked for after 10 ms.
        receive([10], &stream, at: 60)
        #expect(requests(&stream, at: .milliseconds(60)).numbers.isEmpty)
        #expect(stream.nextDeadline == .milliseconds(70))
        #expect(requests(&stream, at: .milliseconds(70)).numbers == [9])
    }

    /// A stream of a packet each 10 ms, of which every tenth is overtaken by so much, and one hundred are looked at.
    ///
    /// - Returns: How many numbers were asked for though they were only late, among the last fifty.
    private func asked(lateBy lateness: Int64, _ stream: inout RTPIncomingStream) -> Int {
        var arrivals: [(time: Int64, number: UInt16)] = []
        for number in 0..<1_000 as Range<UInt16> {
            let delay = number % 10 == 5 ? lateness : 0
            arrivals.append((Int64(number) * 10 + delay, number))
        }
        arrivals.sort { $0.time < $1.time }
        var asked = 0
        for (time, number) in arrivals {
            while stream.nextDeadline < .milliseconds(time) {
                let numbers = requests(&stream, at: max(stream.nextDeadline, .zero)).numbers
                asked += numbers.count { $0 >= 500 }
            }
            receive([number], &stream, at: time)
        }
        return asked
    }

    @Test("only later than the network reorders, up to a round trip", arguments: [30, 60, 90])
    func longReordering(lateness: Int64) {
        var stream = RTPIncomingStream(
            RTPIncomingStream.Configuration(
                ssrc: SynchronizationSource(1), clockRate: 90_000, rtxSSRC: SynchronizationSource(2),
                requestsRetransmissions: true, requestsKeyFrames: true))
        stream.roundTripTime = .milliseconds(120)
        #expect(asked(lateBy: lateness, &stream) <= 10, "of 50")
    }

    @Test("after a round trip, however late the network makes some")
    func hugeReordering() {
        var stream = Self.stream(roundTrip: 40)
        _ = asked(lateBy: 35, &stream)
        receive([1_000, 1_002], &stream, at: 20_000)
        #expect(stream.nextDeadline <= .milliseconds(20_041))
        #expect(requests(&stream, at: .milliseconds(20_041)).numbers == [1_001])
    }

    @Test("not of a sender that has ceased: after five seconds without a packet no key frame is asked for")
    func ceased() {
        var stream = Self.stream()
        receive([1, 2], &stream, at: 0)
        stream.requestKeyFrame()
        var times: [Int64] = []
        for time in stride(from: Int64(0), to: 20_000, by: 50) where stream.nextDeadline <= .milliseconds(time) {
            if requests(&stream, at: .milliseconds(time)).keyFrame { times.append(time) }
        }
        #expect(times.first == 0 && times.last == 5_000)
        #expect(stream.nextDeadline == .distantFuture)
        // It begins again, and is asked again at once.
        receive([3], &stream, at: 20_000)
        #expect(requests(&stream, at: .milliseconds(20_000)).keyFrame)
        stream.forgetRequests()
        #expect(stream.nextDeadline == .distantFuture)
    }

    @Test("not any more when they are not needed")
    func forgetting() throws {
        var stream = Self.stream()
        receive([1, 5, 9], &stream, at: 0)
        let highest = try #require(stream.reception.highest)
        stream.forget(before: highest - 2)
        #expect(requests(&stream, at: .zero).numbers == [7, 8])
        stream.forget(before: highest + 1_000)
        #expect(stream.missingCount == 0 && stream.nextDeadline == .distantFuture)
        receive([11], &stream, at: 1)
        #expect(requests(&stream, at: .milliseconds(1)).numbers == [10])
    }

    @Test("not when so many are missing that a key frame is cheaper")
    func tooMany() {
        var stream = Self.stream()
        receive([1, 900], &stream, at: 0)
        let (numbers, keyFrame) = requests(&stream, at: .zero)
        #expect(numbers.isEmpty && keyFrame && stream.missingCount == 0)
        receive([902], &stream, at: 1)
        #expect(requests(&stream, at: .milliseconds(1)).numbers == [901])
    }

    @Test("in as many packets as they need, when they do not fit into one")
    func manyItems() {
        var stream = Self.stream()
        receive((0..<400).map { UInt16($0 * 2) }.filter { $0 < 1_000 }, &stream, at: 0)
        #expect(stream.missingCount == 399)
        var numbers: Set<UInt16> = []
        for _ in 0..<40 where stream.nextDeadline <= .zero {
            let bytes = PacketBytes.write(room: 40) {
                stream.writeFeedback(from: SynchronizationSource(9), at: .zero, to: &$0)
            }
            #expect(bytes.count <= 40)
            PacketBytes.forEachRTCP(bytes) { packet in
                guard var nack = GenericNACK(packet) else { return }
                while let number = nack.next() { numbers.insert(number.rawValue) }
            }
        }
        #expect(numbers.count == 399)
        #expect(stream.nextDeadline > .zero)
    }

    @Test("any order and any numbers are survived", arguments: 1...20 as ClosedRange<UInt64>)
    func anything(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var stream = Self.stream(roundTrip: Int64(random.next(below: 300)))
        var number = UInt16(truncatingIfNeeded: random.next())
        for step in 0..<5_000 {
            switch random.next(below: 100) {
            case 0: number = UInt16(truncatingIfNeeded: random.next())
            case 1..<10: number &+= UInt16(random.next(below: 700))
            case 10..<20: number &-= UInt16(random.next(below: 60))
            case 20: stream.forget(before: Int64(random.next(below: 1 << 18)))
            default: number &+= 1
            }
            let now = Instant.milliseconds(Int64(step))
            _ = stream.receive(PacketBytes.rtp(number), at: now)
            if stream.nextDeadline <= now { _ = stream.feedback(at: now) }
            #expect(stream.missingCount >= 0 && stream.missingCount <= MissingPackets.maximumMissing)
        }
    }
}
