import RTCSimulation
import RTCWire
import Testing

@Suite("A network's repeatability")
struct DeterminismTests {
    private static var rough: LinkConditions {
        var conditions = LinkConditions(
            bandwidth: .megabits(3), delay: .milliseconds(20),
            jitter: .normal(standardDeviation: .milliseconds(4), keepsOrder: false),
            loss: .bursts(rate: 0.05, meanLength: 4), queue: .bytes(40_000))
        conditions.reordering = Reordering(probability: 0.01, delay: .milliseconds(30))
        conditions.duplication = 0.02
        conditions.corruption = 0.02
        return conditions
    }

    private func run(seed: UInt64) -> [SimulatedNetwork.Delivery] {
        let hosts = TwoHosts(seed: seed, Self.rough)
        hosts.send(count: 5_000, interval: .milliseconds(3))
        return hosts.drain()
    }

    private func isSame(_ one: [SimulatedNetwork.Delivery], _ other: [SimulatedNetwork.Delivery]) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy {
                $0.time == $1.time && $0.payload == $1.payload && $0.source == $1.source
            }
    }

    @Test("gives the same deliveries for the same seed, byte for byte")
    func sameSeed() {
        #expect(isSame(run(seed: 7), run(seed: 7)))
        #expect(!isSame(run(seed: 7), run(seed: 8)))
    }

    @Test("does not depend on how often it is polled")
    func polling() {
        let hosts = TwoHosts(seed: 3, Self.rough)
        var deliveries: [SimulatedNetwork.Delivery] = []
        for number in 0..<5_000 {
            var bytes: [UInt8] = []
            bytes.append(bigEndian: UInt32(number))
            hosts.send(bytes, at: .zero + .milliseconds(3) * Int64(number))
            while let delivery = hosts.network.pollDelivery(at: .zero + .milliseconds(3) * Int64(number)) {
                deliveries.append(delivery)
            }
        }
        deliveries += hosts.drain()
        let other = TwoHosts(seed: 3, Self.rough)
        other.send(count: 5_000, size: 4, interval: .milliseconds(3))
        #expect(isSame(deliveries, other.drain()))
    }

    @Test("leaves a link's luck alone when another link is added")
    func independence() {
        let hosts = TwoHosts(seed: 5, Self.rough)
        let stranger = hosts.network.addHost()
        let interface = hosts.network.addInterface(to: stranger, address: IPAddress(192, 0, 2, 77))
        hosts.network.setConditions(Self.rough, on: interface.uplink)
        for number in 0..<100 {
            hosts.network.send(
                [UInt8(number)], from: stranger, source: TransportAddress(ip: IPAddress(192, 0, 2, 77), port: 1),
                to: TransportAddress(ip: IPAddress(192, 0, 2, 78), port: 1), at: .zero)
        }
        hosts.send(count: 5_000, interval: .milliseconds(3))
        let other = TwoHosts(seed: 5, Self.rough)
        other.send(count: 5_000, interval: .milliseconds(3))
        #expect(isSame(hosts.drain(), other.drain()))
    }

    @Test("holds for a copy, which goes on like the original")
    func copy() {
        let hosts = TwoHosts(seed: 9, Self.rough)
        hosts.send(count: 1_000, interval: .milliseconds(3))
        let copy = TwoHosts(seed: 9, Self.rough)
        copy.network = hosts.network
        hosts.send(count: 1_000, interval: .milliseconds(3), from: .zero + .seconds(3))
        copy.send(count: 1_000, interval: .milliseconds(3), from: .zero + .seconds(3))
        #expect(isSame(hosts.drain(), copy.drain()))
    }

    @Test("shows in the fingerprint of what was sent")
    func fingerprint() {
        func fingerprint(_ payload: UInt8, at time: Instant) -> UInt64 {
            let hosts = TwoHosts()
            hosts.send([1, 2, 3, payload], at: time)
            return hosts.network.trafficFingerprint
        }
        #expect(fingerprint(4, at: .zero) == fingerprint(4, at: .zero))
        #expect(fingerprint(4, at: .zero) != fingerprint(5, at: .zero))
        #expect(fingerprint(4, at: .zero) != fingerprint(4, at: .zero + .nanoseconds(1)))
    }

    @Test("clamps times that run backwards, and hands over in order of time")
    func backwards() {
        let hosts = TwoHosts(LinkConditions(delay: .milliseconds(1)))
        hosts.send([1], at: .zero + .seconds(1))
        hosts.send([2], at: .zero)
        let deliveries = hosts.drain()
        #expect(deliveries.map(\.payload) == [[1], [2]])
        #expect(deliveries.map(\.time) == [Instant](repeating: .zero + .milliseconds(1_001), count: 2))
    }

    @Test("takes seconds for an hour of traffic, and memory for what is under way only")
    func hour() {
        let hosts = TwoHosts(seed: 1, Self.rough)
        let bytes = [UInt8](repeating: 1, count: 1_000)
        var delivered = 0
        var most = 0
        // One hour at 250 datagrams a second.
        for number in 0..<900_000 {
            let now = Instant.zero + .milliseconds(4) * Int64(number)
            hosts.send(bytes, at: now)
            while let delivery = hosts.network.pollDelivery(at: now) {
                delivered += 1
                hosts.network.recycle(delivery)
            }
            most = max(most, hosts.network.datagramsUnderWay)
        }
        #expect((850_000...900_000).contains(delivered))
        #expect(most < 100)
    }
}
