import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import RTC

/// Keeps what it is given, and says that it plays it.
private final class SlowSpeaker: AudioSink {
    private let state: Mutex<(delay: Duration?, times: [Instant])>

    init(_ delay: Duration?) { state = Mutex((delay, [])) }

    var playoutDelay: Duration? { state.withLock { $0.delay } }
    func setDelay(_ delay: Duration?) { state.withLock { $0.delay = delay } }
    func deliver(_ frame: AudioFrame) { state.withLock { $0.times.append(frame.timestamp) } }
    var times: [Instant] { state.withLock { $0.times } }
}

@Suite("The time that a sink takes to play", .timeLimit(.minutes(2)))
struct PlayoutDelayTests {
    private func piece(at time: Instant) -> AudioFrame {
        AudioFrame(samples: [Int16](repeating: 0, count: 480), sampleRate: 48_000, channels: 1, timestamp: time)
    }

    @Test("A sink that plays gets the time to play, all others the time at which it is heard")
    func timestamps() {
        let track = AudioTrack(receivedAs: "sound")
        let (speaker, recorder) = (SlowSpeaker(.milliseconds(150)), SlowSpeaker(nil))
        track.add(speaker)
        track.add(recorder)
        func deliver(_ index: Int64) -> TimeDelta? {
            track.deliver(piece(at: .zero + .seconds(index)))
            #expect(speaker.times.last == .zero + .seconds(index))
            return recorder.times.last.map { $0 - (.zero + .seconds(index)) }
        }
        #expect(deliver(1) == .zero)
        #expect(track.core.updatePlayoutDelay() == .milliseconds(150))
        #expect(deliver(2) == .milliseconds(150))
        // Too little for another jump of timestamps.
        speaker.setDelay(.milliseconds(160))
        #expect(track.core.updatePlayoutDelay() == .milliseconds(160))
        #expect(deliver(3) == .milliseconds(150))
        speaker.setDelay(.milliseconds(300))
        _ = track.core.updatePlayoutDelay()
        #expect(deliver(4) == .milliseconds(300))
        // The slowest counts.
        let second = SlowSpeaker(.milliseconds(20))
        track.add(second)
        #expect(track.core.updatePlayoutDelay() == .milliseconds(300))
        track.remove(second)
        track.remove(speaker)
        #expect(track.core.updatePlayoutDelay() == nil)
        track.deliver(piece(at: .zero + .seconds(9)))
        #expect(recorder.times.last == .zero + .seconds(9))
    }

    @Test("No sink delays anything by more than a second", arguments: [Duration.seconds(Int64.max), .seconds(-4)])
    func hostile(delay: Duration) {
        let track = AudioTrack(receivedAs: "sound")
        track.add(SlowSpeaker(delay))
        #expect(track.core.updatePlayoutDelay() == (delay > .zero ? .seconds(1) : .zero))
    }

    @Test("In a call, video waits for the loudspeaker, and the statistics say so")
    func call() async throws {
        let pair = try LoopbackPair.media(["VP8", "opus"])
        let incoming = IncomingTracks(pair.answerer)
        try await pair.offerer.addTrack(VideoTrack.test(), streams: ["one"])
        try await pair.offerer.addTrack(AudioTrack.tone(440), streams: ["one"])
        let (reader, speaker) = (PictureReader(), SlowSpeaker(.milliseconds(300)))
        try await incoming.video().add(reader)
        try await incoming.audio().add(speaker)
        #expect(await reader.waitForReadings(30))
        // The mean time that a frame has to wait, since the time before.
        var before = (delay: 0.0, count: 0)
        let isDelayed = await eventually {
            try? await Task.sleep(for: .seconds(1))
            let report = await pair.answerer.getStats()
            guard let video = report.inboundRTP.first(where: { $0.kind == .video }) else { return false }
            let count = video.jitterBufferEmittedCount - before.count
            let mean = (video.jitterBufferTargetDelay - before.delay) / Double(max(count, 1))
            before = (video.jitterBufferTargetDelay, video.jitterBufferEmittedCount)
            let audio = report.inboundRTP.first { $0.kind == .audio }
            return count > 5 && mean > 0.25 && audio?.playoutDelay == 0.3
                && video.audioVideoSkew.map { abs($0) < 0.045 } == true
        }
        #expect(isDelayed)
        await pair.close()
    }
}
