import RTCWire
import Testing

@testable import RTCMedia

@Suite("Transport-wide feedback")
struct TransportFeedbackTests {
    private static let us = SynchronizationSource(1)
    private static let media = SynchronizationSource(2)

    /// All reports that are due.
    private func reports(_ writer: inout TransportFeedbackWriter, at now: Instant, room: Int = 1_200) -> [[UInt8]] {
        var reports: [[UInt8]] = []
        while writer.nextDeadline <= now {
            var isWritten = false
            let bytes = PacketBytes.write(room: room) {
                isWritten = writer.write(from: Self.us, media: Self.media, at: now, to: &$0)
            }
            guard isWritten else { break }
            reports.append(bytes)
        }
        return reports
    }

    /// What a report says: the numbers and arrivals, the reference time included.
    private func statuses(_ report: [UInt8]) -> [(number: UInt16, arrival: TimeDelta?)] {
        var statuses: [(UInt16, TimeDelta?)] = []
        PacketBytes.forEachRTCP(report) { packet in
            guard var feedback = TransportFeedback(packet) else {
                Issue.record("not read")
                return
            }
            let base = TransportFeedback.referenceUnit * Int64(feedback.referenceTime)
            let count = feedback.count
            while let status = feedback.next() {
                statuses.append((status.number.rawValue, status.arrival.map { base + $0 }))
            }
            #expect(statuses.count == count)
        }
        return statuses
    }

    @Test("A packet that is missing counts as lost once a later one arrived on the same path, not on a second one")
    func secondPath() throws {
        var reader = TransportFeedbackReader()
        var writer = TransportFeedbackWriter()
        // The odd ones are copied.
        for index in 1...10 { reader.noteSent(size: index, usesSecondPath: index % 2 == 1, at: .zero) }
        func results(after arrivals: [UInt16], at time: Int64) -> [TransportPacketResult] {
            for number in arrivals { writer.record(TransportSequenceNumber(number), at: .milliseconds(time)) }
            var all: [TransportPacketResult] = []
            for report in reports(&writer, at: .milliseconds(time + 50)) {
                PacketBytes.forEachRTCP(report) { packet in
                    guard let feedback = TransportFeedback(packet), reader.handle(feedback) else { return }
                    all += reader.results
                }
            }
            return all
        }
        // 2 and 4 are perhaps delayed, since what came after them took the second path.
        let first = results(after: [1, 3, 5], at: 0)
        #expect(first.map(\.size) == [1, 3, 5])
        #expect(first.allSatisfy { $0.usedSecondPath && $0.arrival != nil })
        // 4 came late, and shows that 2 is lost.
        let second = results(after: [4, 7], at: 100)
        #expect(second.map(\.size) == [2, 4, 7])
        #expect(second.map { $0.arrival == nil } == [true, false, false])
        #expect(second.map(\.usedSecondPath) == [false, false, true])
        #expect(second.allSatisfy { !$0.wasReportedLost })
        // 6 and 8 are lost; 9, of which both copies are, at once.
        let third = results(after: [10], at: 200)
        #expect(third.map(\.size) == [9, 6, 8, 10])
        #expect(third.count { $0.arrival == nil } == 3)
        // 6 comes after all.
        let fourth = results(after: [6], at: 300)
        #expect(fourth.map(\.size) == [6])
        #expect(fourth.allSatisfy { $0.wasReportedLost })
    }

    @Test("reads a packet with a run, one-bit and two-bit vectors, small, large and negative deltas")
    func reading() {
        let bytes: [UInt8] = [
            0x8F, 205, 0, 6, 0, 0, 0, 1, 0, 0, 0, 2,
            // From 65,534 on 12 packets, reference −1, count 7.
            0xFF, 0xFE, 0, 12, 0xFF, 0xFF, 0xFF, 7,
            // A run of two small deltas; a vector of one-bit symbols, of which the second is set.
            0x20, 0x02, 0x90, 0x00,
            4, 8, 1, 0,
        ]
        let read = statuses(bytes)
        let reference = TimeDelta.milliseconds(-64)
        #expect(read.map(\.number) == (0..<12).map { 65_534 &+ UInt16($0) })
        #expect(read[0].arrival == reference + .milliseconds(1))
        #expect(read[1].arrival == reference + .milliseconds(3))
        #expect(read[2].arrival == nil)
        #expect(read[3].arrival == reference + .microseconds(3_250))
        #expect(read[4...].allSatisfy { $0.arrival == nil })

        let twoBits: [UInt8] = [
            0x8F, 205, 0, 6, 0, 0, 0, 1, 0, 0, 0, 2, 0, 10, 0, 4, 0, 0, 1, 0,
            // Two-bit symbols: 2, 0, 1, 2; deltas 4,096, 4 and −4.
            0b1110_0001, 0b1000_0000, 0x10, 0x00, 4, 0xFF, 0xFC, 0,
        ]
        let second = statuses(twoBits)
        let expected: [Int64?] = [1_088_000, nil, 1_089_000, 1_088_000]
        #expect(second.map { $0.arrival?.microseconds } == expected)
    }

