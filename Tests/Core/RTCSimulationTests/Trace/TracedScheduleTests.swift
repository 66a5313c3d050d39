import RTCSimulation
import RTCWire
import Testing

/// Calls over known schedules write traces, from which the schedules are made again.
@Suite("Schedules from traces")
struct TracedScheduleTests {
    /// The schedule of the trace that alice writes in a call over another one.
    private func retraced(_ text: String, seed: UInt64, seconds: Int) throws -> NetworkSchedule {
        let traced = try ReplayedCall(seed: seed, NetworkSchedule(text))
        traced.run(forSeconds: seconds)
        let made = TracedSchedule(title: "again", forward: TracedLink(try traced.readTrace(of: .alice)))
        if MediaReport.isWanted { print("seed \(seed):\n\(text)\n\(made.text)") }
        return try NetworkSchedule(made.text)
    }

    private func kilobits(_ schedule: NetworkSchedule, at second: Int64) -> Double {
        let conditions = schedule.conditions(.forward, at: .seconds(second))
        return Double(conditions.bandwidth?.bitsPerSecond ?? 0) / 1_000
    }

    private func isNear(_ value: Double, _ expected: Double, share: Double) -> Bool {
        abs(value - expected) <= expected * share
    }

    @Test(
        "A steady link: its rate within a tenth, its delay within 10 ms", arguments: [10, 40] as [Int64],
        Seeds.few.prefix(2))
    func steady(delay: Int64, seed: UInt64) throws {
        let made = try retraced("seconds 30\nat 0 both rate 2000 delay \(delay) queue 300\n", seed: seed, seconds: 30)
        for second: Int64 in [10, 20, 28] {
            let found = kilobits(made, at: second)
            #expect(isNear(found, 2_000, share: 0.1), "\(found) at \(second)")
        }
        for direction in NetworkSchedule.Direction.allCases {
            let found = made.conditions(direction, at: .seconds(20)).delay
            #expect(found > .milliseconds(delay - 10) && found < .milliseconds(delay + 10), "\(found.milliseconds)")
        }
        #expect(made.conditions(.forward, at: .seconds(20)).loss.expectedRate < 0.02)
        #expect(made.duration >= .seconds(29) && made.flows.map(\.kind) == [.media])
    }

