import RTCSimulation
import RTCWire
import Testing

@Suite("A link's loss")
struct LossTests {
    private static let count = 200_000

    /// The numbers that are missing at the receiver.
    private func losses(_ model: LossModel, seed: UInt64 = 1) -> (rate: Double, bursts: [Int]) {
        let hosts = TwoHosts(seed: seed, LinkConditions(loss: model))
        hosts.send(count: Self.count, size: 4)
        let arrived = Set(hosts.drain().map(\.number))
        var bursts: [Int] = []
        var length = 0
        for number in 0..<Self.count {
            if arrived.contains(number) {
                if length > 0 { bursts.append(length) }
                length = 0
            } else {
                length += 1
            }
        }
        #expect(hosts.network.statistics(of: hosts.link).lost == Self.count - arrived.count)
        return (Double(Self.count - arrived.count) / Double(Self.count), bursts)
    }

    @Test("has the rate that was asked for, one datagram like the other", arguments: [0.01, 0.05, 0.3])
    func random(rate: Double) {
        let losses = losses(.random(rate))
        #expect(abs(losses.rate - rate) < 0.1 * rate)
        // Without memory the bursts are as long as chance makes them: 1 / (1 − rate).
        let mean = Double(losses.bursts.reduce(0, +)) / Double(losses.bursts.count)
        #expect(abs(mean - 1 / (1 - rate)) < 0.02)
    }

    @Test(
        "of Gilbert and Elliott has the rate and the bursts that were asked for",
        arguments: [
            (0.02, 3.0), (0.05, 8.0), (0.3, 5.0),
        ])
    func gilbert(rate: Double, length: Double) {
        let model = LossModel.bursts(rate: rate, meanLength: length)
        #expect(abs(model.expectedRate - rate) < 1e-9)
        let losses = losses(model)
        #expect(abs(losses.rate - rate) < 0.1 * rate)
        let mean = Double(losses.bursts.reduce(0, +)) / Double(losses.bursts.count)
        #expect(abs(mean - length) < 0.1 * length)
        // The lengths are geometrically distributed: so many end after the first datagram.
        let single = Double(losses.bursts.filter { $0 == 1 }.count) / Double(losses.bursts.count)
        #expect(abs(single - 1 / length) < 0.05)
    }

    @Test("of Gilbert and Elliott spares some in the bad state and takes some in the good one")
    func elliott() {
        let model = LossModel.gilbertElliott(toBad: 0.01, toGood: 0.1, lossWhenGood: 0.001, lossWhenBad: 0.5)
        let losses = losses(model)
        #expect(abs(losses.rate - model.expectedRate) < 0.1 * model.expectedRate)
        let mean = Double(losses.bursts.reduce(0, +)) / Double(losses.bursts.count)
        #expect((1.5...2).contains(mean))
    }

    @Test("is none or everything at the ends")
    func extremes() {
        #expect(losses(.none).rate == 0)
        #expect(losses(.random(0)).rate == 0)
        #expect(losses(.random(1)).rate == 1)
    }

    @Test("costs bandwidth: it happens behind the queue")
    func behindTheQueue() {
        let hosts = TwoHosts(LinkConditions(bandwidth: .megabits(1), loss: .random(0.5), queue: .unlimited))
        hosts.send(count: 100)
        let deliveries = hosts.drain()
        for delivery in deliveries { #expect(delivery.age == .microseconds(9_600) * Int64(delivery.number + 1)) }
        #expect((30...70).contains(deliveries.count))
    }
}
