import Foundation
import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// Calls whose encoders make half as much again as they are told, as libvpx does with a film, over links that are narrow: what a
/// packet waits for in the bottleneck, and how much of the link is used.
@Suite("Calls of real encoders across narrow links")
struct NarrowLinkTests {
    /// What was seen in a time.
    private struct Seen {
        /// The queue of each hundredth of a second, in ms.
        var queues: [Double] = []
        var targets: [Double] = []
        var bytes = 0
        var seconds = 0.0

        /// Of each second the 95th percentile.
        var perSecond: [Double] {
            stride(from: 0, to: queues.count - 99, by: 100).map { queues[$0..<$0 + 100].sorted()[95] }
        }
        var queue: Double { perSecond.sorted()[perSecond.count / 2] }
        var worst: Double { perSecond.sorted()[perSecond.count * 95 / 100] }
        /// The longest time in a row for which the queue was above `limit`, in seconds.
        func longest(above limit: Double) -> Double {
            var longest = 0
            var now = 0
            for queue in queues {
                now = queue > limit ? now + 1 : 0
                longest = max(longest, now)
            }
            return Double(longest) / 100
        }
        /// When the queue has been below 100 ms for half a second, in hundredths of a second: as docs/network-tests.md judges a fall.
        var drained: Int {
            var last = -1
            for (index, queue) in queues.enumerated() where queue >= 100 {
                if index - last > 50 { break }
                last = index
            }
            return last + 1
        }
        var rate: Double { Double(bytes) * 8 / seconds }
    }

    private func call(seed: UInt64, _ conditions: LinkConditions, overshoot: Double = 1.5) throws -> MediaCall {
        let call = try MediaCall(seed: seed, conditions) { settings in
            let configure = settings.configure
            settings.configure = { side, configuration in
                configure(side, &configuration)
                configuration.startBitrate = .megabits(1)
            }
        }
        for index in call.cameras.indices {
            call.cameras[index].bitrate = .megabits(4)
            call.cameras[index].model = ModelEncoder(seed: seed * 2 + UInt64(index), overshoot: overshoot)
        }
        return call
    }

    /// Looks at alice's uplink.
    private func watch(_ call: MediaCall, for seconds: Double) -> Seen {
        var seen = Seen()
        let link = call.uplinks[0]
        let before = call.pair.network.statistics(of: link).passedBytes
        for _ in 0..<Int(seconds * 100) {
            call.run(for: .milliseconds(10))
            let rate = call.pair.network.conditions(of: link).bandwidth?.bitsPerSecond ?? .max
            seen.queues.append(Double(call.pair.network.queuedBytes(on: link)) * 8_000 / Double(rate))
            seen.targets.append(Double(call.pair.alice.peer.availableOutgoingBitrate.bitsPerSecond))
        }
        seen.bytes = call.pair.network.statistics(of: link).passedBytes - before
        seen.seconds = seconds
        return seen
    }

    private func report(_ name: String, _ seed: UInt64, _ seen: Seen, _ call: MediaCall) {
        guard MediaReport.isWanted else { return }
        let camera = call.cameras[0]
        func kilobits(_ bits: Double) -> Int { Int(bits / 1_000) }
        print(
            "\(name) seed \(seed): \(kilobits(seen.rate)) kbit/s, queue \(Int(seen.queue)) worst \(Int(seen.worst)) max",
            "\(Int(seen.queues.max() ?? 0)), >200: \(seen.longest(above: 200)) s, target \(kilobits(seen.targets.min() ?? 0))…",
            "\(kilobits(seen.targets.max() ?? 0)), left out \(camera.model?.leftOut ?? 0) of \(camera.sent.count)",
            "pacer \(camera.longestQueue.milliseconds) correction \(camera.model?.control.correction ?? 0)")
        if ProcessInfo.processInfo.environment["DUET_MEDIA_CURVE"] != nil {
            for second in stride(from: 0, to: min(seen.queues.count - 9, 400), by: 10) {
                print(
                    "   \(Double(second) / 100): queue \(Int(seen.queues[second])) target \(kilobits(seen.targets[second]))"
                )
            }
        }
    }

    private static func link(_ kilobits: Int64, queue: Int64) -> LinkConditions {
        LinkConditions(
            bandwidth: .kilobits(kilobits), delay: .milliseconds(25), queue: .time(.milliseconds(queue)))
    }

