import RTCMedia
import RTCWire
import Testing

@Suite("Sound and picture are played together")
struct LipSyncTests {
    /// A receiver whose sound and picture take these times from capture to play-out, without what lip sync adds.
    private static func run(audio: Int64, video: Int64, rounds: Int = 40) -> (lipSync: LipSync, skew: Int64) {
        var lipSync = LipSync(audioClockRate: 48_000)
        let capture = NTPTimestamp(rawValue: 0xE000_0000 << 32)
        // The clocks of the two streams have nothing to do with each other, and wrap.
        lipSync.noteSenderReport(.audio, time: capture, timestamp: RTPTimestamp(0xFFFF_FF00))
        lipSync.noteSenderReport(
            .video, time: capture.advanced(by: .milliseconds(700)), timestamp: RTPTimestamp(0x1234_0000))
        var skew: Int64 = 0
        for round in 1...rounds {
            // Sound captured at `time`, and a picture captured 13 ms before it.
            let time = Int64(round) * 1_000
            let heardAt = milliseconds(time) + .milliseconds(audio) + lipSync.extraAudioDelay
            let seenAt = milliseconds(time - 13) + .milliseconds(video) + lipSync.extraVideoDelay
            skew = ((seenAt - heardAt) + .milliseconds(13)).milliseconds
            _ = lipSync.update(
                audio: (RTPTimestamp(0xFFFF_FF00 &+ UInt32(time * 48)), heardAt),
                video: (RTPTimestamp(0x1234_0000 &+ UInt32((time - 13 - 700) * 90)), seenAt))
        }
        return (lipSync, skew)
    }

    @Test(
        "Whichever is ahead is held back",
        arguments: [(20, 20), (20, 300), (300, 20), (0, 1_000), (40, 50)] as [(Int64, Int64)])
    func heldBack(audio: Int64, video: Int64) {
        let (lipSync, skew) = Self.run(audio: audio, video: video)
        #expect(abs(skew) <= 16)
        #expect(lipSync.extraAudioDelay == .zero || lipSync.extraVideoDelay == .zero)
        if abs(audio - video) > 20 {
            #expect((lipSync.extraAudioDelay > .zero) == (audio < video))
        } else {
            #expect(lipSync.extraAudioDelay == .zero && lipSync.extraVideoDelay == .zero)
        }
    }

    @Test("Without reports of both streams nothing changes")
    func noReports() {
        var lipSync = LipSync()
        let played: LipSync.Presentation = (RTPTimestamp(0), .zero)
        var changed = false
        changed = lipSync.update(audio: played, video: played) || changed
        lipSync.noteSenderReport(.audio, time: NTPTimestamp(rawValue: 1 << 32), timestamp: RTPTimestamp(0))
        // A sender without a clock.
        lipSync.noteSenderReport(.video, time: NTPTimestamp(rawValue: 0), timestamp: RTPTimestamp(0))
        changed = lipSync.update(audio: played, video: played) || changed
        #expect(!changed)
        #expect(lipSync.skew == nil)
    }

    @Test("Reports that put hours between the streams are not believed")
    func absurd() {
        var lipSync = LipSync()
        lipSync.noteSenderReport(.audio, time: NTPTimestamp(rawValue: 1 << 32), timestamp: RTPTimestamp(0))
        lipSync.noteSenderReport(.video, time: NTPTimestamp(rawValue: 1 << 62), timestamp: RTPTimestamp(0))
        var changed = false
        for _ in 0..<10 where lipSync.update(audio: (RTPTimestamp(0), .zero), video: (RTPTimestamp(0), .zero)) {
            changed = true
        }
        #expect(!changed)
        #expect(lipSync.extraAudioDelay == .zero)
        #expect(lipSync.extraVideoDelay == .zero)
    }
}