    @Test("a reserved symbol and missing deltas end the reading")
    func malformed() {
        for body in [[0x60, 0x03, 0, 0], [0x20, 0x05, 1, 1]] as [[UInt8]] {
            var bytes: [UInt8] = [0x8F, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 10, 0, body[1], 0, 0, 1, 0]
            bytes += body
            var count = 0
            PacketBytes.forEachRTCP(bytes) { packet in
                guard var feedback = TransportFeedback(packet) else { return }
                while feedback.next() != nil { count += 1 }
            }
            #expect(count == (body[0] == 0x60 ? 0 : 2))
        }
    }

    @Test(
        "what is written is read again: loss, bursts, reordering, pauses, over the wrap",
        arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var writer = TransportFeedbackWriter()
        var expected: [Int64: Instant] = [:]
        var reported: [UInt16: TimeDelta] = [:]
        var now = Instant.milliseconds(Int64(random.next(below: 100_000_000)))
        let loss = random.nextUnit() * 0.5
        var next: Int64 = 65_536 + 65_000
        let first = next
        for _ in 0..<2_000 {
            now += .microseconds(Int64(random.next(below: random.next(below: 100) == 0 ? 500_000 : 3_000)))
            if next > first, random.nextUnit() < loss {
                next += 1
                continue
            }
            expected[next] = now
            writer.record(TransportSequenceNumber(UInt16(truncatingIfNeeded: next)), at: now)
            next += 1
            for report in reports(&writer, at: now, room: 200) {
                for (number, arrival) in statuses(report) where arrival != nil { reported[number] = arrival }
            }
        }
        for report in reports(&writer, at: now + .seconds(1), room: 200) {
            for (number, arrival) in statuses(report) where arrival != nil { reported[number] = arrival }
        }
        #expect(reported.count == expected.count)
        for (number, time) in expected {
            guard let arrival = reported[UInt16(truncatingIfNeeded: number)] else {
                Issue.record("\(number) was not reported")
                continue
            }
            // The reference time has 24 bits of 64 ms, with a sign: twelve days and a half.
            let difference = time.nanoseconds - arrival.nanoseconds
            #expect(difference >= 0 && difference < 250_000)
        }
    }

    @Test("comes each 50 ms while packets arrive, and not otherwise")
    func schedule() {
        var writer = TransportFeedbackWriter()
        #expect(writer.nextDeadline == .distantFuture)
        var times: [Int64] = []
        for time in 0..<300 as Range<Int64> {
            if time < 200 { writer.record(TransportSequenceNumber(UInt16(time)), at: .milliseconds(time)) }
            if !reports(&writer, at: .milliseconds(time)).isEmpty { times.append(time) }
        }
        #expect(times == [50, 100, 150, 200])
        #expect(writer.nextDeadline == .distantFuture)
    }

    @Test("tells of a late packet that was reported lost")
    func lateArrival() {
        var writer = TransportFeedbackWriter()
        for number in [1, 2, 4] as [UInt16] { writer.record(TransportSequenceNumber(number), at: .zero) }
        let first = reports(&writer, at: .milliseconds(50)).flatMap(statuses)
        #expect(first.map { $0.arrival == nil } == [false, false, true, false])
        writer.record(TransportSequenceNumber(3), at: .milliseconds(60))
        let second = reports(&writer, at: .milliseconds(100)).flatMap(statuses)
        #expect(second.map(\.number) == [3, 4])
        #expect(second.allSatisfy { $0.arrival != nil })
    }

    @Test("survives any numbers", arguments: 1...10 as ClosedRange<UInt64>)
    func anyNumbers(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var writer = TransportFeedbackWriter()
        for step in 0..<3_000 {
            let now = Instant.milliseconds(Int64(step))
            writer.record(TransportSequenceNumber(UInt16(truncatingIfNeeded: random.next())), at: now)
            let reports = reports(&writer, at: now)
            #expect(reports.count < 40)
        }
    }

    // MARK: The sender's side

    @Test("is matched with what was sent, once")
    func matching() {
        var reader = TransportFeedbackReader()
        var writer = TransportFeedbackWriter()
        for index in 0..<10 {
            let now = Instant.milliseconds(Int64(index))
            if index != 4 { writer.record(reader.nextNumber, at: now + .milliseconds(30)) }
            reader.noteSent(size: 100 + index, at: now)
        }
        #expect(reader.bytesInFlight == 1_045)
        let reports = reports(&writer, at: .milliseconds(200))
        #expect(reports.count == 1)
        for round in 0..<2 {
            PacketBytes.forEachRTCP(reports[0]) { packet in
                guard let feedback = TransportFeedback(packet) else { return }
                let isTaken = reader.handle(feedback)
                #expect(isTaken)
            }
            if round == 1 {
                #expect(reader.results.isEmpty)
                continue
            }
            #expect(reader.results.map(\.size) == Array(100..<110))
            #expect(reader.results.map { $0.arrival == nil } == (0..<10).map { $0 == 4 })
            let arrivals = reader.results.compactMap(\.arrival)
            #expect(arrivals[1] - arrivals[0] == .milliseconds(1))
            #expect(reader.results[3].sent == .milliseconds(3))
        }
        #expect(reader.bytesInFlight == 0)
    }

