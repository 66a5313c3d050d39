import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

@Suite("Pictures over a path that stalls")
struct PictureStallTests {
    @Test(
        "Stalls of 200 ms: below 1 % frozen after ten seconds, and the delay falls within ten seconds after the last",
        arguments: [500, 1_000, 2_000, 5_000] as [Int64], Seeds.few.prefix(3))
    func stalls(interval: Int64, seed: UInt64) throws {
        let usual = LinkConditions(bandwidth: .megabits(4), delay: .milliseconds(30), queue: .unlimited)
        let call = try MediaCall(seed: seed, usual)
        try #require(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .seconds(5) + .milliseconds(Int64(seed) * 7))
        let before = Self.longestDelay(call, since: call.pair.now - .seconds(2))
        var stalled = usual
        stalled.bandwidth = Bitrate(bitsPerSecond: 1)
        let start = call.pair.now
        while call.pair.now < start + .seconds(40) {
            for link in call.uplinks { call.pair.network.setConditions(stalled, on: link) }
            call.run(for: .milliseconds(200))
            for link in call.uplinks { call.pair.network.setConditions(usual, on: link) }
            call.run(for: .milliseconds(interval - 200))
        }
        let end = call.pair.now
        call.run(for: .seconds(15))
        for camera in call.cameras {
            call.expectDecodable(camera)
            let shown = call.pictures(of: camera).map(\.picture.renderTime)
                .filter { $0 > start + .seconds(10) && $0 < end }
            let frozen = zip(shown, shown.dropFirst()).map { ($1 - $0).seconds }.filter { $0 >= 0.183 }.reduce(0, +)
            let share = frozen / (end - start - .seconds(10)).seconds
            let after = Self.longestDelay(call, since: end + .seconds(10))
            if MediaReport.isWanted {
                print(
                    "stalls each \(interval) ms, seed \(seed), \(camera.side): frozen \(share * 100) %,",
                    "delay \(before.milliseconds),",
                    "then \(after.milliseconds) ms, left out \(camera.leftOut)")
            }
            #expect(share < 0.01, "\(share * 100) %")
            #expect(after < before + .milliseconds(30), "\(after.milliseconds) ms after \(before.milliseconds) ms")
        }
    }

    /// The longest time from the capture of a frame until it was shown.
    private static func longestDelay(_ call: MediaCall, since start: Instant) -> TimeDelta {
        call.cameras.flatMap { call.delays(of: $0, since: start) }.max() ?? .seconds(10)
    }
}
