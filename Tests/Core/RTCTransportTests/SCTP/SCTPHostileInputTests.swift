import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP survives hostile packets")
struct SCTPHostileInputTests {
    /// A connected pair, and the packets that its transfer consisted of.
    private func recorded() -> (link: SCTPLink, packets: [[UInt8]]) {
        var configuration = SCTPConfiguration()
        configuration.zeroChecksum = true
        var link = SCTPLink(
            configuration: configuration, conditions: LinkConditions(delay: .milliseconds(10), loss: 0.1), seed: 7)
        var packets: [[UInt8]] = []
        link.filter = { packet, _ in
            if packets.count < 400 { packets.append(packet) }
            return true
        }
        link.connect()
        for number in 0..<30 as Range<UInt32> {
            let message = SCTPMessage(
                stream: UInt16(number % 3), protocolIdentifier: number, bytes: [UInt8](repeating: 1, count: 5_000))
            try? link.a.send(message, reliability: number % 2 == 0 ? .reliable : .maxRetransmits(0), at: link.now)
            try? link.b.send(message, at: link.now)
        }
        link.a.resetStreams([1, 2], at: link.now)
        link.run(for: .seconds(5)) { link in
            _ = link.a.drainMessages(at: link.now)
            _ = link.b.drainMessages(at: link.now)
        }
        return (link, packets)
    }

    /// An association in each state that packets can find it in.
    private func victims() -> [SCTPAssociation] {
        var victims: [SCTPAssociation] = []
        let fresh = SCTPAssociation(configuration: SCTPConfiguration(), random: SeededRandom(seed: 5))
        victims.append(fresh)
        var connecting = fresh
        connecting.connect(at: .zero)
        victims.append(connecting)
        let link = recorded().link
        victims.append(link.a)
        var closing = link.a
        closing.shutdown(at: link.now)
        victims.append(closing)
        var receiving = link.b
        receiving.state = .shutdownReceived
        victims.append(receiving)
        receiving.state = .shutdownAckSent
        victims.append(receiving)
        var ended = link.b
        ended.abort(at: link.now)
        victims.append(ended)
        return victims
    }

    /// Drains an association as its owner would, and checks that it keeps to its bounds.
    private func exercise(_ victim: inout SCTPAssociation, at now: Instant) {
        for _ in 0..<100 where !victim.transmit(at: now).isEmpty {}
        _ = victim.drainMessages(at: now)
        #expect(victim.control.count <= 16)
        #expect(victim.received.ranges.count <= ReceivedTSNs.maximumRanges)
        #expect(victim.reassembly.itemCount <= Reassembly.maximumItems + 1)
        #expect(victim.window.buffered <= victim.configuration.grantedWindow + (256 << 10))
        #expect(victim.window.buffered >= 0 && victim.bufferedAmount >= 0)
        #expect(victim.outstanding.bytesInFlight >= 0 && victim.outstanding.lostCount >= 0)
    }

