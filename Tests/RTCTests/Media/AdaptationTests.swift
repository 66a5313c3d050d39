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
        var adaptation = ResolutionAdaptation()
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
        var adaptation = ResolutionAdaptation()
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

    @Test("A small picture is not made smaller")
    func least() {
        var adaptation = ResolutionAdaptation()
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
