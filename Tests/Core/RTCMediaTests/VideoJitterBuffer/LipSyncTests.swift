import RTCMedia
import RTCWire
import Testing

@Suite("Sound and picture are played together")
struct LipSyncTests {
    /// A receiver whose sound and picture take these times from capture to play-out, without what lip sync adds.
    private static func run(
        audio: Int64, video: Int64, audioClockRate: Int64 = 48_000, rounds: Int = 40
    ) -> (lipSync: LipSync, skew: Int64) {
        var lipSync = LipSync()
        let capture = NTPTimestamp(rawValue: 0xE000_0000 << 32)
        // The clocks of the two streams have nothing to do with each other, and wrap.
        lipSync.noteSenderReport(
            .audio, time: capture, timestamp: RTPTimestamp(0xFFFF_FF00), clockRate: UInt32(audioClockRate))
        lipSync.noteSenderReport(
            .video, time: capture.advanced(by: .milliseconds(700)), timestamp: RTPTimestamp(0x1234_0000),
            clockRate: 90_000)
        var skew: Int64 = 0
        for round in 1...rounds {
            // Sound captured at `time`, and a picture captured 13 ms before it.
            let time = Int64(round) * 1_000
            let heardAt = milliseconds(time) + .milliseconds(audio) + lipSync.extraAudioDelay
            let seenAt = milliseconds(time - 13) + .milliseconds(video) + lipSync.extraVideoDelay
            skew = ((seenAt - heardAt) + .milliseconds(13)).milliseconds
            _ = lipSync.update(
                audio: (RTPTimestamp(0xFFFF_FF00 &+ UInt32(time * audioClockRate / 1_000)), heardAt),
                video: (RTPTimestamp(0x1234_0000 &+ UInt32((time - 13 - 700) * 90)), seenAt))
        }
        return (lipSync, skew)
    }

    @Test(
        "Whichever is ahead is held back",
        arguments: [(20, 20), (20, 300), (300, 20), (0, 1_000), (40, 50)] as [(Int64, Int64)], [48_000, 8_000])
    func heldBack(delays: (audio: Int64, video: Int64), audioClockRate: Int64) {
        let (audio, video) = delays
        let (lipSync, skew) = Self.run(audio: audio, video: video, audioClockRate: audioClockRate)
        #expect(abs(skew) <= 16)
        #expect(lipSync.extraAudioDelay == .zero || lipSync.extraVideoDelay == .zero)
        if abs(audio - video) > 20 {
            #expect((lipSync.extraAudioDelay > .zero) == (audio < video))
        } else {
            #expect(lipSync.extraAudioDelay == .zero && lipSync.extraVideoDelay == .zero)
        }
    }

    @Test(
        "What a device takes to play is followed in steps, without being measured",
        arguments: [(0, 300), (300, 0), (40, 150), (150, 145)] as [(Int64, Int64)])
    func follows(device: (before: Int64, after: Int64)) {
        var lipSync = LipSync()
        func settle(_ delay: Int64) -> Int {
            var steps = 0
            while lipSync.follow(playoutDelay: .milliseconds(delay)) { steps += 1 }
            return steps
        }
        let first = settle(device.before)
        #expect(first == Int((device.before + 79) / 80))
        #expect(lipSync.extraVideoDelay == .milliseconds(device.before) && lipSync.extraAudioDelay == .zero)
        let second = settle(device.after)
        let isWorthIt = abs(device.before - device.after) >= 10
        #expect(second == (isWorthIt ? Int((abs(device.after - device.before) + 79) / 80) : 0))
        #expect(lipSync.playoutDelay == .milliseconds(isWorthIt ? device.after : device.before))
        #expect(lipSync.extraVideoDelay == lipSync.playoutDelay && lipSync.extraAudioDelay == .zero)
        #expect(lipSync.skew == nil)
    }

    @Test("A slow device makes up for slow video before anything else is delayed")
    func slowVideo() {
        var (lipSync, _) = Self.run(audio: 20, video: 120)
        let before = lipSync.extraAudioDelay
        #expect(before > .milliseconds(80) && lipSync.extraVideoDelay == .zero)
        let isChanged = lipSync.follow(playoutDelay: .milliseconds(60))
        #expect(isChanged)
        #expect(lipSync.extraAudioDelay == before - .milliseconds(60) && lipSync.extraVideoDelay == .zero)
    }

    @Test("No device delays the video by more than a second, whatever it says, and none advances it")
    func absurdDevice() {
        var lipSync = LipSync()
        for delay in [TimeDelta(nanoseconds: .max), .seconds(40), TimeDelta(nanoseconds: .min), .seconds(-3)] {
            for _ in 0..<100 { _ = lipSync.follow(playoutDelay: delay) }
            let expected = delay > .zero ? TimeDelta.seconds(1) : .zero
            #expect(lipSync.extraVideoDelay == expected && lipSync.extraAudioDelay == .zero)
        }
    }

    private func note(_ kind: MediaKind, _ time: NTPTimestamp, in lipSync: inout LipSync) {
        lipSync.noteSenderReport(
            kind, time: time, timestamp: RTPTimestamp(0), clockRate: kind == .audio ? 48_000 : 90_000)
    }

    @Test("Without reports of both streams nothing changes")
    func noReports() {
        var lipSync = LipSync()
        let played: LipSync.Presentation = (RTPTimestamp(0), .zero)
        var changed = false
        changed = lipSync.update(audio: played, video: played) || changed
        note(.audio, NTPTimestamp(rawValue: 1 << 32), in: &lipSync)
        // A sender without a clock.
        note(.video, NTPTimestamp(rawValue: 0), in: &lipSync)
        changed = lipSync.update(audio: played, video: played) || changed
        #expect(!changed)
        #expect(lipSync.skew == nil)
    }

    @Test("Reports that put hours between the streams are not believed")
    func absurd() {
        var lipSync = LipSync()
        note(.audio, NTPTimestamp(rawValue: 1 << 32), in: &lipSync)
        note(.video, NTPTimestamp(rawValue: 1 << 62), in: &lipSync)
        var changed = false
        for _ in 0..<10 where lipSync.update(audio: (RTPTimestamp(0), .zero), video: (RTPTimestamp(0), .zero)) {
            changed = true
        }
        #expect(!changed)
        #expect(lipSync.extraAudioDelay == .zero)
        #expect(lipSync.extraVideoDelay == .zero)
    }
}
