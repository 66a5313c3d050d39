import Dispatch
import RTCCodecs
import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import RTC
@testable import RTCMedia

/// What the other peer can pile up here, when somebody is slow or does not read.
@Suite("What waits is bounded")
struct MediaBoundsTests {
    private let log = PeerConnection.Configuration().logger

    @Test("Of a track that is muted and unmuted without end, the newest events wait")
    func trackEvents() async {
        let track = VideoTrack()
        let events = track.events
        for round in 0..<10_000 { track.core.setMuted(round % 2 == 0) }
        track.core.end(sendsEvent: true)
        var seen: [MediaTrackEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen.count == 16)
        #expect(seen.suffix(3) == [.mute, .unmute, .ended])
    }

    @Test("A broadcast keeps as much as it is told to")
    func broadcast() async {
        let broadcast = Broadcast<Int>(.bufferingNewest(1))
        let stream = broadcast.subscribe()
        for value in 0..<1_000 { broadcast.send(value) }
        broadcast.finish()
        var seen: [Int] = []
        for await value in stream { seen.append(value) }
        #expect(seen == [999])
    }

    @Test("A picture that came before its track was muted does not unmute it")
    func lateDecoding() async throws {
        let codec = RTPCodec(kind: .video, name: "VP8", clockRate: 90_000)
        let encoder = try CodecCatalog.system.makeVideoEncoder(
            for: codec, settings: VideoEncoderSettings(targetBitrate: .kilobits(200)))
        let frame = VideoFrame(buffer: I420Buffer(width: 64, height: 64), timestamp: MediaClock.now)
        var picture = picture(.vp8)
        picture.frame = try #require(try encoder.encode(frame, timestamp: RTPTimestamp(0), keyFrame: true))
        let track = VideoTrack(receivedAs: "picture")
        let pipeline = VideoReceivePipeline(track: track, log: log) { _ in
        } requestKeyFrame: {
        }
        pipeline.setCodecs([codec])
        pipeline.setReceiving(true)
        pipeline.mute()
        pipeline.receive(picture)
        #expect(await eventually { pipeline.statistics.framesDecoded == 1 })
        #expect(track.isMuted)
        picture.completed = MediaClock.now
        pipeline.receive(picture)
        #expect(await eventually { !track.isMuted })
        pipeline.close()
    }

    /// A key frame of no decoder's liking.
    private func picture(_ format: PayloadFormat, size: Int = 100) -> AssembledVideoFrame {
        let now = MediaClock.now
        return AssembledVideoFrame(
            frame: EncodedVideoFrame(
                format: format, data: [UInt8](repeating: 0, count: size), isKeyFrame: true, timestamp: RTPTimestamp(0),
                width: 0, height: 0, rotation: .none),
            renderTime: now, firstSequenceNumber: 0, lastSequenceNumber: 0, firstPacketArrival: now, completed: now,
            wasRetransmitted: false)
    }

    @Test("Pictures that a busy decoder has no time for: no more than 4 MiB of them")
    func pictures() async {
        let isHeld = Mutex(true)
        let hold = DispatchSemaphore(value: 0)
        let pipeline = VideoReceivePipeline(track: VideoTrack(), log: log) { _ in
        } requestKeyFrame: {
            // The first failure holds the decoder's thread.
            let mustWait = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if mustWait { hold.wait() }
        }
        pipeline.setCodecs([RTPCodec(kind: .video, name: "VP8", clockRate: 90_000)])
        pipeline.receive(picture(.vp8))
        #expect(await eventually { pipeline.statistics.decoderFailures == 1 })
        for _ in 0..<10 { pipeline.receive(picture(.vp8, size: 3 << 20)) }
        // The broken one, and all but the last of the large ones.
        #expect(pipeline.statistics.framesDropped == 10)
        hold.signal()
        pipeline.close()
    }

    @Test("Decoded pictures that wait for their time: twelve, or fewer when they are large")
    func decodedPictures() {
        for (width, height, count) in [(320, 192, 12), (1_920, 1_080, 12), (4_096, 2_304, 2)] {
            let presenter = FramePresenter { _ in }
            let buffer = I420Buffer(width: width, height: height)
            for index in 0..<20 {
                let time = MediaClock.now + .seconds(60 + Int64(index))
                presenter.present(VideoFrame(buffer: buffer, timestamp: time))
            }
            #expect(presenter.counts.dropped == 20 - count, "\(width) × \(height)")
            presenter.close()
        }
    }

    @Test("Codecs that alternate with every picture are not followed")
    func alternatingFormats() {
        let requests = Atomic(0)
        let pipeline = VideoReceivePipeline(track: VideoTrack(), log: log) { _ in
        } requestKeyFrame: {
            requests.add(1, ordering: .relaxed)
        }
        for _ in 0..<50 {
            pipeline.receive(picture(.vp8))
            pipeline.receive(picture(.vp9))
        }
        #expect(requests.load(ordering: .relaxed) > 40)
        pipeline.close()
    }

    @Test("Sources that end and begin without end need no new decoders, and leave silence")
    func endings() {
        let pipeline = AudioReceivePipeline(track: AudioTrack(receivedAs: "sound"), log: log)
        pipeline.setExtraDelay(.milliseconds(70))
        let begin = MediaClock.now
        for _ in 0..<20_000 { pipeline.reset() }
        // Opening decoders so often takes many times as long.
        #expect(MediaClock.now - begin < .seconds(5))
        #expect(pipeline.statistics.sound.audioLevel == 0 && pipeline.presentation == nil)
        pipeline.close()
    }

    @Test("Statistics say what video begins with before there is a picture")
    func startBitrate() {
        let pipeline = VideoSendPipeline(startBitrate: .kilobits(700), log: log) { _, _ in }
        #expect(pipeline.statistics.target == .kilobits(700))
        pipeline.setTarget(.kilobits(600))
        #expect(pipeline.statistics.target == .kilobits(600))
        var parameters = RTPSendParameters()
        parameters.maxBitrate = .kilobits(200)
        pipeline.setParameters(parameters)
        #expect(pipeline.statistics.target == .kilobits(200))
        pipeline.close()
    }

    @Test(
        "A bitrate to begin with that no path has counts as the highest or lowest", arguments: [.max, .min] as [Int64])
    func wildStartBitrate(bitsPerSecond: Int64) async throws {
        var configuration = PeerConnection.Configuration()
        configuration.media.startBitrate = Bitrate(bitsPerSecond: bitsPerSecond)
        let connection = try PeerConnection(configuration: configuration)
        await connection.close()
        var encoding = VideoEncoding()
        let codec = try #require(CodecCatalog.system.codecs.first { $0.codec.format == .vp8 }?.codec)
        let outcome = try encoding.encode(
            VideoFrame(buffer: I420Buffer(width: 320, height: 192), timestamp: MediaClock.now), codec: codec,
            parameters: RTPSendParameters(), target: Bitrate(bitsPerSecond: bitsPerSecond), framesPerSecond: 30,
            keyFrame: true, at: MediaClock.now)
        #expect(outcome.frame != nil && outcome.isLimitedByBandwidth == (bitsPerSecond < 0))
    }
}
