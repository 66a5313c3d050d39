import Foundation
import RTCSimulation
import RTCWire
import Testing

@Suite("Schedules of networks")
struct NetworkScheduleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Networks").standardized

    private static let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".txt") }.sorted()

    @Test("All that a real link follows can be simulated")
    func all() throws {
        let names = try #require(Self.names)
        #expect(names.count >= 15)
        for name in names {
            let schedule = try NetworkSchedule(String(contentsOf: Self.folder.appending(path: name), encoding: .utf8))
            #expect(!schedule.title.isEmpty && !schedule.flows.isEmpty, "\(name)")
        }
    }

    @Test("RFC 8867, 5.1: what its table says")
    func variableCapacity() throws {
        let schedule = try NetworkSchedule(
            String(contentsOf: Self.folder.appending(path: "rfc8867-5.1.txt"), encoding: .utf8))
        #expect(schedule.duration == .seconds(100))
        for (second, kilobits): (Int64, Int64) in [(0, 1_000), (39, 1_000), (40, 2_500), (60, 600), (80, 1_000)] {
            let conditions = schedule.conditions(.forward, at: .seconds(second))
            #expect(conditions.bandwidth == .kilobits(kilobits))
            #expect(conditions.delay == .milliseconds(50))
            #expect(conditions.queue == .bytes(Int(kilobits) * 300 / 8))
        }
        #expect(schedule.conditions(.backward, at: .seconds(99)).bandwidth == .kilobits(4_000))
        #expect(schedule.flows.map(\.kind) == [.media])
    }

    @Test("Everything that a line can say")
    func words() throws {
        let schedule = try NetworkSchedule(
            """
            title  Everything  # and a comment
            seconds 9.5

            at 0 both rate 1000 queuebytes 20000 jitter 4 loss 0.1 burst 5 reorder 0.02 30 policer 500 9000 mark none
            at 1.5 backward rate none queue 100 loss 0 reorder none policer none stall on
            at 2 backward stall off
            flow tcp from 1 to 2.5 direction forward delay 7
            """)
        #expect(schedule.title == "Everything" && schedule.duration == .milliseconds(9_500))
        var expected = LinkConditions(
            bandwidth: .kilobits(1_000), jitter: .uniform(upTo: .milliseconds(4)),
            loss: .bursts(rate: 0.1, meanLength: 5),
            queue: .bytes(20_000))
        expected.reordering = Reordering(probability: 0.02, delay: .milliseconds(30))
        expected.policer = Policer(rate: .kilobits(500), burst: 9_000)
        #expect(schedule.conditions(.forward, at: .seconds(9)) == expected)
        #expect(schedule.conditions(.backward, at: .milliseconds(1_499)) == expected)
        let stalled = schedule.conditions(.backward, at: .milliseconds(1_500))
        #expect(stalled.bandwidth == Bitrate(bitsPerSecond: 0) && stalled.queue == .bytes(12_500_000))
        #expect(stalled.loss == .none && stalled.reordering == .none && stalled.policer == nil)
        #expect(schedule.conditions(.backward, at: .seconds(2)).bandwidth == nil)
        let flow = try #require(schedule.flows.first)
        #expect(flow.kind == .tcp && flow.begin == .seconds(1) && flow.end == .milliseconds(2_500))
        #expect(flow.directions == [.forward] && flow.delay == .milliseconds(7))
    }

    @Test(
        "What is wrong is said with its line",
        arguments: [
            "at 1 both speed 7", "at 1 both rate", "at 1 both rate fast", "at 1 sideways rate 7",
            "at 1 both reorder 0.1",
            "at 1 both stall", "at 1 both stall perhaps", "at 1 both mark 5", "at 0 both rate -7",
            "flow water from 1 to 2",
            "speed 7", "at",
        ])
    func refused(line: String) {
        #expect { try NetworkSchedule("seconds 9\nat 0 both rate 1000\n\(line)\n") } throws: { error in
            (error as? NetworkScheduleError)?.line == 3
        }
        #expect(throws: NetworkScheduleError.self) { try NetworkSchedule("seconds 9\nat 1 both rate 1000\n") }
        #expect(throws: NetworkScheduleError.self) { try NetworkSchedule("at 0 both rate 1000\n") }
    }

    @Test("A network follows one: rates change at their time, and a stall loses nothing")
    func followed() throws {
        let schedule = try NetworkSchedule(
            """
            seconds 9
            at 0 both rate 1000 delay 20 queue 400
            at 1 forward rate 500
            at 2 forward stall on
            at 2.3 forward stall off rate 2000
            """)
        let hosts = TwoHosts()
        let start = Instant.zero + .milliseconds(100)
        hosts.network.follow(
            schedule, from: start, forward: hosts.link, backward: hosts.bobInterface.uplink)
        // 400 kbit/s in datagrams of 1,200 bytes with their headers: one each 24 ms.
        hosts.send(count: 120, interval: .milliseconds(24), from: start)
        let deliveries = hosts.drain()
        #expect(deliveries.map(\.number) == Array(0..<120))
        for delivery in deliveries {
            let sent = delivery.sent - start
            if sent < .milliseconds(990) {
                #expect(delivery.age == .microseconds(29_600))
            } else if (TimeDelta.milliseconds(1_010)..<TimeDelta.milliseconds(1_970)).contains(sent) {
                #expect(delivery.age == .microseconds(39_200))
            } else if sent > .milliseconds(2_400) {
                #expect(delivery.age == .microseconds(24_800))
            }
        }
        // Those of the stall leave at the new rate when it ends.
        let times = deliveries.map { $0.time - start }
        #expect(!times.contains { $0 > .milliseconds(2_020) && $0 < .milliseconds(2_324) })
        #expect(times.contains(.microseconds(2_324_800)))
    }

    @Test("A policer lets its rate and its burst pass, and delays nothing")
    func policer() {
        var conditions = LinkConditions(delay: .milliseconds(5))
        conditions.policer = Policer(rate: .megabits(1), burst: 12_000)
        let hosts = TwoHosts(conditions)
        // 2 Mbit/s for three seconds.
        hosts.send(count: 625, interval: .microseconds(4_800))
        let deliveries = hosts.drain()
        #expect(deliveries.allSatisfy { $0.age == .milliseconds(5) })
        // The bucket holds ten at first, and then every other passes.
        #expect(deliveries.count == 321 || deliveries.count == 322)
        #expect(hosts.network.statistics(of: hosts.link).policed == 625 - deliveries.count)
    }
}
