import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP repairs losses")
struct SCTPLossRecoveryTests {
    /// Sends 300 KB and loses the data packets whose numbers are in `lost`. What is sent again has no number.
    private func transfer(
        losing lost: Set<Int>, delay: TimeDelta = .milliseconds(25)
    ) throws -> (SCTPStatistics, TimeDelta) {
        var link = SCTPLink(conditions: LinkConditions(delay: delay))
        link.connect()
        link.run(for: .seconds(1))
        var number = 0
        var seen: Set<[UInt8]> = []
        link.filter = { packet, isToB in
            guard isToB, packet.count > 500, seen.insert(Array(packet[16..<20])).inserted else { return true }
            number += 1
            return !lost.contains(number)
        }
        for _ in 0..<30 {
            try link.a.send(
                SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [UInt8](repeating: 0, count: 10_000)), at: link.now
            )
        }
        let start = link.now
        var count = 0
        link.run(
            for: .seconds(60), react: { count += $0.b.drainMessages(at: $0.now).count },
            until: { count == 30 && $0.a.bufferedAmount == 0 })
        #expect(count == 30)
        return (link.a.statistics, link.now - start)
    }

    @Test("one packet by fast retransmission, without a timeout")
    func one() throws {
        let (statistics, time) = try transfer(losing: [20])
        // Without a queue it was chance.
        #expect(statistics.randomLosses == 1 && statistics.fastRecoveries == 0)
        #expect(statistics.timeouts == 0)
        #expect(statistics.chunksRetransmitted == 1)
        #expect(time < .milliseconds(700))
    }

    @Test("one packet at 600 ms round trip, before T3-rtx mistakes the delay for a loss")
    func longDelay() throws {
        let (statistics, _) = try transfer(losing: [60], delay: .milliseconds(300))
        #expect(statistics.randomLosses == 1 && statistics.fastRecoveries == 0)
        #expect(statistics.timeouts == 0)
    }

    @Test("several packets of one window by one reduction of the window")
    func several() throws {
        let (statistics, _) = try transfer(losing: [40, 43, 47, 52])
        #expect(statistics.fastRecoveries == 1)
        #expect(statistics.timeouts == 0)
        // A packet may hold the end of one message and the beginning of the next.
        #expect((4...8).contains(statistics.chunksRetransmitted))
    }

    @Test("the retransmission itself, without a timeout, while new data flow")
    func retransmission() throws {
        var link = SCTPLink(conditions: LinkConditions(delay: .milliseconds(25)))
        link.connect()
        link.run(for: .seconds(1))
        var losses = 0
        var tsn: [UInt8] = []
        var number = 0
        link.filter = { packet, isToB in
            guard isToB, packet.count > 500 else { return true }
            number += 1
            if number == 60 { tsn = Array(packet[16..<20]) }
            guard !tsn.isEmpty, Array(packet[16..<20]) == tsn, losses < 2 else { return true }
            losses += 1
            return false
        }
        var count = 0
        link.run(for: .seconds(3)) { link in
            while link.a.bufferedAmount < 200_000 {
                try? link.a.send(
                    SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [UInt8](repeating: 0, count: 10_000)),
                    at: link.now)
            }
            count += link.b.drainMessages(at: link.now).count
        }
        #expect(losses == 2)
        #expect(link.a.statistics.timeouts == 0)
        #expect(count > 300)
    }

    @Test("the last packet by a timeout, which takes no longer than it must")
    func tail() throws {
        let (statistics, time) = try transfer(losing: [256])
        #expect(statistics.timeouts == 1)
        #expect(time < .milliseconds(1_100))
    }

    @Test("a path that changes during recovery: the other one gets no more at once than any path at first")
    func changeInRecovery() throws {
        var link = SCTPLink(
            conditions: LinkConditions(delay: .milliseconds(50), rate: .megabits(20), queueLimit: 100_000))
        link.connect()
        var packets = 0
        link.filter = { _, isToB in
            if isToB { packets += 1 }
            return !isToB || !(1_000..<1_020).contains(packets)
        }
        let reached = link.run(
            for: .seconds(10),
            react: { link in
                while link.a.bufferedAmount < 1 << 20 {
                    try? link.a.send(
                        SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [UInt8](repeating: 0, count: 10_000)),
                        at: link.now)
                }
                _ = link.b.drainMessages(at: link.now)
            }, until: { $0.a.congestion.isInRecovery && $0.a.recoveryBudget > 64 * 1_200 })
        #expect(reached)
        link.a.pathChanged(at: link.now)
        var sizes: [Int] = []
        while let size = Optional(link.a.transmit(at: link.now).count), size > 0 { sizes.append(size) }
        // Ten packets of data, and the heartbeat.
        #expect(sizes.filter { $0 > 1_000 }.count <= 11 && sizes.count <= 13, "\(sizes.count)")
    }

    @Test("what the peer has dropped again, after it had reported it")
    func reneging() throws {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        for _ in 0..<4 {
            try link.a.send(
                SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [UInt8](repeating: 0, count: 1_100)), at: link.now)
        }
        for _ in 0..<4 { _ = link.a.transmit(at: link.now) }
        // A SACK that reports the first four as a gap block and then moves over none of them.
        let victim = link.a
        let sack = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            SCTPCommonHeader(sourcePort: 5_000, destinationPort: 5_000, verificationTag: victim.localTag)
                .write(to: &writer)
            let first = victim.outstanding.firstTSN
            SackChunk.write(
                cumulativeTSN: first.previous, advertisedWindow: 100_000,
                gapBlocks: [ReceivedRange(first: first, last: first.advanced(by: 3))], duplicates: [], to: &writer)
            SCTPCommonHeader.writeChecksum(into: writer.written)
            count = writer.count
        }
        link.a.deliver(sack, at: link.now)
        #expect(link.a.outstanding.bytesInFlight == 0)
        var count = 0
        link.run(for: .seconds(5)) { count += $0.b.drainMessages(at: $0.now).count }
        #expect(count == 4)
        #expect(link.a.bufferedAmount == 0)
    }
}
