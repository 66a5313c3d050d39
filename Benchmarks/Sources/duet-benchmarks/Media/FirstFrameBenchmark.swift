import ArgumentParser
import RTC
import RTCFrames
import RTCMedia
import RTCWire

/// How long two peers of one process take from nothing to the first decoded frame that the receiving application sees.
///
/// Sound is sent as well, as in any call.
struct FirstFrameBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "first-frame")

    @Option(help: "How often to call.")
    var runs = 50

    func run() async throws {
        var times: [Double] = []
        for _ in 0..<runs { times.append(try await Self.call()) }
        print(
            """
            {"benchmark":"firstFrame","runs":\(runs),"medianMs":\(rounded(times.median)),\
            "minimumMs":\(rounded(times.min() ?? 0)),"p95Ms":\(rounded(times.percentile(95)))}
            """)
    }

    /// Milliseconds from before the first description to the first frame at a sink of the receiver's.
    private static func call() async throws -> Double {
        let pair = try MediaPair(codec: "VP8")
        let firstPicture = FirstTime()
        let events = pair.answerer.events
        let video = VideoTrack(source: PacedVideoSource(TestPattern(width: 640, height: 480), framesPerSecond: 30))
        let audio = AudioTrack(source: PacedAudioSource(Tone()))
        // Cameras and microphones run before a call begins.
        let (camera, microphone) = (VideoWatcher { _ in }, AudioWatcher { _ in })
        video.add(camera)
        audio.add(microphone)
        try await Task.sleep(for: .milliseconds(Int.random(in: 40...80)))
        let start = MediaClock.now
        try await pair.offerer.addTrack(video)
        try await pair.offerer.addTrack(audio)
        let watching = Task {
            var sinks: [VideoWatcher] = []
            for await case .track(let transceiver, _) in events {
                guard let track = transceiver.receiver.track as? VideoTrack else { continue }
                let sink = VideoWatcher { _ in firstPicture.note() }
                track.add(sink)
                sinks.append(sink)
            }
            return sinks.count
        }
        let picture = try await firstPicture.wait()
        video.remove(camera)
        audio.remove(microphone)
        await pair.close()
        _ = await watching.value
        return (picture - start).seconds * 1e3
    }
}
