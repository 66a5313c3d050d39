import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP flow control, buffers and turns")
struct SCTPFlowControlTests {
    private func message(_ number: UInt32, stream: UInt16 = 0, size: Int = 10_000) -> SCTPMessage {
        SCTPMessage(stream: stream, protocolIdentifier: number, bytes: [UInt8](repeating: 0, count: size))
    }

    @Test("an application that does not read stops the peer, and loses nothing", arguments: 0..<6 as Range<UInt64>)
    func closedWindow(seed: UInt64) throws {
        var configuration = SCTPConfiguration()
        configuration.maximumMessageSize = 64 << 10
        configuration.receiveWindow = 128 << 10
        configuration.maximumRetransmissions = 5
        var link = SCTPLink(
            configuration: configuration, conditions: LinkConditions(delay: .milliseconds(10), loss: 0.05), seed: seed)
        link.connect()
        for number in 0..<50 as Range<UInt32> { try link.a.send(message(number), at: link.now) }
        var held: [SCTPMessage] = []
        let take = { (link: inout SCTPLink) in
            while let event = link.b.pollEvent() {
                if case .message(let message) = event { held.append(message) }
            }
        }
        // A minute in which nothing is consumed: many probes, all of them answered.
        link.run(for: .seconds(60), react: take)
        #expect(held.count * 10_000 <= configuration.grantedWindow)
        #expect(held.count * 10_000 >= 100_000)
        #expect(!link.a.hasEnded)
        let opened = link.now
        for message in held { link.b.consumed(message.bytes.count, at: link.now) }
        var count = held.count
        held = []
        link.run(
            for: .seconds(60),
            react: { link in
                take(&link)
                for message in held {
                    link.b.consumed(message.bytes.count, at: link.now)
                    count += 1
                }
                held = []
            }, until: { _ in count == 50 })
        #expect(count == 50)
        #expect(link.now - opened < .seconds(8))
    }

    @Test("the window opens at once when the application reads, not at the next probe")
    func windowUpdate() throws {
        var link = SCTPLink()
        link.connect()
        for number in 0..<150 as Range<UInt32> { try link.a.send(message(number), at: link.now) }
        var held: [SCTPMessage] = []
        link.run(for: .seconds(20)) { link in
            while let event = link.b.pollEvent() {
                if case .message(let message) = event { held.append(message) }
            }
        }
        #expect(held.count < 150)
        let start = link.now
        for message in held { link.b.consumed(message.bytes.count, at: link.now) }
        var count = held.count
        link.run(
            for: .seconds(20), react: { count += $0.b.drainMessages(at: $0.now).count }, until: { _ in count == 150 })
        #expect(count == 150)
        #expect(link.now - start < .milliseconds(200))
    }

    @Test("a message as large as is allowed arrives whatever the window is")
    func largestMessage() throws {
        var configuration = SCTPConfiguration()
        configuration.maximumMessageSize = 1 << 20
        configuration.receiveWindow = 1_500
        var link = SCTPLink(configuration: configuration)
        link.connect()
        for number in 0..<4 as Range<UInt32> { try link.a.send(message(number, size: 1 << 20), at: link.now) }
        var sizes: [Int] = []
        link.run(for: .seconds(20)) { sizes += $0.b.drainMessages(at: $0.now).map(\.bytes.count) }
        #expect(sizes == [1 << 20, 1 << 20, 1 << 20, 1 << 20])
    }

    @Test("a message that is larger ends the association")
    func tooLarge() throws {
        var link = SCTPLink()
        link.connect()
        try link.a.send(message(0, size: (256 << 10) + 1), at: link.now)
        link.run(for: .seconds(5))
        guard case .failed(.protocolViolation)? = link.b.drain().last,
            case .failed(.abortedByPeer)? = link.a.drain().last
        else {
            Issue.record("no failure")
            return
        }
    }

