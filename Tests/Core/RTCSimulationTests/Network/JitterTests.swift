import RTCSimulation
import RTCWire
import Testing

@Suite("A link's delay and jitter")
struct JitterTests {
    private func ages(_ jitter: Jitter, interval: TimeDelta, count: Int = 20_000) -> [Double] {
        let hosts = TwoHosts(LinkConditions(delay: .milliseconds(50), jitter: jitter))
        hosts.send(count: count, size: 4, interval: interval)
        return hosts.drain().map { $0.age.seconds * 1_000 }
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    private func deviation(_ values: [Double]) -> Double {
        let middle = mean(values)
        return (values.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / Double(values.count)).squareRoot()
    }

    @Test("is the same for each datagram without jitter")
    func delay() {
        #expect(Set(ages(.none, interval: .milliseconds(1), count: 100)) == [50])
    }

    @Test("is even between its ends")
    func uniform() {
        let ages = ages(.uniform(upTo: .milliseconds(20)), interval: .milliseconds(100))
        #expect(ages.allSatisfy { (50..<70).contains($0) })
        #expect(abs(mean(ages) - 60) < 0.2)
        #expect(abs(deviation(ages) - 20 / 12.0.squareRoot()) < 0.1)
        for decile in 0..<10 {
            let range = (50 + 2 * Double(decile))..<(52 + 2 * Double(decile))
            #expect((1_800...2_200).contains(ages.filter { range.contains($0) }.count))
        }
    }

    @Test("is bell-shaped around three deviations, within six")
    func normal() {
        let ages = ages(.normal(standardDeviation: .milliseconds(5)), interval: .milliseconds(100))
        #expect(ages.allSatisfy { (50...80).contains($0) })
        #expect(abs(mean(ages) - 65) < 0.2)
        #expect(abs(deviation(ages) - 5) < 0.15)
        let within = Double(ages.filter { (60...70).contains($0) }.count) / Double(ages.count)
        #expect(abs(within - 0.683) < 0.015)
    }

    @Test("keeps the order unless it may not")
    func order() {
        for keepsOrder in [true, false] {
            let hosts = TwoHosts(
                LinkConditions(jitter: .uniform(upTo: .milliseconds(20), keepsOrder: keepsOrder)))
            hosts.send(count: 1_000, interval: .milliseconds(1))
            let numbers = hosts.drain().map(\.number)
            #expect((numbers == Array(0..<1_000)) == keepsOrder)
            #expect(numbers.sorted() == Array(0..<1_000))
        }
    }

    @Test("lets a datagram that is held back be overtaken by as many as the time allows")
    func reordering() {
        var conditions = LinkConditions(delay: .milliseconds(10))
        conditions.reordering = Reordering(probability: 0.02, delay: .microseconds(3_500))
        let hosts = TwoHosts(conditions)
        hosts.send(count: 10_000, interval: .milliseconds(1))
        let deliveries = hosts.drain()
        let heldBack = deliveries.filter { $0.age == .microseconds(13_500) }
        #expect(deliveries.count == 10_000)
        #expect((150...250).contains(heldBack.count))
        #expect(hosts.network.statistics(of: hosts.link).heldBack == heldBack.count)
        #expect(deliveries.allSatisfy { $0.age == .milliseconds(10) || $0.age == .microseconds(13_500) })
        let first = heldBack[0]
        let place = deliveries.firstIndex { $0.number == first.number } ?? 0
        #expect(deliveries[place - 1].number > first.number)
    }
}
