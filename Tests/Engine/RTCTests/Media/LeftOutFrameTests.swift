import Logging
import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Synchronization
import Testing

@testable import RTC

@Suite("A frame that the frame rate leaves out")
struct LeftOutFrameTests {
    @Test("It is shown after all when none follows: a page that has stopped scrolling")
    func last() async throws {
        let codec = try #require(CodecCatalog.system.codecs(of: .video).first { $0.name == "VP8" })
        let decoder = try CodecCatalog.system.makeVideoDecoder(for: codec)
        let encoded = Mutex<[EncodedVideoFrame]>([])
        let pipeline = VideoSendPipeline(startBitrate: .megabits(1), log: Logger(label: "test")) { frame, _ in
            encoded.withLock { $0.append(frame) }
        }
        var parameters = RTPSendParameters()
        parameters.maxFramerate = 4
        pipeline.setParameters(parameters)
        pipeline.setCodec(codec)
        func deliver(_ luma: UInt8) {
            let buffer = I420Buffer(width: 160, height: 96) { $0.y.fill(luma) }
            pipeline.deliver(VideoFrame(buffer: buffer, timestamp: MediaClock.now))
        }
        // The first two are let through at once.
        deliver(40)
        deliver(40)
        deliver(200)
        // The pipeline waits for nothing while four frames are on their way.
        var luma: [UInt8] = []
        let isShown = await eventually(within: 5) {
            for frame in encoded.withLock({ frames in
                defer { frames = [] }
                return frames
            }) {
                pipeline.didProcess()
                let buffer = try? decoder.decode(frame, timestamp: .zero)?.buffer.i420(from: I420BufferPool())
                if let buffer { luma.append(buffer.withPlanes { $0.y.row(48)[80] }) }
            }
            return (luma.last ?? 0) > 190
        }
        #expect(isShown && (luma.first ?? 255) < 50, "\(luma)")
        pipeline.close()
    }

    @Test("A key frame does not wait for the frames that it replaces")
    func replaced() async throws {
        let codec = try #require(CodecCatalog.system.codecs(of: .video).first { $0.name == "VP8" })
        let isKeyFrame = Mutex<[Bool]>([])
        let pipeline = VideoSendPipeline(startBitrate: .megabits(1), log: Logger(label: "test")) { frame, _ in
            isKeyFrame.withLock { $0.append(frame.isKeyFrame) }
        }
        pipeline.setCodec(codec)
        pipeline.deliver(VideoFrame(buffer: I420Buffer(width: 160, height: 96), timestamp: MediaClock.now))
        #expect(await eventually(within: 5) { isKeyFrame.withLock { $0.first == true } })
        // The packets before it take half a minute; then they are dropped.
        pipeline.didProcess(queue: .seconds(30))
        pipeline.requestKeyFrame(queue: .zero)
        pipeline.deliver(VideoFrame(buffer: I420Buffer(width: 160, height: 96), timestamp: MediaClock.now))
        #expect(await eventually(within: 5) { isKeyFrame.withLock { $0.filter { $0 }.count == 2 } })
        pipeline.close()
    }

    @Test("A track's hint reaches its senders with each frame, and may change")
    func hint() {
        let track = VideoTrack()
        #expect(track.contentHint == nil)
        track.contentHint = .text
        #expect(track.contentHint == .text && track.hint.value == .text)
        track.contentHint = nil
        #expect(track.hint.value == nil)
    }
}
