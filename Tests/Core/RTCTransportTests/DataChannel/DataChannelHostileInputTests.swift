import RTCWire
import Testing

@testable import RTCTransport

@Suite("Data channels survive a hostile peer")
struct DataChannelHostileInputTests {
    /// A started pair with an open channel.
    private func opened() throws -> (link: ChannelLink, local: ChannelLog.ID) {
        var link = ChannelLink()
        let local = try link.a.open(DataChannelParameters(label: "x"), at: link.now)
        link.start()
        link.run(for: .seconds(1))
        var a = ChannelLog()
        a.take(&link.a, at: link.now)
        return (link, local)
    }

    @Test("random messages on random streams", arguments: 0..<4 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var link = try opened().link
        let random = SeededRandom(seed: seed)
        var b = ChannelLog()
        for _ in 0..<3_000 {
            var bytes = random.bytes(1 + Int(random.next(below: 40)))
            if random.next(below: 2) == 0 {
                bytes = DataChannelOpenMessage(DataChannelParameters(label: "y")).bytes
                bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            let message = SCTPMessage(
                stream: UInt16(random.next(below: 60)), protocolIdentifier: 49 + UInt32(random.next(below: 10)),
                isUnordered: random.next(below: 2) == 0, bytes: bytes)
            try? link.a.association.send(message, at: link.now)
            if random.next(below: 5) == 0 {
                link.a.association.resetStreams([UInt16(random.next(below: 60))], at: link.now)
            }
            if random.next(below: 5) == 0, let id = b.incoming.randomElement(using: random) {
                link.b.close(id, at: link.now)
            }
            link.run(for: .milliseconds(3)) { b.take(&$0.b, at: $0.now) }
        }
        link.run(for: .seconds(10)) { b.take(&$0.b, at: $0.now) }
        #expect(link.b.association.isEstablished)
        // Only parts of messages without an end hold on to the window.
        let parts = link.b.parts.values.reduce(0) { $0 + $1.count }
        #expect(link.b.association.window.buffered == parts)
        #expect(link.b.association.window.overhead == 0)
        let open = link.b.slots.count { $0 != nil }
        #expect(open <= 61)
        #expect(Set(b.closed).count == b.closed.count)
    }

    @Test("mutated packets at every time of a connection's life", arguments: 0..<6 as Range<UInt64>)
    func mutated(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var link = ChannelLink(conditions: LinkConditions(delay: .milliseconds(10), loss: 0.1), seed: seed)
        var packets: [[UInt8]] = []
        link.filter = { packet, _ in
            packets.append(packet)
            return true
        }
        let local = try link.a.open(DataChannelParameters(label: "x"), at: link.now)
        link.start()
        var a = ChannelLog()
        var b = ChannelLog()
        for step in 0..<2_000 {
            if link.a.state(of: local) == .open, step % 10 == 0 {
                try? link.a.send(DataChannelMessage("hello"), on: local, at: link.now)
            }
            link.run(for: .milliseconds(5)) { link in
                a.take(&link.a, at: link.now)
                b.take(&link.b, at: link.now)
            }
            guard var packet = packets.last else { continue }
            for _ in 0..<1 + random.next(below: 3) {
                packet[12 + Int(random.next(below: UInt64(packet.count - 12)))] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            for offset in 8..<12 { packet[offset] = 0 }
            packet.withUnsafeBytes {
                link.a.receive($0.bytes, at: link.now)
                link.b.receive($0.bytes, at: link.now)
            }
            if packets.count > 10 { packets.removeFirst(packets.count - 10) }
        }
        // Whatever became of it, both ends still answer their owner.
        link.a.abort(at: link.now)
        link.b.abort(at: link.now)
        a.take(&link.a, at: link.now)
        b.take(&link.b, at: link.now)
        #expect(link.a.state(of: local) == .closed)
        #expect(link.a.nextDeadline == nil && link.b.nextDeadline == nil)
    }

    @Test("messages that cost nothing on the wire, and that nobody reads, close the window all the same")
    func emptyMessages() throws {
        var (link, local) = try opened()
        var kept: [(id: ChannelLog.ID, bytes: Int)] = []
        let keep = { (link: inout ChannelLink) in
            while let event = link.b.pollEvent() {
                if case .message(let id, let message) = event { kept.append((id, message.bytes.count)) }
            }
        }
        for number in 0..<40_000 {
            try link.a.send(DataChannelMessage(number % 2 == 0 ? "" : "x"), on: local, at: link.now)
            if number % 500 == 0 { link.run(for: .milliseconds(20), react: keep) }
        }
        link.run(for: .seconds(20), react: keep)
        #expect(kept.count < 20_000)
        #expect(kept.count > 10_000)
        var count = kept.count
        var messages = 0
        link.run(for: .seconds(20)) { link in
            keep(&link)
            for message in kept { link.b.consumed(message.bytes, on: message.id, at: link.now) }
            messages += kept.count
            kept = []
            count = messages
        }
        #expect(count == 40_000)
        #expect(link.b.association.window.overhead == 0)
        #expect(link.b.association.window.buffered == 0)
    }

    @Test("requests that reset all streams look at the channels once, and again when there is another one")
    func resetsOfAllStreams() throws {
        var link = try opened().link
        func resetAll() {
            let request = OutgoingResetRequest(
                requestNumber: link.b.association.reconfiguration.nextPeerRequest,
                responseNumber: ReconfigurationSequenceNumber(0),
                lastAssignedTSN: link.b.association.received.cumulative, streams: [])
            var packet = [UInt8](repeating: 0, count: 200)
            let size = packet.withUnsafeMutableBytes { memory in
                var writer = ByteWriter(memory)
                SCTPCommonHeader(
                    sourcePort: 5_000, destinationPort: 5_000, verificationTag: link.b.association.localTag
                ).write(to: &writer)
                ReconfigurationChunk(parameters: [.outgoingReset(request)]).write(to: &writer)
                SCTPCommonHeader.writeChecksum(into: writer.written)
                return writer.count
            }
            packet[..<size].withUnsafeBytes { link.b.receive($0.bytes, at: link.now) }
        }
        let incoming = link.b.slots.compactMap { $0?.id }
        resetAll()
        #expect(link.b.slotsVisitedByResets == 1)
        #expect(incoming.map { link.b.state(of: $0) } == [.closing])
        for _ in 0..<100 { resetAll() }
        #expect(link.b.slotsVisitedByResets == 1)
        let another = try link.b.open(DataChannelParameters(label: "y"), at: link.now)
        resetAll()
        #expect(link.b.slotsVisitedByResets == 3)
        #expect(link.b.state(of: another) == .closing)
    }
}

extension Array {
    fileprivate func randomElement(using random: SeededRandom) -> Element? {
        isEmpty ? nil : self[Int(random.next(below: UInt64(count)))]
    }
}
