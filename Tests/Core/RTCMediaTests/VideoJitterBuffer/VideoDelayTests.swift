import RTCWire
import Testing

@testable import RTCMedia

@Suite("How long pictures wait")
struct VideoDelayTests {
    @Test("Without jitter nothing waits: from capture to showing it is the path alone")
    func noJitter() {
        var call = VideoTestCall(.vp8)
        call.oneWayDelay = .milliseconds(3)
        call.run(frames: 300)
        #expect(call.delays.allSatisfy { $0 >= .milliseconds(3) && $0 < .milliseconds(5) })
        #expect(call.buffer.targetDelay < .milliseconds(1))
    }

    @Test("Half a millisecond of jitter, as on loopback, costs less than two")
    func loopback() {
        let random = SeededRandom(seed: 2)
        var call = VideoTestCall(.vp8)
        call.oneWayDelay = .microseconds(100)
        call.extraDelay = { _ in .microseconds(Int64(random.next(below: 500))) }
        call.run(frames: 600)
        #expect(call.shown.count == 600)
        #expect(call.delays.allSatisfy { $0 < .milliseconds(2) })
    }

    @Test("Jitter of 60 ms is evened out: what is shown comes at even times")
    func jitter() {
        let random = SeededRandom(seed: 3)
        var call = VideoTestCall(.vp8)
        call.extraDelay = { _ in .microseconds(Int64(random.next(below: 60_000))) }
        call.run(frames: 900)
        #expect(call.isDecodable)
        let settled = call.shown.dropFirst(300)
        var uneven = 0
        for (first, second) in zip(settled, settled.dropFirst()) {
            let gap = (second.picture.renderTime - first.picture.renderTime).milliseconds
            if !(20...50).contains(gap) { uneven += 1 }
        }
        #expect(uneven < settled.count / 10)
        #expect(call.delays.suffix(300).allSatisfy { $0 < .milliseconds(20 + 80) })
        #expect(call.buffer.targetDelay > .milliseconds(40))
    }

