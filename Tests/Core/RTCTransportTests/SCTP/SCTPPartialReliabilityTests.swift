import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP partial reliability (RFC 3758)")
struct SCTPPartialReliabilityTests {
    private func message(_ number: UInt32, stream: UInt16 = 1, size: Int = 1_000, unordered: Bool = false)
        -> SCTPMessage
    {
        SCTPMessage(
            stream: stream, protocolIdentifier: number, isUnordered: unordered,
            bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
    }

    private func transfer(
        _ reliability: SCTPReliability, unordered: Bool, size: Int, seed: UInt64
    ) throws -> (received: [SCTPMessage], sender: SCTPStatistics, link: SCTPLink) {
        var link = SCTPLink(
            conditions: LinkConditions(delay: .milliseconds(50), jitter: .milliseconds(5), loss: 0.2), seed: seed)
        link.connect()
        var received: [SCTPMessage] = []
        for number in 0..<200 as Range<UInt32> {
            try link.a.send(message(number, size: size, unordered: unordered), reliability: reliability, at: link.now)
            link.run(for: .milliseconds(20)) { received += $0.b.drainMessages(at: $0.now) }
        }
        // A reliable message ends the transfer: whatever was given up does not hold it back.
        try link.a.send(message(1_000, stream: 1), at: link.now)
        link.run(for: .seconds(60), react: { received += $0.b.drainMessages(at: $0.now) }) {
            _ in received.last?.protocolIdentifier == 1_000
        }
        // FORWARD TSN may be lost several times in a row.
        link.run(for: .seconds(60), react: { received += $0.b.drainMessages(at: $0.now) }) { $0.a.bufferedAmount == 0 }
        link.run(for: .seconds(5)) { received += $0.b.drainMessages(at: $0.now) }
        return (received, link.a.statistics, link)
    }

    @Test("messages of no retransmission arrive whole, in order, or not at all", arguments: 0..<6 as Range<UInt64>)
    func noRetransmission(seed: UInt64) throws {
        let result = try transfer(.maxRetransmits(0), unordered: false, size: 1_000, seed: seed)
        let numbers = result.received.map(\.protocolIdentifier)
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.last == 1_000)
        #expect((20..<201).contains(numbers.count))
        #expect(result.sender.messagesAbandoned > 0)
        #expect(result.sender.chunksRetransmitted <= 20)
        #expect(result.link.a.bufferedAmount == 0)
    }

    @Test("large messages arrive whole or not at all", arguments: 0..<6 as Range<UInt64>, [true, false])
    func fragments(seed: UInt64, unordered: Bool) throws {
        let result = try transfer(.maxRetransmits(1), unordered: unordered, size: 6_000, seed: seed)
        let numbers = result.received.map(\.protocolIdentifier)
        if !unordered { #expect(numbers == numbers.sorted()) }
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.contains(1_000))
        for message in result.received where message.protocolIdentifier < 1_000 {
            #expect(message.bytes.count == 6_000)
            #expect(message.bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: message.protocolIdentifier) })
        }
        #expect(result.link.a.bufferedAmount == 0)
        #expect(result.link.b.window.buffered == 0)
        #expect(result.link.b.reassembly.itemCount == 0)
    }

    @Test("messages are given up when their time is over", arguments: 0..<6 as Range<UInt64>)
    func lifetime(seed: UInt64) throws {
        let result = try transfer(.maxLifetime(.milliseconds(200)), unordered: true, size: 3_000, seed: seed)
        #expect(result.received.contains { $0.protocolIdentifier == 1_000 })
        #expect(result.sender.messagesAbandoned > 0)
        #expect(result.link.a.bufferedAmount == 0)
    }

    @Test("a message that expires before it is sent costs no number")
    func expiresInQueue() throws {
        var link = SCTPLink()
        link.connect()
        link.conditions.loss = 1
        for number in 0..<20 as Range<UInt32> { try link.a.send(message(number), at: link.now) }
        for number in 20..<40 as Range<UInt32> {
            try link.a.send(message(number), reliability: .maxLifetime(.milliseconds(100)), at: link.now)
        }
        link.run(for: .milliseconds(300))
        link.conditions.loss = 0
        var received: [UInt32] = []
        link.run(for: .seconds(10)) { received += $0.b.drainMessages(at: $0.now).map(\.protocolIdentifier) }
        #expect(received == Array(0..<20))
        #expect(link.a.statistics.messagesAbandoned == 20)
        #expect(link.a.bufferedAmount == 0)
    }

    @Test("a message that is given up in the middle does not spoil the next")
    func expiresInTransmission() throws {
        var link = SCTPLink()
        link.connect()
        try link.a.send(
            message(1, size: 100_000), reliability: .maxLifetime(.milliseconds(15)), at: link.now)
        try link.a.send(message(2, size: 50_000), at: link.now)
        var received: [SCTPMessage] = []
        link.run(for: .seconds(10)) { received += $0.b.drainMessages(at: $0.now) }
        #expect(received.map(\.protocolIdentifier) == [2])
        #expect(received.map(\.bytes.count) == [50_000])
        #expect(link.b.window.buffered == 0)
        #expect(link.a.bufferedAmount == 0)
        #expect(link.a.statistics.messagesAbandoned == 1)
    }

    @Test("nothing that was sent is given up for a peer that knows no FORWARD TSN")
    func unsupported() throws {
        var link = SCTPLink(
            conditions: LinkConditions(delay: .milliseconds(50), loss: 0.2), seed: 3)
        link.connect()
        link.a.outstanding.mayAbandon = false
        for number in 0..<20 as Range<UInt32> {
            try link.a.send(message(number), reliability: .maxRetransmits(0), at: link.now)
        }
        var received: [UInt32] = []
        link.run(for: .seconds(60)) { received += $0.b.drainMessages(at: $0.now).map(\.protocolIdentifier) }
        #expect(received == Array(0..<20))
    }
}
