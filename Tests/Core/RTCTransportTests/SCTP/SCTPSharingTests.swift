import RTCWire
import Testing

@testable import RTCTransport

@Suite("SCTP tells chance from congestion, and shares")
struct SCTPSharingTests {
    /// Megabits per second of the association and of TCP, and the queue in ms, over `seconds` after a warm-up.
    private func measure(
        _ link: inout SharedLink, warmUp: Int64, seconds: Int64
    ) -> (ours: Double, tcp: Double, queue: Double) {
        link.run(for: .seconds(warmUp))
        let before = (link.arrived, link.tcp?.arrived ?? 0)
        var queues: [Double] = []
        link.run(for: .seconds(seconds)) { queues.append($0.queue.seconds * 1_000) }
        // What the bottleneck carries of each, headers included.
        let unit = 8 / Double(seconds) / 1e6 * 1_257 / 1_172
        let middle = queues.sorted()[queues.count / 2]
        let tcp = Double((link.tcp?.arrived ?? 0) - before.1) * 8 / Double(seconds) / 1e6
        return (Double(link.arrived - before.0) * unit, tcp, middle)
    }

    @Test("1 % of random loss leaves nine tenths of 20 Mbit/s at 100 ms", arguments: 1..<4 as Range<UInt64>)
    func randomLoss(seed: UInt64) {
        var link = SharedLink(
            rate: .megabits(20), queue: .milliseconds(100), delay: .milliseconds(50), loss: 0.01, seed: seed)
        let seen = measure(&link, warmUp: 3, seconds: 20)
        if SharedLink.isReported { print("random loss", seen, link.a.statistics) }
        #expect(seen.ours > 17, "\(seen)")
        #expect(seen.queue < 30, "\(seen)")
        #expect(link.a.statistics.timeouts == 0)
    }

    @Test("So do 6 to 15 % seven tenths of what arrives", arguments: [3, 20] as [Int64], [0.06, 0.1, 0.15])
    func muchRandomLoss(megabits: Int64, loss: Double) {
        var link = SharedLink(
            rate: .megabits(megabits), queue: .milliseconds(100), delay: .milliseconds(50), loss: loss, seed: 1)
        let seen = measure(&link, warmUp: 15, seconds: 20)
        if SharedLink.isReported { print("much random loss", megabits, loss, seen, link.a.statistics) }
        #expect(seen.ours > Double(megabits) * (1 - loss) * 0.7, "\(seen)")
        #expect(seen.queue < 30, "\(seen)")
    }

    @Test("A policer is not taken for random loss", arguments: [3, 20] as [Int64])
    func policer(megabits: Int64) {
        var link = SharedLink(
            rate: .megabits(megabits), queue: .milliseconds(30), delay: .milliseconds(50), isPolicer: true, seed: 1)
        let seen = measure(&link, warmUp: 3, seconds: 30)
        let statistics = link.a.statistics
        if SharedLink.isReported { print("policer", megabits, seen, statistics) }
        #expect(statistics.chunksRetransmitted * 10 < statistics.chunksSent, "\(statistics)")
        #expect(seen.ours > Double(megabits) * 0.2, "\(seen)")
    }

    @Test("What overflows a small buffer is seldom taken for the path's own loss", arguments: 1..<5 as Range<UInt64>)
    func smallBufferWithLoss(seed: UInt64) {
        var link = SharedLink(
            rate: .megabits(20), queue: .milliseconds(5), delay: .milliseconds(50), loss: 0.01, seed: seed)
        var resumptions = 0
        var threshold = Int.max
        link.run(for: .seconds(20)) { link in
            if threshold != .max, link.a.congestion.slowStartThreshold == .max { resumptions += 1 }
            threshold = link.a.congestion.slowStartThreshold
        }
        let statistics = link.a.statistics
        if SharedLink.isReported { print("small buffer with loss", seed, resumptions, statistics) }
        // Each one doubles the window into a full path.
        #expect(resumptions <= 3, "\(resumptions)")
        #expect(statistics.chunksRetransmitted * 25 < statistics.chunksSent, "\(statistics)")
    }

