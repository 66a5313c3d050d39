import RTCSimulation
import RTCWire
import Testing

@Suite("A link's bandwidth and queue")
struct BandwidthTests {
    @Test("is what arrives, when more is sent")
    func throughput() throws {
        // 4 Mbit/s are offered to 1 Mbit/s for ten seconds.
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1), queue: .bytes(30_000)))
        hosts.send(count: 4_167, interval: .microseconds(2_400))
        let deliveries = hosts.drain()
        let bits = deliveries.filter { $0.time <= .zero + .seconds(10) }.count * 1_200 * 8
        #expect((9_990_000...10_000_000).contains(bits))
        // Once the queue stands, datagrams leave at the link's rate exactly.
        let times = deliveries.suffix(500).map(\.time)
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier == .microseconds(9_600)) }
    }

    @Test("delays by the time that it takes to send one datagram")
    func serialization() {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1), delay: .milliseconds(20)))
        hosts.send(count: 1)
        #expect(hosts.drain().map(\.age) == [.microseconds(29_600)])
    }

    @Test("lets nothing wait when less is sent")
    func underload() {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1)))
        hosts.send(count: 100, interval: .milliseconds(10))
        #expect(hosts.drain().allSatisfy { $0.age == .microseconds(9_600) })
        #expect(hosts.network.statistics(of: hosts.link).longestQueue == 0)
    }

    @Test("builds a queue, whose delay is seen to grow and to shrink")
    func queueDelay() {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1), queue: .unlimited))
        hosts.send(count: 50)
        #expect(hosts.network.queuedBytes(on: hosts.link) == 49 * 1_200)
        hosts.send(count: 1, from: .zero + .milliseconds(240))
        let ages = hosts.drain().map(\.age)
        for (place, age) in ages.prefix(50).enumerated() { #expect(age == .microseconds(9_600) * Int64(place + 1)) }
        #expect(ages.last == .microseconds(9_600) * 51 - .milliseconds(240))
        #expect(hosts.network.queuedBytes(on: hosts.link) == 0)
    }

    @Test(
        "drops the newest when the queue is full",
        arguments: [
            QueueLimit.bytes(12_000), .datagrams(10), .time(.milliseconds(96)),
        ])
    func dropTail(limit: QueueLimit) {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1), queue: limit))
        hosts.send(count: 100)
        // One is being sent and ten wait.
        #expect(hosts.drain().map(\.number) == Array(0...10))
        let statistics = hosts.network.statistics(of: hosts.link)
        #expect(statistics.queueFull == 89)
        #expect(statistics.entered == 100 && statistics.passed == 11)
        #expect(statistics.longestQueue == 12_000)
    }

    @Test("applies to what waits, as soon as it changes")
    func change() {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1), queue: .unlimited))
        hosts.send(count: 11)
        // One has left and the second is restarted at ten times the rate.
        #expect(hosts.network.pollDelivery(at: .zero + .microseconds(9_600))?.number == 0)
        hosts.network.setConditions(LinkConditions(bandwidth: .megabits(10), queue: .unlimited), on: hosts.link)
        let times = hosts.drain().map(\.time)
        #expect(times == (1...10).map { .zero + .microseconds(9_600 + 960 * $0) })
    }

    @Test("of zero holds everything until it changes")
    func standstill() {
        let hosts = TwoHosts(LinkConditions(bandwidth: Bitrate(bitsPerSecond: 0), queue: .unlimited))
        hosts.send(count: 3)
        #expect(hosts.network.pollDelivery(at: .zero + .seconds(3_600)) == nil)
        hosts.network.setConditions(.perfect, on: hosts.link)
        #expect(hosts.drain().map(\.time) == [Instant](repeating: .zero + .seconds(3_600), count: 3))
    }

    @Test("counts headers")
    func overhead() {
        var conditions = LinkConditions(bandwidth: .megabits(1))
        conditions.overhead = 0
        let hosts = TwoHosts(conditions)
        hosts.send(count: 1, size: 1_250)
        #expect(hosts.drain().map(\.age) == [.milliseconds(10)])
    }

    @Test("is each link's own: the narrowest decides")
    func bottleneck() {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(2), queue: .unlimited))
        hosts.network.setConditions(
            LinkConditions(bandwidth: .megabits(1), queue: .unlimited), on: hosts.bobInterface.downlink)
        hosts.send(count: 20)
        let times = hosts.drain().map(\.time)
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier == .microseconds(9_600)) }
        #expect(times.first == Instant.zero + .microseconds(4_800 + 9_600))
    }

    @Test("refuses what is larger than the path's MTU")
    func tooLarge() {
        var conditions = LinkConditions.perfect
        conditions.maximumDatagramSize = 1_200
        let hosts = TwoHosts(conditions)
        hosts.send(count: 1, size: 1_201)
        hosts.send(count: 1, size: 1_200)
        #expect(hosts.drain().count == 1)
        #expect(hosts.network.statistics(of: hosts.link).tooLarge == 1)
    }
}
