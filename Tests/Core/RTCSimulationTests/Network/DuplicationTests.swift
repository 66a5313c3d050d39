import RTCSimulation
import RTCWire
import Testing

@Suite("A link's duplication and corruption")
struct DuplicationTests {
    @Test("deliver the asked-for part twice, unchanged")
    func duplication() {
        var conditions = LinkConditions(delay: .milliseconds(5))
        conditions.duplication = 0.1
        let hosts = TwoHosts(conditions)
        hosts.send(count: 10_000, size: 100)
        var counts = [Int](repeating: 0, count: 10_000)
        for delivery in hosts.drain() {
            #expect(delivery.payload.count == 100 && delivery.payload[99] == UInt8(truncatingIfNeeded: delivery.number))
            counts[delivery.number] += 1
        }
        #expect(counts.allSatisfy { $0 == 1 || $0 == 2 })
        let twice = counts.filter { $0 == 2 }.count
        #expect((900...1_100).contains(twice))
        #expect(hosts.network.statistics(of: hosts.link).duplicated == twice)
        #expect(hosts.network.statistics.delivered == 10_000 + twice)
    }

    @Test("invert one bit of the asked-for part")
    func corruption() {
        var conditions = LinkConditions.perfect
        conditions.corruption = 0.2
        let hosts = TwoHosts(conditions)
        let bytes = [UInt8](repeating: 0, count: 64)
        for _ in 0..<5_000 { hosts.send(bytes, at: .zero) }
        let bits = hosts.drain().map { $0.payload.reduce(0) { $0 + $1.nonzeroBitCount } }
        #expect(bits.allSatisfy { $0 <= 1 })
        #expect((900...1_100).contains(bits.filter { $0 == 1 }.count))
    }

    @Test("pass empty datagrams")
    func empty() {
        var conditions = LinkConditions.perfect
        conditions.corruption = 1
        conditions.duplication = 1
        let hosts = TwoHosts(conditions)
        hosts.send([], at: .zero)
        #expect(hosts.drain().map(\.payload) == [[], []])
    }
}