    @Test("A fall and a rise: each rate within a tenth while the link was full", arguments: Seeds.few.prefix(2))
    func fallAndRise(seed: UInt64) throws {
        let made = try retraced(
            """
            seconds 60
            at 0 both rate 2400 delay 25 queue 400
            at 20 forward rate 600
            at 40 forward rate 2400
            """, seed: seed, seconds: 60)
        for (second, rate): (Int64, Double) in [(18, 2_400), (24, 600), (36, 600), (56, 2_400)] {
            let found = kilobits(made, at: second)
            #expect(isNear(found, rate, share: 0.1), "\(found) instead of \(rate) at \(second)")
        }
        // The fall is seen when the queue is, the rise when something larger has arrived.
        let fall = try #require(made.steps.first { ($0.conditions.bandwidth ?? .megabits(9)) < .kilobits(900) })
        #expect(fall.direction == .forward && fall.time > .seconds(19) && fall.time < .seconds(22))
        let rise = try #require(
            made.steps.first { $0.time > fall.time && ($0.conditions.bandwidth ?? .kilobits(0)) > .kilobits(900) })
        #expect(rise.time > .seconds(39) && rise.time < .seconds(52), "\(rise.time.seconds)")
    }

    @Test(
        "Losses: their share within two hundredths, their bursts told from single ones", arguments: [1, 6],
        Seeds.few.prefix(2))
    func losses(burst: Int, seed: UInt64) throws {
        let made = try retraced(
            """
            seconds 60
            at 0 both rate 3000 delay 25 queue 300
            at 30 forward loss 0.05 burst \(burst)
            """, seed: seed, seconds: 60)
        let before = made.conditions(.forward, at: .seconds(15)).loss.expectedRate
        let after = made.conditions(.forward, at: .seconds(50)).loss
        #expect(before < 0.02, "\(before)")
        // Of bursts, each five seconds have another share.
        let shares = (32...58).map { made.conditions(.forward, at: .seconds($0)).loss.expectedRate }
        let mean = shares.reduce(0, +) / Double(shares.count)
        #expect(abs(mean - 0.05) < 0.02, "\(mean)")
        switch after {
        case .gilbertElliott(_, let toGood, _, _):
            #expect(burst == 1 ? 1 / toGood < 2 : 1 / toGood > 2.5 && 1 / toGood < 12, "\(after)")
        case .random: #expect(burst == 1)
        case .none: Issue.record("no losses")
        }
    }

    @Test("Reordering: how many packets are late, and by how much", arguments: Seeds.few.prefix(2))
    func reordering(seed: UInt64) throws {
        let made = try retraced(
            "seconds 40\nat 0 both rate 3000 delay 25 queue 300 reorder 0.03 40\n", seed: seed, seconds: 40)
        let conditions = made.conditions(.forward, at: .seconds(30))
        #expect((0.01...0.05).contains(conditions.reordering.probability), "\(conditions.reordering)")
        #expect(
            conditions.reordering.delay > .milliseconds(15) && conditions.reordering.delay < .milliseconds(60),
            "\(conditions.reordering)")
        #expect(conditions.loss.expectedRate < 0.02)
    }

    @Test("A stall: when it was, and how long", arguments: Seeds.few.prefix(2))
    func stall(seed: UInt64) throws {
        let made = try retraced(
            """
            seconds 40
            at 0 both rate 2000 delay 25 queue 1200
            at 20 forward stall on
            at 21 forward stall off
            """, seed: seed, seconds: 40)
        let still = Bitrate(bitsPerSecond: 0)
        let begin = try #require(made.steps.firstIndex { $0.conditions.bandwidth == still })
        let direction = made.steps[begin].direction
        let end = try #require(
            made.steps[begin...].firstIndex { $0.direction == direction && $0.conditions.bandwidth != still })
        #expect(direction == .forward)
        let (from, to) = (made.steps[begin].time, made.steps[end].time)
        #expect(from > .milliseconds(19_500) && from < .milliseconds(20_500), "\(from.seconds)")
        #expect(to - from > .milliseconds(600) && to - from < .milliseconds(1_500), "\((to - from).seconds)")
        // That of the beginning does not count as one.
        #expect(made.steps.count { $0.conditions.bandwidth == still } == 1)
    }

    @Test("Missing feedback is a stall of the way back; with the other end's trace, that one counts")
    func feedback() throws {
        let text = """
            seconds 40
            at 0 both rate 2000 delay 25 queue 1200
            at 20 backward stall on
            at 21 backward stall off
            """
        let traced = try ReplayedCall(seed: 1, NetworkSchedule(text))
        traced.run(forSeconds: 40)
        let (one, other) = (TracedLink(try traced.readTrace(of: .alice)), TracedLink(try traced.readTrace(of: .bob)))
        let still = Bitrate(bitsPerSecond: 0)
        for backward in [nil, other] {
            let made = try NetworkSchedule(TracedSchedule(title: "", forward: one, backward: backward).text)
            let stalls = made.steps.filter { $0.conditions.bandwidth == still }
            #expect(stalls.map(\.direction) == [.backward], "\(backward == nil)")
            #expect(stalls.allSatisfy { $0.time > .milliseconds(19_500) && $0.time < .milliseconds(20_600) })
        }
        let both = try NetworkSchedule(TracedSchedule(title: "", forward: one, backward: other).text)
        let bandwidth = both.conditions(.backward, at: .seconds(15)).bandwidth
        #expect(isNear(Double(bandwidth?.bitsPerSecond ?? 0), 2_000_000, share: 0.1))
    }

    @Test("A trace without media is a link without limits")
    func empty() throws {
        let trace = try #require(CallTrace.calls(in: Array("# duet trace 1 5 5\n".utf8)).first)
        let made = try NetworkSchedule(TracedSchedule(title: "nothing", forward: TracedLink(trace)).text)
        #expect(made.title == "nothing" && made.conditions(.forward, at: .zero).bandwidth == nil)
    }
}