    @Test("about packets that left on the path before tells nothing, and they are under way no longer")
    func pathChange() {
        var reader = TransportFeedbackReader()
        var writer = TransportFeedbackWriter()
        for index in 0..<10 {
            if index == 5 { reader.pathChanged() }
            let now = Instant.milliseconds(Int64(index))
            writer.record(reader.nextNumber, at: now + .milliseconds(30))
            reader.noteSent(size: 100 + index, at: now)
        }
        #expect(reader.bytesInFlight == 535)
        for report in reports(&writer, at: .milliseconds(200)) {
            PacketBytes.forEachRTCP(report) { packet in
                if let feedback = TransportFeedback(packet) { reader.handle(feedback) }
            }
        }
        #expect(reader.results.map(\.size) == [105, 106, 107, 108, 109])
        #expect(reader.bytesInFlight == 0)
    }

    @Test("over a long call, numbers and reference times that wrap included")
    func longCall() {
        var reader = TransportFeedbackReader()
        var writer = TransportFeedbackWriter()
        writer.interval = .seconds(30)
        // A packet each ten seconds for twenty days: the reference time wraps after twelve.
        var last: Instant?
        var count = 0
        for step in 0..<172_800 {
            let now = Instant.zero + .seconds(Int64(step) * 10)
            writer.record(reader.nextNumber, at: now + .milliseconds(20))
            reader.noteSent(size: 100, at: now)
            for report in reports(&writer, at: now) {
                PacketBytes.forEachRTCP(report) { packet in
                    if let feedback = TransportFeedback(packet) { reader.handle(feedback) }
                }
                for result in reader.results {
                    guard let arrival = result.arrival else { continue }
                    count += 1
                    if let last, arrival - last != .seconds(10) { Issue.record("\(step): \((arrival - last).seconds)") }
                    last = arrival
                }
            }
        }
        #expect(count > 172_000)
        #expect(reader.bytesInFlight <= 500)
    }

    @Test(
        "cannot move the reference time out of bounds: by steps without news, nor by those with it",
        arguments: [(false, 0x7F_FFFF), (true, 0x7F_FFFF), (true, 4_000)] as [(Bool, Int32)])
    func ratchet(hasNews: Bool, step: Int32) throws {
        var reader = TransportFeedbackReader()
        var sent: UInt16 = 0
        /// Sends a packet, and reports that it arrived after 1 ms.
        func report(_ reference: Int32, isNew: Bool = true) {
            if isNew {
                reader.noteSent(size: 100, at: .zero)
                sent &+= 1
            }
            let number = [UInt8(sent >> 8), UInt8(sent & 0xFF)]
            let time = [UInt8(truncatingIfNeeded: reference >> 16), UInt8(truncatingIfNeeded: reference >> 8)]
            let bytes: [UInt8] =
                [0x8F, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2] + number + [0, 1] + time
                + [UInt8(truncatingIfNeeded: reference), 0, 0x20, 1, 4, 0]
            PacketBytes.forEachRTCP(bytes) { packet in
                if let feedback = TransportFeedback(packet) { reader.handle(feedback) }
            }
        }
        report(0)
        var reference: Int32 = 0
        // As many as would reach the end of time; of small steps, as many as a test has time for.
        for _ in 0..<20_000 {
            reference &+= step
            report(reference, isNew: hasNews)
        }
        let bound = Instant.zero + TransportFeedback.referenceUnit * (1 << 33)
        report(reference &+ 1)
        let first = try #require(reader.results.first?.arrival)
        report(reference &+ 2)
        let second = try #require(reader.results.first?.arrival)
        #expect(second - first == TransportFeedback.referenceUnit)
        #expect(first < bound, "\(first)")
        if !hasNews { #expect(first < .zero + .seconds(1_000_000), "\(first)") }
    }

    @Test("about packets that were never sent is ignored")
    func neverSent() {
        var reader = TransportFeedbackReader()
        var writer = TransportFeedbackWriter()
        writer.record(TransportSequenceNumber(40_000), at: .zero)
        let report = reports(&writer, at: .milliseconds(100))[0]
        var read = 0
        for _ in 0..<3 {
            PacketBytes.forEachRTCP(report) { packet in
                guard let feedback = TransportFeedback(packet) else { return }
                read += 1
                let isTaken = reader.handle(feedback)
                #expect(!isTaken)
            }
            reader.noteSent(size: 100, at: .zero)
        }
        #expect(read == 3)
    }
}
