import RTCWire
import Testing

@testable import RTCMedia

@Suite("The rate that the loss allows")
struct LossBasedRateTests {
    /// A sender at the limit, of packets of 1,200 bytes, whose feedback comes every 100 ms.
    private struct Sender {
        var lossBased = LossBasedRate()
        var now = Instant.zero
        /// The highest rate that is sent.
        var most = 10_000_000.0
        var isQueueing = false
        var isDraining = false
        static let minimum = 50_000.0
        private var credit = 0.0
        private var count = 0

        var rate: Double { min(max(lossBased.limit, Self.minimum), most) }

        /// Sends for `seconds`, of which every `period`th packet is lost.
        mutating func run(_ seconds: Double, losing period: Int?) {
            let end = now + .nanoseconds(Int64(seconds * 1e9))
            while now < end {
                now += .milliseconds(100)
                credit += rate / 9_600 * 0.1
                while credit >= 1 {
                    credit -= 1
                    count += 1
                    let isLost = period.map { count % $0 == 0 } ?? false
                    lossBased.add(TransportPacketResult(size: 1_200, sent: now, arrival: isLost ? nil : now))
                }
                _ = lossBased.update(
                    rate: rate, minimum: Self.minimum, roundTripTime: .milliseconds(50), isQueueing: isQueueing,
                    isDraining: isDraining, at: now)
            }
        }
    }

    @Test("stays at the minimum while all is lost for minutes, and recovers from it within half a minute")
    func floor() {
        var sender = Sender()
        sender.run(600, losing: 1)
        #expect(sender.lossBased.limit == Sender.minimum)
        sender.run(30, losing: nil)
        #expect(sender.lossBased.limit > 1_000_000, "\(sender.lossBased.limit)")
    }

    enum Interruption: CaseIterable {
        case queue, lowerRate, loss
    }

    @Test(
        "takes back what an interrupted trial has raised, and waits before the next one",
        arguments: Interruption.allCases)
    func interruptedTrial(by interruption: Interruption) throws {
        var sender = Sender()
        sender.most = 2_000_000
        // One in five lowers the limit once; one in twenty neither lowers nor raises it, except on trial.
        sender.run(0.4, losing: 5)
        let lowered = sender.lossBased.limit
        try #require(lowered.isFinite)
        for _ in 0..<10 {
            let before = sender.lossBased.limit
            for _ in 0..<100 where sender.lossBased.limit <= before { sender.run(0.1, losing: 20) }
            let raised = sender.lossBased.limit
            try #require(raised.isFinite)
            #expect(raised > before, "there was no trial")
            switch interruption {
            case .queue:
                sender.isQueueing = true
                sender.run(1, losing: 20)
                sender.isQueueing = false
            case .lowerRate:
                sender.most = raised / 1.5
                sender.run(1, losing: 20)
                sender.most = 2_000_000
            case .loss:
                // A queue that is drained: the limit is not lowered besides.
                sender.isDraining = true
                sender.run(1, losing: 5)
                sender.run(0.5, losing: 20)
                sender.isDraining = false
            }
            let after = sender.lossBased.limit
            #expect(after == before)
            // The next one comes after eight intervals of 0.4 s.
            sender.run(2, losing: 20)
            #expect(sender.lossBased.limit == after)
        }
        #expect(sender.lossBased.limit == lowered)
    }
}
