import RTCMedia
import RTCWire
import Testing

@Suite("Regular reports are scheduled")
struct RTCPSchedulerTests {
    /// The times between reports of `size` bytes.
    private func intervals(_ bandwidth: Bitrate, size: Int, count: Int = 2_000) -> [Double] {
        let random = SeededRandom(seed: 5)
        var scheduler = RTCPScheduler(sessionBandwidth: bandwidth)
        scheduler.start(at: .zero, random: random)
        var now = Instant.zero
        var intervals: [Double] = []
        for _ in 0..<count {
            intervals.append((scheduler.nextReport - now).seconds)
            now = scheduler.nextReport
            scheduler.reportSent(size: size, at: now, random: random)
        }
        return intervals
    }

    @Test("each half a second, more or less, when there is bandwidth")
    func usual() {
        let intervals = intervals(.megabits(2), size: 100)
        #expect(intervals[0] >= 0.125 && intervals[0] <= 0.375)
        #expect(intervals.dropFirst().allSatisfy { $0 >= 0.25 && $0 <= 0.75 })
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        #expect(abs(mean - 0.5) < 0.02)
    }

    @Test("in 5 % of a narrow session, and at least each 7.5 s")
    func narrow() {
        // 1,000 bit/s for two members, and packets of 128 bytes with UDP and IP: one in 2.048 s.
        let intervals = intervals(.kilobits(20), size: 100)
        let mean = intervals.dropFirst().reduce(0, +) / Double(intervals.count - 1)
        #expect(abs(mean - 2.048) < 0.1)
        #expect(self.intervals(Bitrate(bitsPerSecond: 0), size: 100).allSatisfy { $0 <= 7.5 })
    }

    @Test("not before the start and not after the end")
    func notRunning() {
        var scheduler = RTCPScheduler(sessionBandwidth: .megabits(1))
        #expect(scheduler.nextReport == .distantFuture)
        scheduler.start(at: .zero, random: SeededRandom(seed: 1))
        #expect(scheduler.nextReport < .zero + .seconds(1))
        scheduler.stop()
        #expect(scheduler.nextReport == .distantFuture)
    }
}