    @Test("Steady, 2 Mbit/s: used to nine tenths, with a short queue", arguments: Seeds.few.prefix(3))
    func steady(seed: UInt64) throws {
        let call = try call(seed: seed, Self.link(2_000, queue: 300))
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        let start = watch(call, for: 5)
        report("start", seed, start, call)
        let seen = watch(call, for: 30)
        report("steady", seed, seen, call)
        #expect(seen.queue < 35 && seen.worst < 100, "\(seen.queue) \(seen.worst)")
        #expect(start.longest(above: 200) < 0.5 && seen.longest(above: 100) < 0.5)
        #expect(seen.rate > 1_800_000, "\(seen.rate)")
        #expect(call.cameras[0].longestQueue < .milliseconds(400))
        for camera in call.cameras { #expect(call.expectDecodable(camera) > 0.97) }
    }

    @Test("500 kbit/s behind 1.5 s of buffer: the buffer stays empty", arguments: Seeds.few.prefix(3))
    func bloat(seed: UInt64) throws {
        let call = try call(seed: seed, Self.link(500, queue: 1_500))
        // As on most lines, there is more room the other way.
        call.pair.network.setConditions(Self.link(4_000, queue: 1_500), on: call.uplinks[1])
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        let start = watch(call, for: 5)
        report("bloat start", seed, start, call)
        let seen = watch(call, for: 30)
        report("bloat", seed, seen, call)
        #expect(start.longest(above: 200) < 2)
        #expect(seen.queue < 60 && seen.worst < 100, "\(seen.queue) \(seen.worst)")
        #expect(seen.rate > 425_000, "\(seen.rate)")
    }

    @Test(
        "A fall to a quarter is drained within two seconds, and a rise is used", arguments: [2_400, 1_000] as [Int64],
        Seeds.few.prefix(3))
    func fallAndRise(kilobits: Int64, seed: UInt64) throws {
        let call = try call(seed: seed, Self.link(kilobits, queue: 400))
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(20))
        for link in call.uplinks { call.pair.network.setConditions(Self.link(kilobits / 4, queue: 400), on: link) }
        let fall = watch(call, for: 10)
        report("fall \(kilobits)", seed, fall, call)
        #expect(fall.drained < 200, "\(fall.drained)")
        // A probe is six packets, of which each takes 35 ms on the narrowest of these.
        #expect((fall.queues.dropFirst(200).max() ?? 0) < 150)
        for link in call.uplinks { call.pair.network.setConditions(Self.link(kilobits, queue: 400), on: link) }
        let rise = watch(call, for: 15)
        report("rise \(kilobits)", seed, rise, call)
        let used = rise.targets.firstIndex { $0 > Double(kilobits) * 800 } ?? 10_000
        #expect(used < 1_000, "\(used)")
    }

    @Test("90 % of 2.5 Mbit/s are found within three seconds", arguments: Seeds.few.prefix(3))
    func ramp(seed: UInt64) throws {
        let call = try call(seed: seed, Self.link(2_500, queue: 300), overshoot: 1)
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        let seen = watch(call, for: 6)
        report("ramp", seed, seen, call)
        let found = seen.targets.firstIndex { $0 > 2_200_000 } ?? 10_000
        #expect(found < 300, "\(found)")
    }

    @Test("Encoders that make little: 90 % of 2.5 Mbit/s are found all the same", arguments: Seeds.few.prefix(3))
    func limitedRamp(seed: UInt64) throws {
        let call = try limitedCall(seed: seed, kilobits: 500, Self.link(2_500, queue: 300))
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        let seen = watch(call, for: 6)
        report("limited ramp", seed, seen, call)
        let found = seen.targets.firstIndex { $0 > 2_200_000 } ?? 10_000
        #expect(found < 300, "\(found)")
        #expect(seen.worst < 60, "\(seen.worst)")
        let later = watch(call, for: 20)
        report("limited, later", seed, later, call)
        #expect(later.targets.allSatisfy { $0 > 1_900_000 && $0 < 3_000_000 })
        // Probes may cost a tenth of what the encoder makes.
        #expect(later.rate < 700_000, "\(later.rate)")
        for camera in call.cameras { #expect(call.expectDecodable(camera) > 0.99) }
    }

    @Test("Encoders that make little: a fall is noticed, and a rise too", arguments: Seeds.few.prefix(3))
    func limitedFallAndRise(seed: UInt64) throws {
        let call = try limitedCall(seed: seed, kilobits: 700, Self.link(2_400, queue: 400))
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(10))
        for link in call.uplinks { call.pair.network.setConditions(Self.link(600, queue: 400), on: link) }
        let fall = watch(call, for: 10)
        report("limited fall", seed, fall, call)
        let drained = fall.queues.lastIndex { $0 >= 100 } ?? 0
        #expect(drained < 200, "\(drained)")
        #expect((fall.targets.last ?? 0) < 700_000)
        for link in call.uplinks { call.pair.network.setConditions(Self.link(2_400, queue: 400), on: link) }
        let rise = watch(call, for: 10)
        report("limited rise", seed, rise, call)
        let used = rise.targets.firstIndex { $0 > 1_900_000 } ?? 10_000
        #expect(used < 600, "\(used)")
    }