    @Test("the send buffer has a limit, and the low threshold tells when there is room")
    func sendBuffer() throws {
        var configuration = SCTPConfiguration()
        configuration.sendBufferLimit = 100_000
        var link = SCTPLink(configuration: configuration)
        link.connect()
        _ = link.a.drain()
        link.a.setBufferedAmountLowThreshold(30_000, of: 3)
        for number in 0..<10 as Range<UInt32> { try link.a.send(message(number, stream: 3), at: link.now) }
        #expect(link.a.bufferedAmount == 100_000)
        #expect(link.a.unsentBytes(of: 3) == 100_000)
        #expect(throws: SCTPSendError.bufferFull) { try link.a.send(message(10, stream: 3), at: link.now) }
        #expect(throws: SCTPSendError.tooLarge(limit: 100_000)) {
            try link.a.send(message(10, size: 100_001), at: link.now)
        }
        #expect(throws: SCTPSendError.empty) { try link.a.send(message(10, size: 0), at: link.now) }
        #expect(throws: SCTPSendError.streamUnavailable) { try link.a.send(message(10, stream: 65_535), at: link.now) }
        var lows: [Int] = []
        link.run(for: .seconds(5)) { link in
            for event in link.a.drain() {
                if case .bufferedAmountLow(stream: 3) = event { lows.append(link.a.unsentBytes(of: 3)) }
            }
            _ = link.b.drainMessages(at: link.now)
        }
        #expect(lows.count == 1)
        #expect((lows.first ?? .max) <= 30_000)
        #expect(link.a.bufferedAmount == 0)
    }

    @Test("streams take turns, in proportion to their weights")
    func turns() throws {
        var link = SCTPLink(
            conditions: LinkConditions(delay: .milliseconds(5), rate: .megabits(8), queueLimit: 50_000))
        link.connect()
        link.a.setWeight(512, of: 2)
        for number in 0..<300 as Range<UInt32> {
            for stream in 0..<3 as Range<UInt16> { try link.a.send(message(number, stream: stream), at: link.now) }
        }
        var bytes = [0, 0, 0]
        link.run(for: .seconds(3)) { link in
            for message in link.b.drainMessages(at: link.now) { bytes[Int(message.stream)] += message.bytes.count }
        }
        #expect(bytes.reduce(0, +) > 1_500_000)
        #expect(abs(bytes[0] - bytes[1]) <= 20_000)
        #expect(abs(bytes[2] - 2 * bytes[0]) <= 60_000)
    }

    @Test("control messages overtake what waits on other streams")
    func control() throws {
        var link = SCTPLink()
        link.connect()
        for number in 0..<300 as Range<UInt32> { try link.a.send(message(number), at: link.now) }
        try link.a.send(message(1_000, stream: 9, size: 10), isControl: true, at: link.now)
        var order: [UInt32] = []
        link.run(for: .seconds(10)) { order += $0.b.drainMessages(at: $0.now).map(\.protocolIdentifier) }
        #expect(order.count == 301)
        #expect((order.firstIndex(of: 1_000) ?? .max) <= 1)
    }

    @Test("a SACK leaves for every second packet, and after a delay for a single one")
    func delayedSack() throws {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        var before = link.packetsToA
        var start = link.now
        try link.a.send(message(0, size: 100), at: link.now)
        link.run(for: .milliseconds(100))
        #expect(link.packetsToA == before)
        let isAcknowledged = link.run(for: .milliseconds(200), until: { $0.a.bufferedAmount == 0 })
        #expect(isAcknowledged)
        #expect(link.now - start == .milliseconds(120))
        before = link.packetsToA
        start = link.now
        try link.a.send(message(0, size: 2_200), at: link.now)
        link.run(for: .milliseconds(50))
        #expect(link.packetsToA == before + 1)
        #expect(link.a.bufferedAmount == 0)
    }

    @Test("an idle association takes little memory and sends nothing")
    func idle() {
        var link = SCTPLink()
        link.connect()
        link.run(for: .seconds(1))
        let packets = link.packetsToA + link.packetsToB
        link.run(for: .seconds(25))
        #expect(link.packetsToA + link.packetsToB == packets)
        #expect(MemoryLayout<SCTPAssociation>.size < 2_048)
    }
}