    @Test("Beside one CUBIC flow it has between a third and two thirds, whoever began", arguments: [true, false])
    func besideCubic(isFirst: Bool) {
        let seen = share(of: .megabits(20), queue: .milliseconds(100), delay: .milliseconds(50), isFirst: isFirst)
        #expect(seen > 1.0 / 3 && seen < 2.0 / 3, "\(seen)")
    }

    @Test(
        "So it has on other paths, with buffers from a tenth of the round trip to six round trips",
        arguments: [(20, 300, 50), (20, 30, 50), (20, 10, 50), (5, 200, 50), (50, 20, 10), (50, 60, 10)]
            as [(Int64, Int64, Int64)], [true, false])
    func otherPaths(_ path: (rate: Int64, queue: Int64, delay: Int64), isFirst: Bool) {
        let seen = share(
            of: .megabits(path.rate), queue: .milliseconds(path.queue), delay: .milliseconds(path.delay),
            isFirst: isFirst)
        #expect(seen > 1.0 / 3 && seen < 2.0 / 3, "\(seen)")
    }

    @Test(
        "Where no queue can be seen nobody starves: a small buffer, a policer",
        arguments: [(5, false, false), (30, true, true)] as [(Int64, Bool, Bool)])
    func unseen(_ path: (queue: Int64, isPolicer: Bool, isFirst: Bool)) {
        expectShare(of: path.queue, isPolicer: path.isPolicer, isFirst: path.isFirst)
    }

    @Test(
        "Nor at smaller buffers, whoever began",
        arguments: [(5, false), (2, false), (30, true)] as [(Int64, Bool)], [true, false])
    func unseenElsewhere(_ path: (queue: Int64, isPolicer: Bool), isFirst: Bool) {
        expectShare(of: path.queue, isPolicer: path.isPolicer, isFirst: isFirst)
    }

    private func expectShare(of queue: Int64, isPolicer: Bool, isFirst: Bool) {
        let seen = share(
            of: .megabits(20), queue: .milliseconds(queue), delay: .milliseconds(50), isPolicer: isPolicer,
            isFirst: isFirst)
        #expect(seen > 0.1 && seen < 0.9, "\(seen)")
    }

    /// Its share of the path beside TCP in a minute.
    private func share(
        of rate: Bitrate, queue: TimeDelta, delay: TimeDelta, isPolicer: Bool = false, isFirst: Bool
    ) -> Double {
        var link = SharedLink(rate: rate, queue: queue, delay: delay, isPolicer: isPolicer, seed: 1)
        if isFirst { link.run(for: .seconds(10)) }
        link.tcp = CubicTCP()
        if !isFirst { link.run(for: .seconds(10), isSending: false) }
        let seen = measure(&link, warmUp: 30, seconds: 60)
        if SharedLink.isReported {
            print("beside", rate.bitsPerSecond, queue.seconds, delay.seconds, isFirst, seen, link.a.statistics)
        }
        return seen.ours / (seen.ours + seen.tcp)
    }

    @Test("Slow start does not overshoot", arguments: [20, 1_000] as [Int64])
    func slowStart(megabits: Int64) {
        var link = SharedLink(rate: .megabits(megabits), queue: .milliseconds(100), delay: .milliseconds(50), seed: 1)
        var longest = 0.0
        var reached: Instant?
        var before = (link.now, 0)
        link.run(for: .seconds(2)) { link in
            longest = max(longest, link.queue.seconds * 1_000)
            guard link.now - before.0 > .milliseconds(100) else { return }
            let rate = Double(link.arrived - before.1) * 8 / (link.now - before.0).seconds
            if reached == nil, rate > Double(megabits) * 0.8e6 { reached = link.now }
            before = (link.now, link.arrived)
        }
        #expect(link.a.statistics.chunksRetransmitted == 0)
        #expect(longest < 80)
        #expect(reached != nil)
    }

    @Test("A deep buffer is not filled further than the window that was before growth")
    func deepBuffer() {
        var link = SharedLink(rate: .megabits(10), queue: .seconds(3), delay: .milliseconds(20), seed: 1)
        let seen = measure(&link, warmUp: 10, seconds: 30)
        #expect(link.b.window.size == 1 << 20)
        #expect(seen.ours > 8.5)
    }
}