    /// Cameras that make no more than so many kbit/s.
    private func limitedCall(seed: UInt64, kilobits: Int64, _ link: LinkConditions) throws -> MediaCall {
        let call = try call(seed: seed, link, overshoot: 1)
        for index in call.cameras.indices { call.cameras[index].bitrate = .kilobits(kilobits) }
        return call
    }

    @Test("A moment in which a fast path is busy does not spread pictures for long", arguments: Seeds.few.prefix(2))
    func moment(seed: UInt64) throws {
        let fast = LinkConditions(bandwidth: .megabits(1_000), delay: .milliseconds(1))
        let call = try MediaCall(seed: seed, fast)
        for index in call.cameras.indices { call.cameras[index].bitrate = .kilobits(4_700) }
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(10))
        for link in call.uplinks { call.pair.network.setConditions(Self.link(4_000, queue: 300), on: link) }
        call.run(for: .milliseconds(300))
        for link in call.uplinks { call.pair.network.setConditions(fast, on: link) }
        call.run(for: .seconds(5))
        let start = call.pair.now
        call.run(for: .seconds(5))
        let delays = call.delays(of: call.cameras[0], since: start).map(\.milliseconds).sorted()
        #expect(delays.count > 140)
        #expect(delays[delays.count / 2] < 8, "\(delays[delays.count / 2])")
    }

    @Test("3 Mbit/s that lose a tenth at random: four fifths of what arrives are used", arguments: Seeds.few.prefix(3))
    func muchRandomLoss(seed: UInt64) throws {
        var link = Self.link(3_000, queue: 300)
        link.loss = .random(0.1)
        let call = try call(seed: seed, link)
        call.pair.network.setConditions(Self.link(8_000, queue: 300), on: call.uplinks[1])
        #expect(call.run(for: .seconds(20)) { $0.areConnected })
        call.run(for: .seconds(10))
        let seen = watch(call, for: 30)
        report("much random loss", seed, seen, call)
        #expect(seen.rate > 2_100_000, "\(seen.rate)")
        #expect(seen.queue < 35 && seen.worst < 100, "\(seen.queue) \(seen.worst)")
    }

    @Test("What is sent again comes off what the encoder makes", arguments: Seeds.few.prefix(2))
    func retransmissions(seed: UInt64) throws {
        var link = Self.link(1_500, queue: 300)
        link.loss = .random(0.08)
        let call = try call(seed: seed, link, overshoot: 1)
        call.pair.network.setConditions(Self.link(4_000, queue: 300), on: call.uplinks[1])
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(10))
        let seen = watch(call, for: 20)
        report("retransmissions", seed, seen, call)
        let camera = call.cameras[0]
        let statistics = try #require(call.pair.alice.peer.outgoingStatistics(camera.transceiver)?.stream)
        #expect(statistics.retransmittedPacketsSent > 200)
        var (targets, shares) = (0.0, 0.0)
        for _ in 0..<100 {
            call.run(for: .milliseconds(50))
            targets += Double(call.pair.alice.peer.availableOutgoingBitrate.bitsPerSecond) / 100
            shares += Double(call.pair.alice.targetBitrates[camera.transceiver]?.bitsPerSecond ?? 0) / 100
        }
        #expect(shares < targets * 0.96 - 48_000, "\(shares) of \(targets)")
        #expect(seen.worst < 100, "\(seen.worst)")
    }

    @Test(
        "When feedback ceases, little is sent, and as much as before when it comes again",
        arguments: Seeds.few.prefix(1))
    func silence(seed: UInt64) throws {
        let call = try call(seed: seed, Self.link(2_000, queue: 300))
        #expect(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(10))
        let before = call.pair.alice.peer.availableOutgoingBitrate
        var lost = Self.link(2_000, queue: 300)
        lost.loss = .random(1)
        call.pair.network.setConditions(lost, on: call.uplinks[1])
        call.run(for: .seconds(3))
        let during = call.pair.alice.peer.availableOutgoingBitrate
        #expect(during.bitsPerSecond * 4 < before.bitsPerSecond, "\(during) of \(before)")
        call.pair.network.setConditions(Self.link(2_000, queue: 300), on: call.uplinks[1])
        call.run(for: .seconds(4))
        let after = call.pair.alice.peer.availableOutgoingBitrate
        #expect(after.bitsPerSecond * 3 > before.bitsPerSecond, "\(after) of \(before)")
    }
}
