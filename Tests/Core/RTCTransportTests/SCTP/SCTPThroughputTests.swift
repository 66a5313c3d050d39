import RTCTransport
import RTCWire
import Testing

@Suite("SCTP fills the link")
struct SCTPThroughputTests {
    /// Megabits of payload per second that arrive in the last `measured` of a bulk transfer.
    private func throughput(
        _ conditions: LinkConditions, window: Int, losing lost: Range<Int> = 0..<0, warmUp: TimeDelta,
        measured: TimeDelta
    ) -> (megabits: Double, statistics: SCTPStatistics) {
        var configuration = SCTPConfiguration()
        configuration.receiveWindow = window
        configuration.sendBufferLimit = 64 << 20
        var link = SCTPLink(configuration: configuration)
        link.conditions = conditions
        link.connect()
        var packets = 0
        link.filter = { _, isToB in
            if isToB { packets += 1 }
            return !isToB || !lost.contains(packets)
        }
        let payload = [UInt8](repeating: 1, count: 64 << 10)
        var bytes = 0
        let react = { (link: inout SCTPLink) in
            while link.a.unsentBytes(of: 0) < 1 << 20 {
                guard
                    (try? link.a.send(SCTPMessage(stream: 0, protocolIdentifier: 1, bytes: payload), at: link.now))
                        != nil
                else { break }
            }
            for message in link.b.drainMessages(at: link.now) { bytes += message.bytes.count }
        }
        link.run(for: warmUp, react: react)
        bytes = 0
        link.run(for: measured, react: react)
        return (Double(bytes) * 8 / measured.seconds / 1e6, link.a.statistics)
    }

    @Test("1 Gb/s with 1 ms of delay")
    func shortLink() {
        let result = throughput(
            LinkConditions(delay: .milliseconds(1), rate: .megabits(1_000), queueLimit: 1 << 20), window: 1 << 20,
            warmUp: .milliseconds(200), measured: .milliseconds(500))
        #expect(result.megabits > 850)
    }

    @Test("1 Gb/s with 100 ms round trip, when the windows allow it")
    func longLink() {
        let result = throughput(
            LinkConditions(delay: .milliseconds(50), rate: .megabits(1_000), queueLimit: 16 << 20), window: 16 << 20,
            warmUp: .seconds(2), measured: .seconds(1))
        #expect(result.megabits > 850)
    }

    @Test("1 Gb/s with 100 ms round trip, after a loss of thousands of packets at once")
    func overflow() {
        let result = throughput(
            LinkConditions(delay: .milliseconds(50), rate: .megabits(1_000), queueLimit: 12 << 20), window: 32 << 20,
            losing: 150_000..<153_000, warmUp: .seconds(4), measured: .seconds(1))
        #expect(result.statistics.chunksRetransmitted > 1_000)
        #expect(result.statistics.timeouts == 0)
        #expect(result.megabits > 850)
    }

    @Test("300 ms round trip with the default window")
    func defaultWindow() {
        let result = throughput(
            LinkConditions(delay: .milliseconds(150), rate: .megabits(100), queueLimit: 1 << 20), window: 1 << 20,
            warmUp: .seconds(5), measured: .seconds(5))
        // One window a round trip: 1 MiB in 300 ms.
        #expect(result.megabits > 24)
    }

    @Test("10 Mb/s with a queue of 100 ms, which it does not leave empty")
    func slowLink() {
        let result = throughput(
            LinkConditions(delay: .milliseconds(25), rate: .megabits(10), queueLimit: 125_000), window: 1 << 20,
            warmUp: .seconds(10), measured: .seconds(20))
        #expect(result.megabits > 8.5)
        #expect(result.statistics.timeouts == 0)
    }
}
