import RTCTransport
import RTCWire
import Testing

@Suite("SCTP delivers everything once and in order")
struct SCTPReliabilityTests {
    /// Sends `count` messages of differing sizes on two ordered streams and, unordered, on a third.
    private func transfer(
        _ conditions: LinkConditions, count: Int, seed: UInt64, within: TimeDelta = .seconds(600)
    ) -> (first: [SCTPMessage], second: [SCTPMessage], unordered: [SCTPMessage], statistics: SCTPStatistics) {
        var link = SCTPLink(conditions: conditions, seed: seed)
        link.connect()
        _ = link.a.drain()
        let random = SeededRandom(seed: seed)
        var sent = 0
        var received: [[SCTPMessage]] = [[], [], []]
        link.run(for: within) { link in
            while sent < count {
                var bytes: [UInt8] = []
                bytes.append(bigEndian: UInt32(sent))
                bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: sent), count: Int(random.next(below: 8_000)))
                let message = SCTPMessage(
                    stream: UInt16(sent % 3), protocolIdentifier: UInt32(sent), isUnordered: sent % 3 == 2, bytes: bytes
                )
                guard (try? link.a.send(message, at: link.now)) != nil else { break }
                sent += 1
            }
            for message in link.b.drainMessages(at: link.now) { received[Int(message.stream)].append(message) }
        } until: { link in
            received.reduce(0) { $0 + $1.count } >= count && link.a.bufferedAmount == 0
        }
        for message in link.b.drainMessages(at: link.now) { received[Int(message.stream)].append(message) }
        return (received[0], received[1], received[2], link.a.statistics)
    }

    private func check(_ conditions: LinkConditions, count: Int = 120, seed: UInt64) {
        let result = transfer(conditions, count: count, seed: seed)
        let numbers = { (messages: [SCTPMessage]) in messages.map { Int($0.protocolIdentifier) } }
        #expect(numbers(result.first) == Array(stride(from: 0, to: count, by: 3)))
        #expect(numbers(result.second) == Array(stride(from: 1, to: count, by: 3)))
        #expect(numbers(result.unordered).sorted() == Array(stride(from: 2, to: count, by: 3)))
        for message in result.first + result.second + result.unordered {
            #expect(
                message.bytes.dropFirst(4).allSatisfy { $0 == UInt8(truncatingIfNeeded: message.protocolIdentifier) })
        }
    }

    @Test("over a perfect link")
    func perfect() {
        check(LinkConditions(), count: 300, seed: 1)
    }

    @Test("with 30 % loss, duplication and reordering at 300 ms round trip", arguments: 0..<12 as Range<UInt64>)
    func terrible(seed: UInt64) {
        check(.terrible, seed: seed)
    }

    @Test("with bursts of loss", arguments: 0..<8 as Range<UInt64>)
    func bursts(seed: UInt64) {
        check(
            LinkConditions(delay: .milliseconds(40), burstBegins: 0.03, burstGoesOn: 0.8), count: 300, seed: seed)
    }

    @Test("with reordering alone", arguments: 0..<6 as Range<UInt64>)
    func reordering(seed: UInt64) {
        check(LinkConditions(delay: .milliseconds(20), jitter: .milliseconds(50)), count: 300, seed: seed)
    }

    @Test("through a bottleneck with a short queue")
    func bottleneck() {
        check(
            LinkConditions(delay: .milliseconds(20), rate: .megabits(5), queueLimit: 30_000), count: 300, seed: 3)
    }

    @Test("both ways at once")
    func bothWays() {
        var link = SCTPLink(conditions: .terrible, seed: 4)
        link.connect()
        for number in 0..<60 as Range<UInt32> {
            let message = SCTPMessage(
                stream: 1, protocolIdentifier: number, bytes: [UInt8](repeating: 1, count: 3_000))
            #expect(throws: Never.self) {
                try link.a.send(message, at: link.now)
                try link.b.send(message, at: link.now)
            }
        }
        var toA: [UInt32] = []
        var toB: [UInt32] = []
        link.run(for: .seconds(300)) { link in
            toA += link.a.drainMessages(at: link.now).map(\.protocolIdentifier)
            toB += link.b.drainMessages(at: link.now).map(\.protocolIdentifier)
        } until: { _ in
            toA.count == 60 && toB.count == 60
        }
        #expect(toA == Array(0..<60))
        #expect(toB == Array(0..<60))
    }

    @Test("a path that dies for ten seconds and comes back")
    func outage() {
        var link = SCTPLink(seed: 5)
        link.connect()
        for number in 0..<200 as Range<UInt32> {
            #expect(throws: Never.self) {
                try link.a.send(
                    SCTPMessage(stream: 1, protocolIdentifier: number, bytes: [UInt8](repeating: 1, count: 5_000)),
                    at: link.now)
            }
        }
        var received: [UInt32] = []
        let take = { (link: inout SCTPLink) in
            received += link.b.drainMessages(at: link.now).map(\.protocolIdentifier)
        }
        link.run(for: .milliseconds(25), react: take)
        link.conditions.loss = 1
        link.run(for: .seconds(10), react: take)
        #expect(received.count < 200)
        link.conditions.loss = 0
        let back = link.now
        link.a.pathChanged(at: back)
        link.run(for: .seconds(30), react: take, until: { _ in received.count == 200 })
        #expect(received == Array(0..<200))
        #expect(link.now - back < .milliseconds(700))
    }

    @Test("no packet is larger than configured")
    func packetSize() {
        var configuration = SCTPConfiguration()
        configuration.maximumPacketSize = 1_000
        var link = SCTPLink(configuration: configuration)
        link.connect()
        for size in [1, 900, 971, 972, 973, 5_000, 100_000] {
            #expect(throws: Never.self) {
                try link.a.send(
                    SCTPMessage(stream: 0, protocolIdentifier: 1, bytes: [UInt8](repeating: 0, count: size)),
                    at: link.now)
            }
        }
        var sizes: [Int] = []
        link.run(for: .seconds(10)) { sizes += $0.b.drainMessages(at: $0.now).map(\.bytes.count) }
        #expect(sizes == [1, 900, 971, 972, 973, 5_000, 100_000])
        #expect(link.largestPacket == 1_000)
    }
}
