import RTCWire
import Testing

@testable import RTCMedia

@Suite("The rate that the loss allows")
struct LossBasedRateTests {
    /// A sender at the limit, of packets of 1,200 bytes, whose feedback comes every 100 ms.
    private struct Sender {
        var lossBased = LossBasedRate()
        var now = Instant.zero
        static let (minimum, maximum) = (50_000.0, 10_000_000.0)
        private var credit = 0.0
        private var count = 0

        var rate: Double { min(max(lossBased.limit, Self.minimum), Self.maximum) }

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
                    rate: rate, minimum: Self.minimum, roundTripTime: .milliseconds(50), isQueueing: false,
                    isDraining: false, at: now)
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
}
