import RTC
import RTCFrames
import RTCWire
import Testing

@Suite("Sound goes from one connection to the other", .timeLimit(.minutes(2)))
struct AudioCallTests {
    @Test("A tone is known again by its frequency, both ways", arguments: ["opus", "PCMU", "PCMA"])
    func bothWays(codec: String) async throws {
        try #require(LoopbackPair.isAvailable(codec))
        let pair = try LoopbackPair.media([codec])
        let (offererTracks, answererTracks) = (IncomingTracks(pair.offerer), IncomingTracks(pair.answerer))
        try await pair.answerer.addTrack(AudioTrack.tone(660))
        try await pair.offerer.addTrack(AudioTrack.tone(440))
        let listeners = [ToneListener(), ToneListener()]
        try await answererTracks.audio().add(listeners[0])
        try await offererTracks.audio().add(listeners[1])
        #expect(await listeners[0].waitForTone(440))
        #expect(await listeners[1].waitForTone(660))
        // Not at each moment: a busy machine tears sound apart.
        #expect(await eventually { listeners[0].frequency.map { abs($0 - 440) < 8 } ?? false })
        let frame = try #require(listeners[0].last)
        #expect(frame.sampleRate == 48_000)
        #expect(frame.samplesPerChannel == 480)
        let report = await pair.offerer.getStats()
        #expect(report.codecs.contains { $0.mimeType == "audio/\(codec)" })
        await pair.close()
    }

    @Test("Any rate and either number of channels can be sent", arguments: [(44_100, 2), (16_000, 1), (8_000, 2)])
    func rates(rate: Int, channels: Int) async throws {
        let pair = try LoopbackPair.media(["opus"])
        let incoming = IncomingTracks(pair.answerer)
        try await pair.offerer.addTrack(AudioTrack.tone(500, sampleRate: rate, channels: channels))
        let listener = ToneListener()
        try await incoming.audio().add(listener)
        #expect(await listener.waitForTone(500))
        await pair.close()
    }

    @Test("Sound comes at the pace at which it is heard")
    func pace() async throws {
        let pair = try LoopbackPair.media(["opus"])
        let incoming = IncomingTracks(pair.answerer)
        try await pair.offerer.addTrack(AudioTrack.tone(500))
        let listener = ToneListener()
        try await incoming.audio().add(listener)
        #expect(await listener.waitForTone(500))
        let (frames, begin) = (listener.frames, MediaClock.now)
        try await Task.sleep(for: .seconds(1))
        let expected = (MediaClock.now - begin).seconds * 100
        #expect(abs(Double(listener.frames - frames) - expected) < 15)
        await pair.close()
    }
}
