import RTC
import RTCFrames
import RTCWire
import Testing

@Suite("Tracks hand on what they are given")
struct TrackTests {
    private func picture(_ width: Int = 64) -> VideoFrame {
        VideoFrame(buffer: I420Buffer(width: width, height: 48), timestamp: MediaClock.now)
    }

    @Test("A sequence of pictures keeps the newest, and ends with the track")
    func frames() async {
        let track = VideoTrack()
        let frames = track.frames
        track.deliver(picture(64))
        track.deliver(picture(66))
        track.stop()
        var widths: [Int] = []
        for await frame in frames { widths.append(frame.width) }
        #expect(widths == [66])
        #expect(track.isEnded)
        for await _ in track.frames { Issue.record("an ended track delivered") }
    }

    @Test("A sequence keeps its track, and a cancelled reader is no reader any more")
    func sequences() async throws {
        var track: AudioTrack? = AudioTrack()
        let frames = try #require(track?.frames)
        weak let weakTrack = track
        track?.deliver(AudioFrame(samples: [1, 2, 3], sampleRate: 48_000, channels: 1, timestamp: MediaClock.now))
        track = nil
        let reader = Task {
            var count = 0
            for await _ in frames { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(weakTrack != nil)
        reader.cancel()
        #expect(await reader.value == 1)
    }

    @Test("A track tells how loud it is and whether somebody speaks, and ceases with its reader")
    func audioLevels() async throws {
        let track = AudioTrack()
        func deliver(_ value: Int16, pieces: Int) {
            for _ in 0..<pieces {
                track.deliver(
                    AudioFrame(
                        samples: [Int16](repeating: value, count: 480), sampleRate: 48_000, channels: 1,
                        timestamp: MediaClock.now))
            }
        }
        var levels = track.audioLevels.makeAsyncIterator()
        deliver(3, pieces: 40)
        let quiet = try #require(await levels.next())
        #expect(!quiet.isSpeaking && quiet.meter == 0)
        deliver(8_000, pieces: 10)
        let loud = try #require(await levels.next())
        #expect(loud.isSpeaking && loud.level.rawValue == 12 && abs(loud.meter - 0.8) < 0.001)
        track.isEnabled = false
        deliver(8_000, pieces: 100)
        track.stop()
        #expect(await levels.next() == nil)
    }

    @Test("A disabled track delivers nothing here")
    func disabled() async {
        let track = VideoTrack()
        let reader = PictureReader()
        track.add(reader)
        track.deliver(picture())
        track.isEnabled = false
        track.deliver(picture())
        #expect(reader.count == 1)
        track.isEnabled = true
        track.deliver(picture())
        #expect(reader.count == 2)
        track.add(reader)
        track.deliver(picture())
        #expect(reader.count == 3)
        track.remove(reader)
        track.deliver(picture())
        #expect(reader.count == 3)
    }
}
