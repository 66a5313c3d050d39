import RTCFrames
import RTCWire
import Synchronization
import Testing

@Suite("Sources that play on a thread of their own")
struct PacedSourceTests {
    private final class Sink: VideoSink, AudioSink {
        let times = Mutex<[Instant]>([])
        let samples = Mutex(0)

        func deliver(_ frame: VideoFrame) { times.withLock { $0.append(frame.timestamp) } }

        func deliver(_ frame: AudioFrame) {
            times.withLock { $0.append(frame.timestamp) }
            samples.withLock { $0 += frame.samplesPerChannel }
        }

        var count: Int { times.withLock { $0.count } }
    }

    private func wait(_ what: String, until isDone: () -> Bool) async throws {
        for _ in 0..<2_000 where !isDone() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(isDone(), "waited in vain for \(what)")
    }

    @Test("Pictures come at even times, and no more after the end")
    func plays() async throws {
        let sink = Sink()
        let ended = Mutex(false)
        let source = PacedVideoSource(TestPattern(width: 64, height: 48, count: 6), framesPerSecond: 100) { error in
            #expect(error == nil)
            ended.withLock { $0 = true }
        }
        source.start(delivering: sink)
        try await wait("the end") { ended.withLock { $0 } }
        let times = sink.times.withLock { $0 }
        #expect(times.count == 6)
        // A machine under load leaves pictures out, in whole intervals.
        for (earlier, later) in zip(times, times.dropFirst()) {
            #expect((later - earlier).nanoseconds % 10_000_000 == 0 && later > earlier)
        }
    }

    @Test("Stops, starts again with another sink, and goes on where it was")
    func restarts() async throws {
        let first = Sink(), second = Sink()
        let source = PacedAudioSource(Tone(sampleRate: 16_000))
        source.start(delivering: first)
        try await wait("sound") { first.count >= 3 }
        source.start(delivering: second)
        try await wait("sound elsewhere") { second.count >= 3 }
        source.stop()
        source.stop()
        try await Task.sleep(for: .milliseconds(30))
        let counts = (first.count, second.count)
        try await Task.sleep(for: .milliseconds(50))
        #expect(counts == (first.count, second.count))
        #expect(second.samples.withLock { $0 } == counts.1 * 160)
    }

    /// Has one picture, and then nothing but an error.
    private struct Damaged: VideoFrameProducer {
        struct Failure: Error, Equatable {}
        private var picture = TestPattern(width: 64, height: 48, count: 1)

        mutating func nextFrame(at timestamp: Instant) throws -> VideoFrame? {
            guard let frame = picture.nextFrame(at: timestamp) else { throw Failure() }
            return frame
        }
    }

    @Test("What goes wrong with what is played is told once, after what was whole")
    func fails() async throws {
        let reasons = Mutex<[(any Error)?]>([])
        let source = PacedVideoSource(Damaged(), framesPerSecond: 30) { error in
            reasons.withLock { $0.append(error) }
        }
        let sink = Sink()
        source.start(delivering: sink)
        try await wait("the failure") { reasons.withLock { !$0.isEmpty } }
        #expect(sink.count == 1)
        let reason = reasons.withLock { $0.first ?? nil }
        #expect(reason is Damaged.Failure)
    }

    @Test("A source that nobody holds any more stops")
    func letGo() async throws {
        let sink = Sink()
        var source: PacedAudioSource? = PacedAudioSource(Tone())
        weak let held = source
        source?.start(delivering: sink)
        try await wait("sound") { sink.count >= 2 }
        source = nil
        try await wait("the source to go") { held == nil }
    }
}