    @Test("random bytes behind a valid header")
    func random() {
        let random = SeededRandom(seed: 1)
        for var victim in victims() {
            var now = Instant(nanoseconds: 10_000_000_000)
            for _ in 0..<2_000 {
                var packet: [UInt8] = []
                packet.append(bigEndian: UInt16(5_000))
                packet.append(bigEndian: UInt16(5_000))
                packet.append(bigEndian: random.next(below: 4) == 0 ? 0 : victim.localTag)
                packet.append(bigEndian: UInt32(0))
                packet += random.bytes(Int(random.next(below: 200)))
                if packet.count > 16 {
                    let types: [UInt8] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 130, 192, 64, 200]
                    packet[12] = types[Int(random.next(below: UInt64(types.count)))]
                    packet[14] = 0
                    packet[15] = UInt8(truncatingIfNeeded: packet.count - 12)
                }
                victim.deliver(packet, at: now)
                exercise(&victim, at: now)
                now += .milliseconds(Int64(random.next(below: 50)))
                victim.handleTimeout(at: now)
            }
        }
    }

    @Test("real packets: truncated, mutated, repeated, and in any order")
    func mutated() {
        let random = SeededRandom(seed: 2)
        let (_, packets) = recorded()
        for var victim in victims() {
            var now = Instant(nanoseconds: 10_000_000_000)
            for _ in 0..<3_000 {
                var packet = packets[Int(random.next(below: UInt64(packets.count)))]
                for _ in 0..<random.next(below: 6) {
                    // Seldom in the common header, which would only have the packet dropped.
                    let from = random.next(below: 20) == 0 ? 0 : 12
                    let offset = from + Int(random.next(below: UInt64(min(packet.count - from, 60))))
                    packet[offset] = UInt8(truncatingIfNeeded: random.next())
                }
                if random.next(below: 4) == 0 {
                    packet.removeLast(Int(random.next(below: UInt64(packet.count))))
                }
                if packet.count >= 12 {
                    for offset in 8..<12 { packet[offset] = 0 }
                    if random.next(below: 3) != 0, packet.count > 12, packet[12] != 1 {
                        withUnsafeBytes(of: victim.localTag.bigEndian) { packet.replaceSubrange(4..<8, with: $0) }
                    }
                }
                victim.deliver(packet, at: now)
                exercise(&victim, at: now)
                now += .milliseconds(Int64(random.next(below: 20)))
                victim.handleTimeout(at: now)
            }
        }
    }

    /// A packet for `victim` with the chunks that `write` writes.
    private func packet(for victim: SCTPAssociation, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(buffer))
            SCTPCommonHeader(sourcePort: 5_000, destinationPort: 5_000, verificationTag: victim.localTag).write(
                to: &writer)
            write(&writer)
            count = writer.count
        }
    }

    private func connected() -> SCTPAssociation {
        var link = SCTPLink()
        link.connect()
        _ = link.b.drain()
        return link.b
    }

    private func data(
        _ tsn: TransmissionSequenceNumber, stream: UInt16, ssn: UInt16, flags: DataChunkFlags, size: Int,
        for victim: SCTPAssociation
    ) -> [UInt8] {
        let payload = [UInt8](repeating: 1, count: size)
        return payload.withUnsafeBytes { memory in
            packet(for: victim) {
                DataChunk(
                    tsn: tsn, stream: stream, sequenceNumber: StreamSequenceNumber(ssn), protocolIdentifier: 0,
                    flags: flags, userData: memory.bytes
                ).write(to: &$0)
            }
        }
    }

    @Test("data with every second TSN missing: gaps, bytes and fragments are bounded")
    func gaps() {
        var victim = connected()
        let base = victim.received.cumulative
        for number in 1..<40_000 {
            let chunk = data(
                base.advanced(by: 2 * number), stream: 0, ssn: UInt16(truncatingIfNeeded: number), flags: [], size: 1,
                for: victim)
            victim.deliver(chunk, at: .zero)
        }
        #expect(victim.received.ranges.count == ReceivedTSNs.maximumRanges)
        #expect(victim.reassembly.itemCount == ReceivedTSNs.maximumRanges)
        #expect(victim.statistics.chunksDropped > 30_000)
        exercise(&victim, at: .zero)
    }

    @Test("messages that never end, and never begin")
    func fragments() {
        var victim = connected()
        let base = victim.received.cumulative
        for number in 1..<5_000 {
            let flags: DataChunkFlags = number % 2 == 0 ? [.beginning] : []
            victim.deliver(
                data(base.advanced(by: number), stream: 0, ssn: 0, flags: flags, size: 1_000, for: victim), at: .zero)
        }
        #expect(victim.reassembly.itemCount <= 1)
        #expect(victim.window.buffered <= 2_000)
        exercise(&victim, at: .zero)
    }

    @Test("complete messages whose predecessor never comes")
    func waiting() {
        var victim = connected()
        let base = victim.received.cumulative
        for number in 1..<60_000 {
            victim.deliver(
                data(
                    base.advanced(by: number), stream: UInt16(number % 3),
                    ssn: UInt16(truncatingIfNeeded: 1 + number / 3),
                    flags: [.beginning, .ending], size: 1, for: victim), at: .zero)
        }
        #expect(victim.window.buffered <= victim.configuration.grantedWindow)
        exercise(&victim, at: .zero)
    }

    @Test("fragments that never meet, in any order, are bounded, and thrown away at once")
    func scattered() {
        for isAscending in [true, false] {
            var victim = connected()
            let base = victim.received.cumulative
            for step in 1..<20_000 {
                let number = isAscending ? step + 1 : 20_001 - step
                victim.deliver(
                    data(
                        base.advanced(by: number), stream: 0, ssn: 0, flags: .beginning, size: 1, for: victim),
                    at: .zero)
            }
            #expect(victim.reassembly.itemCount == Reassembly.maximumRuns)
            #expect(victim.statistics.chunksDropped > 0)
            let far = base.advanced(by: 30_000)
            let chunk = packet(for: victim) { ForwardTSNChunk.write(newCumulativeTSN: far, skipped: [], to: &$0) }
            victim.deliver(chunk, at: .zero)
            #expect(victim.reassembly.itemCount == 0 && victim.window.buffered == 0)
            exercise(&victim, at: .zero)
        }
    }

    @Test("messages that come backwards, some of them twice, are delivered in order, once")
    func backwards() {
        var victim = connected()
        var tsn = victim.received.cumulative
        for number in (0..<20_000).reversed() {
            for _ in 0..<(number % 100 == 1 ? 2 : 1) {
                tsn = tsn.next
                victim.deliver(
                    data(
                        tsn, stream: 0, ssn: UInt16(number), flags: [.beginning, .ending], size: 1 + number % 7,
                        for: victim),
                    at: .zero)
            }
        }
        let sizes = victim.drainMessages(at: .zero).map(\.bytes.count)
        #expect(sizes == (0..<20_000).map { 1 + $0 % 7 })
        #expect(victim.reassembly.itemCount == 0 && victim.window.buffered == 0)
    }

    @Test("a peer that never acknowledges the first chunk does not make room for more than the send buffer")
    func firstNeverAcknowledged() throws {
        var configuration = SCTPConfiguration()
        configuration.sendBufferLimit = 100_000
        var link = SCTPLink(configuration: configuration)
        link.connect()
        var victim = link.a
        var sent = 0
        for _ in 0..<200 {
            while (try? victim.send(
                SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [UInt8](repeating: 0, count: 1_000)),
                at: link.now)) != nil
            {
                sent += 1
            }
            while !victim.transmit(at: link.now).isEmpty {}
            let count = victim.outstanding.chunks.count
            let chunk = packet(for: victim) { writer in
                let start = writer.beginChunk(.sack)
                writer.write(victim.outstanding.firstTSN.previous.rawValue)
                writer.write(UInt32(1 << 20))
                writer.write(UInt16(1))
                writer.write(UInt16(0))
                writer.write(UInt16(2))
                writer.write(UInt16(count))
                writer.endChunk(start)
            }
            victim.deliver(chunk, at: link.now)
        }
        #expect(sent == 100)
        #expect(victim.bufferedAmount == 100_000)
    }

    @Test("a peer that forgets what it acknowledged of a message that was given up does not stop the rest")
    func forgetful() throws {
        var link = SCTPLink()
        link.connect()
        var victim = link.a
        let first = victim.outstanding.nextTSN
        try victim.send(
            SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [UInt8](repeating: 0, count: 3_000)),
            reliability: .maxRetransmits(0), at: link.now)
        while !victim.transmit(at: link.now).isEmpty {}
        for (cumulative, block) in [(first.previous, 2), (first, 0)] as [(TransmissionSequenceNumber, UInt16)] {
            let chunk = packet(for: victim) { writer in
                let start = writer.beginChunk(.sack)
                writer.write(cumulative.rawValue)
                writer.write(UInt32(1 << 20))
                writer.write(UInt16(block > 0 ? 1 : 0))
                writer.write(UInt16(0))
                if block > 0 {
                    writer.write(block)
                    writer.write(block)
                }
                writer.endChunk(start)
            }
            victim.deliver(chunk, at: link.now)
            if block > 0 { victim.handleTimeout(at: link.now + .seconds(5)) }
        }
        var now = link.now + .seconds(5)
        for _ in 0..<4 {
            while !victim.transmit(at: now).isEmpty {}
            now += .seconds(5)
            victim.handleTimeout(at: now)
        }
        #expect(victim.outstanding.bytesInFlight == 0 && victim.outstanding.lostCount == 0)
        #expect(victim.bufferedAmount == 0)
        #expect(victim.outstanding.hasAbandonedFront)
    }

    @Test("FORWARD TSN over everything, with as many streams as fit")
    func forwardTSN() {
        var victim = connected()
        for round in 0..<200 {
            let skipped = (0..<10_000).map {
                ForwardTSNChunk.SkippedStream(
                    stream: UInt16(truncatingIfNeeded: $0 &* 7 &+ round),
                    sequenceNumber: StreamSequenceNumber(UInt16(truncatingIfNeeded: $0 &* 31)))
            }
            let far = victim.received.cumulative.advanced(by: 1 << 30)
            let chunk = packet(for: victim) { ForwardTSNChunk.write(newCumulativeTSN: far, skipped: skipped, to: &$0) }
            victim.deliver(chunk, at: .zero)
        }
        exercise(&victim, at: .zero)
    }

    @Test("SACKs that lie")
    func lyingSacks() throws {
        var link = SCTPLink()
        link.connect()
        for _ in 0..<100 {
            try link.a.send(
                SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [UInt8](repeating: 0, count: 5_000)), at: link.now)
        }
        for _ in 0..<20 { _ = link.a.transmit(at: link.now) }
        var victim = link.a
        let random = SeededRandom(seed: 3)
        for _ in 0..<10_000 {
            let base = victim.outstanding.firstTSN.advanced(by: Int(random.next(below: 6)) - 3)
            let chunk = packet(for: victim) { writer in
                let start = writer.beginChunk(.sack)
                writer.write(base.rawValue)
                writer.write(UInt32(truncatingIfNeeded: random.next()))
                let blocks = random.next(below: 5)
                writer.write(UInt16(blocks))
                writer.write(UInt16(0))
                for _ in 0..<blocks {
                    writer.write(UInt16(random.next(below: 40)))
                    writer.write(UInt16(random.next(below: 40)))
                }
                writer.endChunk(start)
            }
            victim.deliver(chunk, at: link.now)
            exercise(&victim, at: link.now)
        }
    }

    @Test("a flood of requests is answered within bounds")
    func flood() {
        var victim = connected()
        var answers = 0
        for number in 0..<5_000 as Range<UInt32> {
            let chunk = packet(for: victim) { writer in
                for _ in 0..<10 {
                    HeartbeatChunk(information: [1, 2, 3]).write(as: .heartbeat, to: &writer)
                    ReconfigurationChunk(parameters: [
                        .associationReset(
                            AssociationResetRequest(requestNumber: ReconfigurationSequenceNumber(number)))
                    ]).write(to: &writer)
                    let start = writer.beginChunk(SCTPChunkType(rawValue: 0xFE))
                    writer.write(number)
                    writer.endChunk(start)
                }
            }
            victim.deliver(chunk, at: .zero)
            #expect(victim.control.count <= 16)
            if number % 100 == 0 {
                while !victim.transmit(at: .zero).isEmpty { answers += 1 }
            }
        }
        #expect(answers < 500)
    }

    @Test("DATA without user data ends the association, as RFC 9260 demands")
    func noUserData() {
        var victim = connected()
        let chunk = data(
            victim.received.cumulative.next, stream: 0, ssn: 0, flags: [.beginning, .ending], size: 0, for: victim)
        victim.deliver(chunk, at: .zero)
        guard case .failed(.protocolViolation)? = victim.pollEvent() else {
            Issue.record("no failure")
            return
        }
        let abort = victim.transmit(at: .zero)
        #expect(abort.count > 16 && abort[12] == SCTPChunkType.abort.rawValue)
    }

    @Test("DATA on a stream that was not negotiated is acknowledged, reported and dropped")
    func unknownStream() {
        var victim = connected()
        victim.incomingStreamCount = 10
        let tsn = victim.received.cumulative.next
        victim.deliver(
            data(tsn, stream: 10, ssn: 0, flags: [.beginning, .ending], size: 5, for: victim), at: .zero)
        #expect(victim.received.cumulative == tsn)
        let events = victim.drain()
        #expect(events.isEmpty)
        #expect(victim.window.buffered == 0)
        let answer = victim.transmit(at: .zero)
        #expect(answer.count > 12 && answer[12] == SCTPChunkType.error.rawValue)
    }
}
