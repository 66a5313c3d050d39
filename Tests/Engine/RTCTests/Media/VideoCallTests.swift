import RTC
import RTCFrames
import Testing

@Suite("Pictures go from one connection to the other", .timeLimit(.minutes(2)))
struct VideoCallTests {
    @Test("The number in the picture is read at the other side, both ways", arguments: ["VP8", "VP9", "H264"])
    func bothWays(codec: String) async throws {
        try #require(LoopbackPair.isAvailable(codec))
        let pair = try LoopbackPair.media([codec])
        let (offererTracks, answererTracks) = (IncomingTracks(pair.offerer), IncomingTracks(pair.answerer))
        let tracks = [VideoTrack.test(), VideoTrack.test()]
        // A processor that cannot keep up lowers the frame rate, not the size, which is compared.
        for track in tracks { track.contentHint = .detail }
        try await pair.answerer.addTrack(tracks[0])
        try await pair.offerer.addTrack(tracks[1], streams: ["camera"])
        let readers = [PictureReader(), PictureReader()]
        try await answererTracks.video().add(readers[0])
        try await offererTracks.video().add(readers[1])
        for reader in readers {
            #expect(await reader.waitForReadings(20))
            let numbers = reader.seen.readings.map(\.number)
            #expect(numbers == numbers.sorted())
            #expect(Set(numbers).count == numbers.count)
            #expect(reader.seen.sizes.allSatisfy { $0 == [320, 192] })
        }
        #expect(answererTracks.all.first?.streams == ["camera"])
        let report = await pair.offerer.getStats()
        #expect(report.codecs.contains { $0.mimeType == "video/\(codec)" })
        await pair.close()
    }

    @Test("A picture is turned as the sender says")
    func rotation() async throws {
        let pair = try LoopbackPair.media(["VP8"])
        let incoming = IncomingTracks(pair.answerer)
        let track = VideoTrack()
        try await pair.offerer.addTrack(track)
        let reader = PictureReader()
        try await incoming.video().add(reader)
        var picture = TestPattern(width: 320, height: 192)
        #expect(
            await eventually {
                if var frame = picture.nextFrame(at: MediaClock.now) {
                    frame.rotation = .clockwise90
                    track.deliver(frame)
                }
                try? await Task.sleep(for: .milliseconds(40))
                return reader.seen.last?.rotation == .clockwise90
            })
        await pair.close()
    }

    @Test("A picture that stands still is seen by who comes later")
    func still() async throws {
        let pair = try LoopbackPair.media(["VP8"])
        let incoming = IncomingTracks(pair.answerer)
        let track = VideoTrack()
        try await pair.offerer.addTrack(track)
        var picture = TestPattern(width: 320, height: 192)
        let frame = picture.nextFrame(at: MediaClock.now)
        track.deliver(try #require(frame))
        let reader = PictureReader()
        try await incoming.video().add(reader)
        let isSeen = await reader.waitForReadings(1)
        let sent = await pair.offerer.getStats().outboundRTP
        let received = await pair.answerer.getStats().inboundRTP
        #expect(isSeen, "\(reader.seen.unreadable) unreadable; \(sent) \(received)")
        #expect(reader.seen.readings.first?.number == 0)
        await pair.close()
    }

    @Test("The size may change while it is sent")
    func sizeChanges() async throws {
        let pair = try LoopbackPair.media(["VP8"])
        let incoming = IncomingTracks(pair.answerer)
        let sender = try await pair.offerer.addTrack(VideoTrack.test())
        let reader = PictureReader()
        try await incoming.video().add(reader)
        #expect(await reader.waitForReadings(5))
        try await sender.replaceTrack(VideoTrack.test(width: 262, height: 198))
        #expect(await eventually { reader.seen.sizes.last == [262, 198] })
        #expect(await reader.waitForReadings(5))
        await pair.close()
    }
}