    @Test("The delay goes down again when the jitter is over")
    func calmAfterJitter() {
        let random = SeededRandom(seed: 4)
        var call = VideoTestCall(.vp9)
        call.extraDelay = { time in
            time < milliseconds(11_000) ? .microseconds(Int64(random.next(below: 200_000))) : .zero
        }
        call.run(frames: 900)
        let during = call.shown.filter { $0.captured > milliseconds(6_000) && $0.captured < milliseconds(10_500) }
        #expect(
            during.map { ($0.picture.renderTime - $0.captured).milliseconds }.reduce(0, +) / Int64(during.count) > 100)
        let after = call.shown.filter { $0.captured > milliseconds(18_000) }
        #expect(after.allSatisfy { $0.picture.renderTime - $0.captured < .milliseconds(23) })
    }

    @Test("Packets held up for 300 ms, and then let go at once, leave no delay behind")
    func heldUp() {
        var call = VideoTestCall(.vp8)
        let outage = milliseconds(6_000)..<milliseconds(6_300)
        call.extraDelay = { time in outage.contains(time) ? outage.upperBound - time : .zero }
        call.run(frames: 400)
        #expect(call.isDecodable)
        #expect(call.shown.count == 400)
        let after = call.shown.filter { $0.captured > milliseconds(6_500) }
        #expect(after.allSatisfy { $0.picture.renderTime - $0.captured < .milliseconds(25) })
    }

    @Test(
        "Stalls of 200 ms that come again freeze nothing after ten seconds, and are forgotten ten seconds after the last",
        arguments: [500, 1_000, 2_000, 5_000] as [Int64])
    func stalls(interval: Int64) {
        var call = VideoTestCall(.vp8)
        call.extraDelay = { time in
            let phase = (time - .zero).milliseconds % interval
            return phase < 200 && time < milliseconds(35_000) ? .milliseconds(200 - phase) : .zero
        }
        call.run(frames: 1_500)
        #expect(call.isDecodable)
        let during = call.shown.filter { $0.captured > milliseconds(11_000) && $0.captured < milliseconds(35_000) }
        var frozen = TimeDelta.zero
        for (first, second) in zip(during, during.dropFirst()) {
            let gap = second.picture.renderTime - first.picture.renderTime
            if gap >= .milliseconds(183) { frozen = frozen + gap }
        }
        #expect(frozen <= .milliseconds(240), "\(frozen.milliseconds) ms of 24 s")
        let after = call.shown.filter { $0.captured > milliseconds(45_200) }
        #expect(!after.isEmpty && after.allSatisfy { $0.picture.renderTime - $0.captured < .milliseconds(25) })
    }

    @Test("Large key frames, and the pictures that wait behind them on the path, are no stalls")
    func largeKeyFrames() {
        var sender = VideoTestSender(.vp8)
        sender.keyPictureSize = 50_000
        let buffer = VideoTestBuffer()
        var packets: [(arrival: Instant, packet: VideoTestPacket)] = []
        var free = Instant.zero
        for index in 0..<300 {
            free = max(free, frameTime(index))
            for packet in sender.next(isKey: index % 150 == 0) {
                free = free + .milliseconds(4)
                packets.append((free, packet))
            }
        }
        for (arrival, packet) in packets {
            while let due = buffer.nextDeadline, due <= arrival, buffer.poll(at: due) != nil {}
            buffer.insert(packet, at: arrival)
            _ = buffer.drain(at: arrival)
        }
        #expect(buffer.buffer.targetDelay < .milliseconds(40), "\(buffer.buffer.targetDelay.milliseconds) ms")
    }

    @Test(
        "At few frames a second, large key frames are no stalls either, though each comes after a silence",
        arguments: [(5, 50_000), (10, 28_000)])
    func largeKeyFramesAtLowRates(framesPerSecond: Int, size: Int) {
        // A packet takes 4 ms, a key frame 180 or 100 ms.
        let longest = Self.longestDelay(framesPerSecond: framesPerSecond, packetTime: .milliseconds(4), keySize: size)
        #expect(longest < .milliseconds(40), "\(longest.milliseconds) ms")
    }

    @Test("Packets that take 60 ms each on a narrow path are no stalls, alone in a frame or not")
    func slowPackets() {
        let longest = Self.longestDelay(
            framesPerSecond: 10, packetTime: .milliseconds(60), size: 1_000, keySize: 2_000)
        #expect(longest < .milliseconds(30), "\(longest.milliseconds) ms")
    }

    @Test("Stalls of 300 ms each two seconds are covered at few frames a second too", arguments: [5, 10])
    func stallsAtLowRates(framesPerSecond: Int) {
        var call = VideoTestCall(.vp8)
        call.sender.framesPerSecond = framesPerSecond
        call.extraDelay = { time in
            let phase = (time - .zero).milliseconds % 2_010
            return phase < 300 && time < milliseconds(35_000) ? .milliseconds(300 - phase) : .zero
        }
        call.run(frames: 35 * framesPerSecond)
        #expect(call.isDecodable)
        let target = call.buffer.targetDelay
        #expect(target > .milliseconds(190) && target < .milliseconds(310), "\(target.milliseconds) ms")
    }

    /// The longest delay of half a minute with a key frame each five seconds, after the first ten seconds, on a path that
    /// takes `packetTime` for each packet.
    private static func longestDelay(
        framesPerSecond: Int, packetTime: TimeDelta, size: Int = 3_000, keySize: Int
    ) -> TimeDelta {
        var sender = VideoTestSender(.vp8)
        sender.framesPerSecond = framesPerSecond
        sender.pictureSize = size
        sender.keyPictureSize = keySize
        let buffer = VideoTestBuffer()
        var free = Instant.zero
        var longest = TimeDelta.zero
        for index in 0..<30 * framesPerSecond {
            free = max(free, .zero + .nanoseconds(Int64(index) * 1_000_000_000 / Int64(framesPerSecond)))
            for packet in sender.next(isKey: index % (5 * framesPerSecond) == 0) {
                free = free + packetTime
                while let due = buffer.nextDeadline, due <= free, buffer.poll(at: due) != nil {}
                buffer.insert(packet, at: free)
                _ = buffer.drain(at: free)
            }
            if index > 10 * framesPerSecond { longest = max(longest, buffer.buffer.targetDelay) }
        }
        return longest
    }

    @Test("The playout delay extension: a minimum is kept, a maximum is kept, and (0, 0) means at once")
    func playoutDelay() {
        func delays(_ playout: PlayoutDelay, jitter: UInt64) -> [TimeDelta] {
            let random = SeededRandom(seed: 6)
            var sender = VideoTestSender(.vp8)
            let buffer = VideoTestBuffer()
            var delays: [TimeDelta] = []
            for index in 0..<300 {
                var now = frameTime(index)
                now = now + .microseconds(Int64(random.next(below: jitter + 1)))
                for var packet in sender.next(isKey: index == 0) {
                    packet.info.playoutDelay = playout
                    buffer.insert(packet, at: now)
                }
                let until = frameTime(index + 1)
                var time = now
                while time <= until {
                    delays += buffer.drain(at: time).map { $0.renderTime - now }
                    guard let next = buffer.nextDeadline else { break }
                    time = max(next, time)
                }
            }
            return Array(delays.dropFirst(50))
        }
        let atOnce = delays(PlayoutDelay(minimum: .zero, maximum: .zero), jitter: 30_000)
        #expect(atOnce.count == 250)
        #expect(atOnce.allSatisfy { $0 == .zero })
        let minimum = delays(PlayoutDelay(minimum: .milliseconds(20), maximum: .seconds(1)), jitter: 0)
        #expect(minimum.allSatisfy { $0 >= .milliseconds(19) && $0 < .milliseconds(22) })
        let maximum = delays(PlayoutDelay(minimum: .zero, maximum: .milliseconds(10)), jitter: 30_000)
        #expect(maximum.allSatisfy { $0 <= .milliseconds(11) })
    }

    @Test("An extra delay for lip sync is added to what jitter asks for")
    func extraDelay() {
        var call = VideoTestCall(.vp8)
        call.buffer.extraDelay = .milliseconds(80)
        call.run(frames: 200)
        #expect(call.shown.count == 200)
        #expect(call.delays.suffix(150).allSatisfy { $0 >= .milliseconds(99) && $0 < .milliseconds(103) })
    }

    @Test("A slow decoder gets its pictures earlier, not the viewer his later than needed")
    func decodeTime() {
        var sender = VideoTestSender(.vp8)
        let buffer = VideoTestBuffer()
        buffer.buffer.extraDelay = .milliseconds(30)
        var leads: [TimeDelta] = []
        for index in 0..<100 {
            let now = frameTime(index)
            for packet in sender.next(isKey: index == 0) { buffer.insert(packet, at: now) }
            let due = buffer.nextDeadline ?? now
            for picture in buffer.drain(at: max(due, now)) {
                leads.append(picture.renderTime - max(due, now))
                buffer.buffer.didDecode(in: .milliseconds(12))
            }
        }
        #expect(leads.count == 100)
        #expect(leads.suffix(50).allSatisfy { $0 >= .milliseconds(12) && $0 < .milliseconds(14) })
        #expect(buffer.buffer.targetDelay < .milliseconds(43))
    }

    @Test(
        "Timestamps that jump do not make anything wait",
        arguments: [Int64(-90_000_000), -450_000, 450_000, 90_000_000])
    func timestampJump(jump: Int64) {
        var sender = VideoTestSender(.vp8)
        let buffer = VideoTestBuffer()
        for index in 0..<200 {
            if index == 100 { sender.firstTimestamp &+= UInt32(truncatingIfNeeded: jump) }
            let now = frameTime(index)
            for packet in sender.next(isKey: index == 0) { buffer.insert(packet, at: now) }
            let pictures = buffer.drain(at: now)
            #expect(pictures.count == 1, "picture \(index)")
            #expect(pictures.allSatisfy { $0.renderTime - now < .milliseconds(5) })
        }
    }

    @Test("The figures of statistics add up")
    func statistics() {
        var call = VideoTestCall(.h264)
        call.extraDelay = { _ in .milliseconds(1) }
        call.run(frames: 300)
        let statistics = call.buffer.statistics
        #expect(statistics.jitterBufferEmittedCount == 300)
        #expect(statistics.framesReceived == 300)
        #expect(statistics.framesAssembledFromMultiplePackets == 300)
        #expect(statistics.jitterBufferDelay < .milliseconds(300 * 3))
        #expect(statistics.freezeCount == 0)
        #expect(statistics.totalFreezesDuration == .zero)
    }

    @Test("A freeze counts, however long it is", arguments: [300, 4_900, 5_000, 12_000])
    func freeze(milliseconds length: Int) {
        var statistics = VideoJitterBufferStatistics()
        var detector = FreezeDetector()
        var time = Instant.zero
        func show(_ count: Int) {
            for _ in 0..<count {
                time = time + .milliseconds(40)
                detector.note(time, in: &statistics)
            }
        }
        show(50)
        time = time + .milliseconds(Int64(length - 40))
        show(50)
        #expect(statistics.freezeCount == 1)
        #expect(statistics.totalFreezesDuration == .milliseconds(Int64(length)))
        #expect(statistics.pauseCount == (length >= 5_000 ? 1 : 0))
        // A pause says nothing about the usual gap: a short freeze after it counts too.
        time = time + .milliseconds(160)
        show(1)
        #expect(statistics.freezeCount == 2)
    }
}
