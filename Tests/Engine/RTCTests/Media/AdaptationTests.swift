import RTCCodecs
import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import RTC

@Suite("What is sent suits what the network bears")
struct AdaptationTests {
    private func at(_ milliseconds: Int) -> Instant { Instant.zero + .milliseconds(Int64(milliseconds)) }

    @Test("A bitrate that is far too low makes the picture smaller at once, one that is a little too low after a while")
    func smaller() {
        var adaptation = VideoAdaptation()
        adaptation.update(width: 1_280, height: 720, framerate: 30, bitrate: .megabits(1), at: at(0))
        #expect(adaptation.scale == 1)
        adaptation.update(width: 1_280, height: 720, framerate: 30, bitrate: .kilobits(400), at: at(100))
        #expect(adaptation.scale == 1)
        adaptation.update(width: 1_280, height: 720, framerate: 30, bitrate: .kilobits(400), at: at(2_200))
        #expect(adaptation.scale == 1.5)
        adaptation.update(width: 1_280, height: 720, framerate: 30, bitrate: .kilobits(50), at: at(2_300))
        #expect(adaptation.scale > 1.5)
    }

    @Test("It grows again step by step when there is enough for long, and not when it hovers")
    func larger() {
        var adaptation = VideoAdaptation()
        adaptation.update(width: 1_280, height: 720, framerate: 30, bitrate: .kilobits(60), at: at(0))
        let smallest = adaptation.scale
        #expect(smallest > 2)
        for second in 0..<10 {
            let bitrate: Bitrate = second % 3 == 2 ? .kilobits(60) : .megabits(2)
            adaptation.update(width: 1_280, height: 720, framerate: 30, bitrate: bitrate, at: at(second * 1_000))
            #expect(adaptation.scale >= smallest)
        }
        for second in 10..<60 {
            adaptation.update(width: 1_280, height: 720, framerate: 30, bitrate: .megabits(2), at: at(second * 1_000))
        }
        #expect(adaptation.scale == 1)
    }

    /// Encodes 30 pictures a second for so many seconds, each in the time that its size costs.
    private func encode(
        _ adaptation: inout VideoAdaptation, from start: Int, seconds: Int, fullSize: Double,
        size: (width: Int, height: Int) = (1_280, 720)
    ) -> [Double] {
        (start * 30..<(start + seconds) * 30).map { number in
            let now = at(number * 1_000 / 30)
            adaptation.update(width: size.width, height: size.height, framerate: 30, bitrate: .megabits(3), at: now)
            let milliseconds = fullSize / (adaptation.scale * adaptation.scale)
            adaptation.noteEncoding(
                time: .microseconds(Int64(milliseconds * 1_000)), interval: .microseconds(33_333), at: now)
            return adaptation.scale
        }
    }

    @Test("A slow processor takes the same ladder down, one step after the other, and up again")
    func processor() {
        var adaptation = VideoAdaptation()
        let slow = encode(&adaptation, from: 0, seconds: 20, fullSize: 60)
        // 60 ms are 27 at two thirds of the size, and 15 at half of it.
        #expect(slow.first == 1 && slow.last == 1.5 && slow[30] == 1, "\(slow.last ?? 0)")
        #expect(adaptation.isLimitedByProcessor && adaptation.rateStep == 0)
        let slower = encode(&adaptation, from: 20, seconds: 20, fullSize: 110)
        #expect(slower.last == 2)
        let fast = encode(&adaptation, from: 40, seconds: 40, fullSize: 10)
        #expect(fast.last == 1 && !adaptation.isLimitedByProcessor)
        #expect(Set(fast) == [2, 1.5, 1])
    }

    @Test("A source that becomes smaller than the ladder is long leaves the processor's step a way back")
    func smallerSource() {
        var adaptation = VideoAdaptation()
        _ = encode(&adaptation, from: 0, seconds: 60, fullSize: 4_000)
        #expect(adaptation.step == 5)
        // 5 % of the time from picture to picture at full size.
        let scales = encode(&adaptation, from: 60, seconds: 60, fullSize: 1.6, size: (640, 360))
        #expect(adaptation.step == 0 && !adaptation.isLimitedByProcessor, "\(Set(scales))")
    }

    @Test("The time that it takes to make an encoder is no load")
    func firstPicture() throws {
        var encoding = VideoEncoding()
        let codec = try #require(CodecCatalog.system.codecs.first { $0.codec.format == .vp8 }?.codec)
        let frame = VideoFrame(buffer: I420Buffer(width: 320, height: 192), timestamp: .zero)
        for number in 0..<150 {
            let now = at(number * 1_000 / 30)
            var frame = frame
            frame.timestamp = now
            let outcome = try encoding.encode(
                frame, codec: codec, parameters: RTPSendParameters(), target: .megabits(1), framesPerSecond: 30,
                keyFrame: number == 0, at: now)
            encoding.noteTime(number == 0 ? .seconds(1) : .milliseconds(25), at: now)
            #expect(!outcome.isLimitedByProcessor)
        }
    }

    @Test("A size that proves too large is tried more and more rarely")
    func relapses() {
        var adaptation = VideoAdaptation()
        var changes = [0, 0]
        for second in 0..<240 {
            // The larger size costs more than its pixels say.
            let before = adaptation.scale
            _ = encode(&adaptation, from: second, seconds: 1, fullSize: before == 1 ? 40 : 16)
            if adaptation.scale != before { changes[second / 120] += 1 }
        }
        #expect(changes[0] >= 3 && changes[1] <= 4 && changes[1] < changes[0], "\(changes)")
    }

    @Test("A small picture is not made smaller")
    func least() {
        var adaptation = VideoAdaptation()
        adaptation.update(width: 160, height: 90, framerate: 30, bitrate: .kilobits(1), at: at(0))
        #expect(adaptation.scale == 1)
    }

    @Test("A limit of the frame rate lets through as many as it says, evenly", arguments: [5.0, 10, 15, 20, 24])
    func frameRate(limit: Double) {
        var gate = FrameRateLimit()
        let passed = (0..<300).filter { number in
            gate.allows(at(number * 1_000 / 30), framesPerSecond: limit)
        }
        #expect(abs(Double(passed.count) - limit * 10) <= 3)
    }

    @Test("Pictures are shown at their time; of several that are due, the newest")
    func presenter() async throws {
        let shown = Mutex<[(width: Int, time: Instant)]>([])
        let presenter = FramePresenter { frame in shown.withLock { $0.append((frame.width, MediaClock.now)) } }
        let now = MediaClock.now
        func show(_ width: Int, in milliseconds: Int64) {
            presenter.present(
                VideoFrame(
                    buffer: I420Buffer(width: width, height: 16), timestamp: now + .milliseconds(milliseconds)))
        }
        show(40, in: 120)
        show(20, in: 60)
        #expect(await eventually { shown.withLock { $0.count } == 2 })
        let result = shown.withLock { $0 }
        #expect(result.map(\.width) == [20, 40])
        #expect(result[0].time >= now + .milliseconds(60))
        #expect(result[1].time >= now + .milliseconds(120))
        presenter.close()
        show(60, in: 0)
        try await Task.sleep(for: .milliseconds(30))
        #expect(shown.withLock { $0.count } == 2)
    }
}
