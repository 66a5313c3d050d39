import RTCPeer
import RTCSimulation
import RTCWire
import Testing

@Suite("A path that narrows, with a second one beside it that does not answer")
struct NarrowingInDoubtTests {
    struct Case: CustomTestStringConvertible {
        var usual: Bitrate
        var video: Bitrate
        var direction: TwoPathCall.Direction

        var testDescription: String {
            "\(video.bitsPerSecond / 1_000) on \(usual.bitsPerSecond / 1_000) kbit/s, \(direction)"
        }
        /// The bitrate of the path from some moment on.
        var narrow: Bitrate { Bitrate(bitsPerSecond: usual.bitsPerSecond / 8) }

        static let all = [
            Case(usual: .megabits(4), video: .megabits(3), direction: .toBob),
            Case(usual: .megabits(4), video: .megabits(3), direction: .both),
            Case(usual: .megabits(4), video: .megabits(1), direction: .both),
            Case(usual: .megabits(2), video: .kilobits(1_500), direction: .both),
            Case(usual: .megabits(1), video: .kilobits(700), direction: .toBob),
        ]
    }

    @Test(
        "The rate follows the path's own feedback, though sound is copied to the other path meanwhile",
        arguments: Case.all, Seeds.few.prefix(3))
    func narrows(_ test: Case, seed: UInt64) throws {
        let alone = try Self.fall(test, seed: seed, hasSecondPath: false)
        let doubted = try Self.fall(test, seed: seed, hasSecondPath: true)
        if MediaReport.isWanted {
            print(
                "\(test.testDescription), seed \(seed): slowed after \(alone.milliseconds) ms alone,",
                "\(doubted.milliseconds) ms in doubt")
        }
        // The two calls differ in when their frames and feedback leave; by missing feedback alone it took 900 to 1,400 ms
        // longer.
        #expect(
            doubted <= alone + .milliseconds(500), "\(doubted.milliseconds) ms instead of \(alone.milliseconds) ms")
    }

    /// The time after the path has become narrow until the sender allows at most 1.2 times its bitrate.
    private static func fall(_ test: Case, seed: UInt64, hasSecondPath: Bool) throws -> TimeDelta {
        let two = try TwoPathCall(seed: seed)
        for link in two.call.uplinks + [two.first.uplink] {
            var conditions = two.pair.network.conditions(of: link)
            conditions.bandwidth = test.usual
            two.pair.network.setConditions(conditions, on: link)
        }
        for index in two.call.cameras.indices { two.call.cameras[index].bitrate = test.video }
        if !hasSecondPath { two.pair.network.setBlocked(true, between: two.secondAddress, and: two.bobAddress) }
        // A second path that does not answer counts as silent after a while.
        two.call.run(for: .seconds(15))
        two.pair.network.setBlocked(true, between: two.secondAddress, and: two.bobAddress)
        var links: [SimulatedNetwork.LinkID] = []
        if test.direction != .toAlice { links.append(two.first.uplink) }
        if test.direction != .toBob { links.append(two.first.downlink) }
        for link in links {
            var conditions = two.pair.network.conditions(of: link)
            conditions.bandwidth = test.narrow
            conditions.queue = .time(.seconds(3))
            two.pair.network.setConditions(conditions, on: link)
        }
        let start = two.pair.now
        while two.pair.now < start + .seconds(5) {
            two.call.run(for: .milliseconds(10))
            let target = two.pair.alice.peer.congestion(at: two.pair.now).target
            if target.bitsPerSecond * 5 < test.narrow.bitsPerSecond * 6 { break }
        }
        return two.pair.now - start
    }
}
