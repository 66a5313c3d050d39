import ArgumentParser
import RTC
import RTCFrames
import RTCMedia
import RTCWire

/// How long two peers of one process take from nothing to the first decoded picture and the first sound.
struct FirstFrameBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "first-frame")

    @Option(help: "How often to call.")
    var runs = 50

    func run() async throws {
        var video: [Double] = []
        var audio: [Double] = []
        for _ in 0..<runs {
            let (picture, sound) = try await Self.call()
            video.append(picture)
            audio.append(sound)
        }
        let both = zip(video, audio).map { max($0, $1) }
        print(
            """
            {"benchmark":"firstFrame","runs":\(runs),"medianMs":\(rounded(both.median)),\
            "videoMs":\(rounded(video.median)),"audioMs":\(rounded(audio.median)),\
            "p95Ms":\(rounded(both.percentile(95)))}
            """)
    }

    /// Milliseconds from the first description to the first picture and the first sound that is not silence.
    private static func call() async throws -> (video: Double, audio: Double) {
        let pair = try MediaPair(codec: "VP8")
        let (firstPicture, firstSound) = (FirstTime(), FirstTime())
        let events = pair.answerer.events
        let video = VideoTrack(source: PacedVideoSource(TestPicture(width: 640, height: 480), framesPerSecond: 30))
        let audio = AudioTrack(source: PacedAudioSource(Tone()))
        // Cameras and microphones run before a call begins.
        let (camera, microphone) = (VideoWatcher { _ in }, AudioWatcher { _ in })
        video.add(camera)
        audio.add(microphone)
        try await Task.sleep(for: .milliseconds(Int.random(in: 40...80)))
        let start = MediaClock.now
        let transceiver = try await pair.offerer.addTransceiver(sending: video)
        try await pair.offerer.addTrack(audio)
        _ = transceiver
        let watching = Task {
            var sinks: [AnyObject] = []
            for await case .track(let transceiver, _) in events {
                if let track = transceiver.receiver.track as? VideoTrack {
                    let sink = VideoWatcher { _ in firstPicture.note() }
                    track.add(sink)
                    sinks.append(sink)
                } else if let track = transceiver.receiver.track as? AudioTrack {
                    let sink = AudioWatcher { sound in
                        if sound.samples.contains(where: { abs(Int($0)) > 200 }) { firstSound.note() }
                    }
                    track.add(sink)
                    sinks.append(sink)
                }
            }
            return sinks.count
        }
        let (picture, sound) = (try await firstPicture.wait(), try await firstSound.wait())
        video.remove(camera)
        audio.remove(microphone)
        await pair.close()
        _ = await watching.value
        return ((picture - start).seconds * 1e3, (sound - start).seconds * 1e3)
    }
}
