import RTC
import RTCFrames
import Testing

@Suite("Statistics of sound and picture", .timeLimit(.minutes(2)))
struct MediaStatisticsTests {
    @Test("They say what was sent, received, encoded and decoded")
    func sane() async throws {
        let pair = try LoopbackPair.media(["VP8", "opus"])
        let incoming = IncomingTracks(pair.answerer)
        let (video, audio) = (VideoTrack.test(), AudioTrack.tone(440))
        try await pair.offerer.addTrack(video, streams: ["one"])
        try await pair.offerer.addTrack(audio, streams: ["one"])
        let (reader, listener) = (PictureReader(), ToneListener())
        try await incoming.video().add(reader)
        try await incoming.audio().add(listener)
        #expect(await reader.waitForReadings(30))
        #expect(await listener.waitForTone(440))
        // The first reports of the other side come within some seconds.
        #expect(await eventually { await pair.offerer.getStats().remoteInboundRTP.count == 2 })
        let sent = await pair.offerer.getStats()
        // Not at each moment: a busy machine tears sound apart.
        var received = await pair.answerer.getStats()
        let isLoud = await eventually {
            received = await pair.answerer.getStats()
            let audio = received.inboundRTP.first { $0.kind == .audio }
            return audio?.audioLevel.map { abs($0 - 0.177) < 0.05 } ?? false
        }
        #expect(isLoud)

        let outVideo = try #require(sent.outboundRTP.first { $0.kind == .video })
        #expect(outVideo.packetsSent >= 30)
        #expect(outVideo.bytesSent > 1_000)
        #expect(outVideo.framesEncoded ?? 0 >= 30)
        #expect(outVideo.framesSent ?? 0 >= 30)
        #expect(outVideo.keyFramesEncoded ?? 0 >= 1)
        #expect(outVideo.frameWidth == 320)
        #expect(outVideo.frameHeight == 192)
        #expect(outVideo.framesPerSecond ?? 0 > 5)
        #expect(outVideo.totalEncodeTime ?? 0 > 0)
        #expect(outVideo.encoderImplementation != nil)
        #expect(outVideo.targetBitrate ?? 0 > 10_000)
        #expect(outVideo.active)
        #expect(sent.candidatePairs.contains { $0.availableOutgoingBitrate ?? 0 > 10_000 })
        let outAudio = try #require(sent.outboundRTP.first { $0.kind == .audio })
        #expect(outAudio.packetsSent > 20)
        #expect(outAudio.framesEncoded == nil)
        let codecs = sent.codecs.map { ($0.mimeType, $0.clockRate, $0.channels) }
        #expect(codecs.contains { $0 == ("video/VP8", 90_000, nil) }, "\(codecs)")
        #expect(codecs.contains { $0 == ("audio/opus", 48_000, 2) }, "\(codecs)")
        for entry in sent.outboundRTP {
            #expect(sent.codecs.contains { $0.id == entry.codecId })
            #expect(sent.mediaSources.contains { $0.id == entry.mediaSourceId })
            let remote = try #require(sent.remoteInboundRTP.first { $0.id == entry.remoteId })
            #expect(remote.localId == entry.id)
            #expect(remote.fractionLost < 0.5)
            #expect((1...entry.packetsSent).contains(remote.packetsReceived + remote.packetsLost))
            #expect(remote.timestamp <= Double(MediaClock.now.nanoseconds) / 1e9)
        }
        #expect(sent.mediaSources.first { $0.kind == .video }?.trackIdentifier == video.id)
        #expect(sent.mediaSources.first { $0.kind == .video }?.width == 320)
        let source = try #require(sent.mediaSources.first { $0.kind == .audio })
        #expect(source.audioLevel.map { abs($0 - 0.177) < 0.03 } ?? false)

        let inVideo = try #require(received.inboundRTP.first { $0.kind == .video })
        #expect(inVideo.ssrc == outVideo.ssrc)
        #expect(inVideo.framesDecoded ?? 0 >= 30)
        #expect(inVideo.keyFramesDecoded ?? 0 >= 1)
        #expect(inVideo.frameWidth == 320)
        #expect(inVideo.totalDecodeTime ?? 0 > 0)
        #expect(inVideo.decoderImplementation != nil)
        #expect(inVideo.jitterBufferEmittedCount > 0)
        let inAudio = try #require(received.inboundRTP.first { $0.kind == .audio })
        #expect(inAudio.totalSamplesReceived ?? 0 > 24_000)
        #expect(inAudio.totalAudioEnergy ?? 0 > 0)
        #expect(inAudio.concealedSamples ?? .max < (inAudio.totalSamplesReceived ?? 0) / 2)
        await pair.close()
    }
}
