import RTCTransport
import RTCWire
import Testing

@Suite("SCTP shutdown and abort")
struct SCTPShutdownTests {
    private func isClosed(_ events: [SCTPEvent]) -> Bool {
        if case .closed? = events.last { true } else { false }
    }

    @Test("shutdown sends what waits first", arguments: 0..<10 as Range<UInt64>)
    func shutdown(seed: UInt64) throws {
        var link = SCTPLink(conditions: .terrible, seed: seed)
        link.connect()
        for number in 0..<20 as Range<UInt32> {
            try link.a.send(
                SCTPMessage(stream: 1, protocolIdentifier: number, bytes: [UInt8](repeating: 0, count: 4_000)),
                at: link.now)
        }
        link.a.shutdown(at: link.now)
        #expect(throws: SCTPSendError.closed) {
            try link.a.send(SCTPMessage(stream: 1, protocolIdentifier: 0, bytes: [1]), at: link.now)
        }
        var events: [SCTPEvent] = []
        link.run(for: .seconds(60), react: { events += $0.b.drain() }, until: { $0.a.hasEnded && $0.b.hasEnded })
        let messages = events.count { if case .message = $0 { true } else { false } }
        // The guard timer may cut a shutdown off on such a link, and its ABORT be lost.
        if isClosed(events) { #expect(messages == 20) }
        #expect(link.a.hasEnded)
    }

    @Test("both ends shut down at once")
    func bothAtOnce() {
        var link = SCTPLink()
        link.connect()
        link.a.shutdown(at: link.now)
        link.b.shutdown(at: link.now)
        let isDone = link.run(for: .seconds(5), until: { $0.a.hasEnded && $0.b.hasEnded })
        #expect(isDone)
        let events = link.a.drain()
        let events2 = link.b.drain()
        #expect(isClosed(events) && isClosed(events2))
    }

    @Test("a shutdown that is not answered ends after the guard time")
    func unanswered() {
        var link = SCTPLink()
        link.connect()
        link.conditions.loss = 1
        let start = link.now
        link.a.shutdown(at: link.now)
        let isDone = link.run(for: .seconds(60), until: { $0.a.hasEnded })
        #expect(isDone)
        #expect(link.now - start == .seconds(15))
        guard case .failed(.timedOut)? = link.a.drain().last else {
            Issue.record("no failure")
            return
        }
    }

    @Test("abort tells the peer")
    func abort() {
        var link = SCTPLink()
        link.connect()
        link.a.abort(at: link.now)
        link.run(for: .seconds(1))
        guard case .failed(.aborted)? = link.a.drain().last,
            case .failed(.abortedByPeer(cause: 12))? = link.b.drain().last
        else {
            Issue.record("no failure")
            return
        }
        #expect(link.a.nextDeadline == nil && link.b.nextDeadline == nil)
    }

    @Test("an association that has ended says and takes nothing")
    func ended() {
        var link = SCTPLink()
        link.connect()
        var packets: [[UInt8]] = []
        link.filter = { packet, _ in
            packets.append(packet)
            return true
        }
        try? link.b.send(SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [1]), at: link.now)
        link.run(for: .seconds(1))
        link.a.abort(at: link.now)
        _ = link.a.transmit(at: link.now)
        _ = link.a.drain()
        for packet in packets { link.a.deliver(packet, at: link.now) }
        let events = link.a.drain()
        #expect(events.isEmpty)
        let packet = link.a.transmit(at: link.now)
        #expect(packet.isEmpty)
    }

    @Test("a shutdown goes on when what waited last expires")
    func expired() throws {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        try link.a.send(
            SCTPMessage(stream: 1, protocolIdentifier: 0, bytes: [1]), reliability: .maxLifetime(.milliseconds(10)),
            at: link.now)
        link.a.shutdown(at: link.now)
        let packet = link.a.transmit(at: link.now + .milliseconds(20))
        #expect(packet.count >= 20 && packet[12] == 7)
        link.run(for: .seconds(5), until: { $0.a.hasEnded })
        #expect(isClosed(link.a.drain()) || !link.a.hasEnded)
    }

    @Test("a peer that is silent for too long is given up where a limit is set, and not otherwise")
    func silence() throws {
        for limit in [5, nil] as [Int?] {
            var configuration = SCTPConfiguration()
            configuration.maximumRetransmissions = limit
            var link = SCTPLink(configuration: configuration)
            link.connect()
            link.conditions.loss = 1
            try link.a.send(SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [1]), at: link.now)
            link.run(for: .seconds(600))
            #expect(link.a.hasEnded == (limit != nil))
        }
    }

    @Test("an idle association asks now and then, and measures the path")
    func heartbeat() {
        var link = SCTPLink()
        link.connect()
        let before = link.packetsToB
        link.run(for: .seconds(100))
        #expect((2...8).contains(link.packetsToB - before))
        #expect(link.a.statistics.smoothedRoundTripTime == .milliseconds(20))
    }
}
