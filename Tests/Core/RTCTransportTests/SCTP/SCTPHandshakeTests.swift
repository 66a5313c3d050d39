import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP set-up")
struct SCTPHandshakeTests {
    private func pair(seed: UInt64 = 1) -> SCTPLink {
        SCTPLink(configuration: SCTPConfiguration(), seed: seed)
    }

    /// Carries packets from one end to the other, one at a time.
    @discardableResult
    private func carry(_ from: inout SCTPAssociation, _ to: inout SCTPAssociation, at now: Instant) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while true {
            let packet = from.transmit(at: now)
            if packet.isEmpty { return packets }
            packets.append(packet)
            to.deliver(packet, at: now)
        }
    }

    @Test("one end connects, the other answers")
    func oneSided() {
        var link = pair()
        link.a.connect(at: link.now)
        let isDone = link.run(for: .seconds(1), until: { $0.a.isEstablished && $0.b.isEstablished })
        #expect(isDone)
    }

    @Test("both ends send INIT at once, and one association comes of it")
    func collision() {
        var link = pair()
        let isConnected = link.connect()
        #expect(isConnected)
        #expect(link.now.nanoseconds <= TimeDelta.milliseconds(41).nanoseconds)
        #expect(link.a.peerTag == link.b.localTag)
        #expect(link.b.peerTag == link.a.localTag)
        let events = link.a.drain()
        #expect(events.count { if case .established = $0 { true } else { false } } == 1)
    }

    @Test("set-up with every second packet lost, in all orders", arguments: 0..<40 as Range<UInt64>)
    func lossy(seed: UInt64) {
        var link = pair(seed: seed)
        link.conditions = LinkConditions(
            delay: .milliseconds(20), jitter: .milliseconds(300), loss: 0.5, duplication: 0.3)
        let isConnected = link.connect()
        #expect(isConnected)
        link.run(for: .seconds(20))
        #expect(link.a.isEstablished && link.b.isEstablished)
        #expect(link.a.peerTag == link.b.localTag && link.b.peerTag == link.a.localTag)
    }

    @Test("data go along with COOKIE ECHO")
    func earlyData() throws {
        var link = pair()
        link.a.connect(at: link.now)
        try link.a.send(SCTPMessage(stream: 1, protocolIdentifier: 2, bytes: [3]), at: link.now)
        carry(&link.a, &link.b, at: link.now)  // INIT
        carry(&link.b, &link.a, at: link.now)  // INIT ACK
        let echo = carry(&link.a, &link.b, at: link.now)
        #expect(echo.count == 1)
        let messages = link.b.drainMessages(at: link.now)
        #expect(messages.map(\.bytes) == [[3]])
    }

    @Test("a forged or foreign cookie is dropped")
    func forgedCookie() {
        var link = pair()
        link.a.connect(at: link.now)
        carry(&link.a, &link.b, at: link.now)
        carry(&link.b, &link.a, at: link.now)
        let echo = link.a.transmit(at: link.now)
        for offset in 16..<36 {
            var forged = echo
            forged[offset] ^= 1
            forged.withUnsafeMutableBytes { SCTPCommonHeader.writeChecksum(into: $0) }
            link.b.deliver(forged, at: link.now)
            #expect(!link.b.isEstablished)
        }
        #expect(link.b.statistics.packetsDropped == 20)
        link.b.deliver(echo, at: link.now)
        #expect(link.b.isEstablished)
    }

    @Test("a stale cookie is refused, and the set-up begins again")
    func staleCookie() {
        var link = pair()
        link.a.connect(at: link.now)
        carry(&link.a, &link.b, at: link.now)
        carry(&link.b, &link.a, at: link.now)
        let late = link.now + .seconds(61)
        carry(&link.a, &link.b, at: late)
        #expect(!link.b.isEstablished)
        carry(&link.b, &link.a, at: late)  // ERROR
        carry(&link.a, &link.b, at: late)  // INIT
        carry(&link.b, &link.a, at: late)
        carry(&link.a, &link.b, at: late)
        carry(&link.b, &link.a, at: late)
        #expect(link.a.isEstablished && link.b.isEstablished)
    }

    @Test("INIT is repeated with growing gaps, and given up where a limit is set")
    func repetition() {
        var configuration = SCTPConfiguration()
        configuration.maximumInitRetransmissions = 4
        var link = SCTPLink(configuration: configuration)
        link.conditions.loss = 1
        link.a.connect(at: link.now)
        link.run(for: .seconds(60), until: { $0.a.hasEnded })
        #expect(link.packetsToB == 5)
        // 0.5 + 1 + 2 + 3 + 3 seconds.
        #expect(link.now.nanoseconds == TimeDelta.milliseconds(9_500).nanoseconds)
        guard case .failed(.timedOut)? = link.a.pollEvent() else {
            Issue.record("no failure")
            return
        }
    }

    @Test("a repeated COOKIE ECHO and a late INIT do no harm")
    func latePackets() {
        var link = pair()
        var packets: [[UInt8]] = []
        link.filter = { packet, isToB in
            if isToB { packets.append(packet) }
            return true
        }
        let isConnected = link.connect()
        #expect(isConnected)
        let tag = link.b.peerTag
        for packet in packets { link.b.deliver(packet, at: link.now) }
        link.run(for: .seconds(5))
        #expect(link.a.isEstablished && link.b.isEstablished)
        #expect(link.b.peerTag == tag)
    }

    @Test("a peer that begins anew ends the association")
    func restart() {
        var link = pair()
        let isConnected = link.connect()
        #expect(isConnected)
        _ = link.b.drain()
        link.a = SCTPAssociation(configuration: SCTPConfiguration(), random: SeededRandom(seed: 99))
        link.a.connect(at: link.now)
        link.run(for: .seconds(2))
        #expect(link.b.hasEnded)
        guard case .failed(.restarted)? = link.b.pollEvent() else {
            Issue.record("no failure")
            return
        }
    }

    @Test(
        "the checksum is left out when both ends offer it, and only then",
        arguments: [(true, true), (true, false), (false, true)])
    func zeroChecksum(a: Bool, b: Bool) {
        var one = SCTPConfiguration()
        one.zeroChecksum = a
        var other = SCTPConfiguration()
        other.zeroChecksum = b
        var link = SCTPLink(configuration: one, other: other)
        var withoutChecksum = 0
        var setUpWithout = 0
        link.filter = { packet, _ in
            if packet[8..<12].allSatisfy({ $0 == 0 }) {
                withoutChecksum += 1
                if packet[12] == SCTPChunkType.`init`.rawValue || packet[12] == SCTPChunkType.cookieEcho.rawValue {
                    setUpWithout += 1
                }
            }
            return true
        }
        let isConnected = link.connect()
        #expect(isConnected)
        try? link.a.send(SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [1]), at: link.now)
        link.run(for: .seconds(1))
        #expect((withoutChecksum > 0) == (a && b))
        #expect(setUpWithout == 0)
        let messages = link.b.drainMessages(at: link.now)
        #expect(messages.count == 1)
    }

    @Test("a wrong checksum, port or verification tag is dropped")
    func wrongPackets() throws {
        var configuration = SCTPConfiguration()
        configuration.zeroChecksum = false
        var link = SCTPLink(configuration: configuration)
        let isConnected = link.connect()
        #expect(isConnected)
        try link.a.send(SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [1]), at: link.now)
        let packet = link.a.transmit(at: link.now)
        let before = link.b.statistics.packetsDropped
        for offset in [0, 2, 5, 9, 20] {
            var wrong = packet
            wrong[offset] ^= 1
            if offset != 9 && offset != 20 { wrong.withUnsafeMutableBytes { SCTPCommonHeader.writeChecksum(into: $0) } }
            link.b.deliver(wrong, at: link.now)
        }
        #expect(link.b.statistics.packetsDropped == before + 5)
        let messages = link.b.drainMessages(at: link.now)
        #expect(messages.isEmpty)
        link.b.deliver(packet, at: link.now)
        let accepted = link.b.drainMessages(at: link.now)
        #expect(accepted.count == 1)
    }

    @Test("unknown chunks are skipped, reported, or end the packet, as their highest bits say")
    func unknownChunks() throws {
        for (type, continues, isReported) in [
            (0x20, false, false), (0x60, false, true), (0xA0, true, false), (0xE0, true, true),
        ] as [(UInt8, Bool, Bool)] {
            var link = pair()
            let isConnected = link.connect()
            #expect(isConnected)
            link.run(for: .seconds(1))
            try link.a.send(SCTPMessage(stream: 0, protocolIdentifier: 0, bytes: [1]), at: link.now)
            var packet = link.a.transmit(at: link.now)
            packet.insert(contentsOf: [type, 0, 0, 5, 1, 0, 0, 0], at: 12)
            packet.withUnsafeMutableBytes { SCTPCommonHeader.writeChecksum(into: $0) }
            link.b.deliver(packet, at: link.now)
            let messages = link.b.drainMessages(at: link.now)
            #expect(messages.isEmpty != continues)
            let answer = link.b.transmit(at: link.now)
            #expect((answer.count > 12 && answer[12] == SCTPChunkType.error.rawValue) == isReported)
        }
    }
}
