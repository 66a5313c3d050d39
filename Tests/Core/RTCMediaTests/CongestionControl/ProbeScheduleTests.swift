import RTCWire
import Testing

@testable import RTCMedia

@Suite("When the path is probed")
struct ProbeScheduleTests {
    private func conditions(
        _ target: Bitrate, useful: Bitrate = .megabits(5), isCalm: Bool = true, isLimited: Bool = true,
        isNear: Bool = true
    ) -> ProbeSchedule.Conditions {
        ProbeSchedule.Conditions(
            target: target, useful: useful, isCalm: isCalm, isLimited: isLimited, isNearCapacity: isNear)
    }

    /// The packets that were sent again for probes in `seconds`, by ms, with a picture of `size` bytes each 40 ms.
    private func probes(
        _ schedule: inout ProbeSchedule, size: Int, seconds: Int64, from start: Instant = .zero,
        _ conditions: ProbeSchedule.Conditions
    ) -> [(time: Int64, probe: ProbeSchedule.Probe)] {
        stride(from: Int64(0), to: seconds * 1_000, by: 40).compactMap { time in
            let now = start + .milliseconds(time)
            return schedule.next(size: size, packets: (size + 1_149) / 1_150, conditions, at: now).map { (time, $0) }
        }
    }

    @Test("large pictures are probes by themselves, once a second near the limit of the path")
    func large() {
        var schedule = ProbeSchedule()
        let found = probes(&schedule, size: 8_000, seconds: 10, conditions(.megabits(2)))
        #expect(found.count == 10 && found.allSatisfy { $0.probe.padding == 0 })
        var other = ProbeSchedule()
        #expect(probes(&other, size: 8_000, seconds: 10, conditions(.megabits(2), isNear: false)).isEmpty)
    }

    @Test("small pictures get packets behind them, in pairs that become rarer as long as nothing is found")
    func padded() throws {
        var schedule = ProbeSchedule()
        let found = probes(&schedule, size: 2_000, seconds: 30, conditions(.kilobits(500)))
        #expect((14...24).contains(found.count), "\(found.count)")
        let first = try #require(found.first)
        // A train has six packets, two of which are the picture's.
        #expect(first.probe.padding == 4 && (200...600).contains(first.probe.packetSize), "\(first)")
        for pair in stride(from: 0, to: found.count - 1, by: 2) {
            #expect(found[pair + 1].time - found[pair].time == 120, "\(pair)")
        }
        let last = found.suffix(3).map(\.time)
        #expect(zip(last, last.dropFirst()).contains { $1 - $0 >= 4_900 })
        // A target that falls to a half is a reason to look soon.
        let again = probes(&schedule, size: 1_000, seconds: 2, from: .milliseconds(30_000), conditions(.kilobits(250)))
        #expect(again.count >= 4, "\(again.count)")
    }

    @Test("a train takes twelve milliseconds and more at the rate of a probe")
    func long() throws {
        var schedule = ProbeSchedule()
        let next = schedule.next(size: 1_500, packets: 2, conditions(.megabits(4)), at: .zero)
        let probe = try #require(next)
        #expect(Double(1_500 + probe.padding * probe.packetSize) * 8 / (4_000_000 * 2.2) >= 0.0115, "\(probe)")
    }

    @Test("nothing is sent again while a queue stands, beyond what is useful, or where encoders fill the path")
    func refrains() {
        var schedule = ProbeSchedule()
        #expect(probes(&schedule, size: 2_000, seconds: 5, conditions(.kilobits(500), isCalm: false)).isEmpty)
        #expect(
            probes(&schedule, size: 2_000, seconds: 5, conditions(.megabits(1), useful: .megabits(1))).isEmpty)
        // Near the limit of the path, where encoders fill it.
        #expect(probes(&schedule, size: 2_000, seconds: 5, conditions(.kilobits(500), isLimited: false)).isEmpty)
        let unknown = conditions(.kilobits(500), isLimited: false, isNear: false)
        #expect(!probes(&schedule, size: 2_000, seconds: 5, unknown).isEmpty)
    }
}
