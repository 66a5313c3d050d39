import Dispatch
import RTC
import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("From an app's capturer to the engine")
struct CapturedVideoSourceTests {
    private func makeBuffer(_ width: Int32 = 64, _ height: Int32 = 48, shade: UInt8 = 100) throws -> RTCI420Buffer {
        let half = Int((width + 1) / 2) * Int((height + 1) / 2)
        return try #require(
            RTCI420Buffer(
                width: width, height: height, y: [UInt8](repeating: shade, count: Int(width) * Int(height)),
                u: [UInt8](repeating: 128, count: half), v: [UInt8](repeating: 128, count: half)))
    }

    @Test("A picture arrives as it is, without a copy, with its rotation and its time")
    func way() throws {
        let (source, sink, capturer) = (CapturedVideoSource(), FrameSink(), RTCVideoCapturer())
        source.start(delivering: sink)
        capturer.delegate = source
        let buffer = try makeBuffer()
        let now = MediaClock.now
        for rotation in RTCVideoRotation.allCases {
            let frame = RTCVideoFrame(
                buffer: buffer, rotation: rotation, timeStampNs: now.nanoseconds + Int64(rotation.rawValue))
            capturer.delegate?.capturer(capturer, didCapture: frame)
        }
        #expect(sink.frames.map(\.rotation) == [.none, .clockwise90, .clockwise180, .clockwise270])
        #expect(sink.frames.allSatisfy { $0.buffer === buffer.picture })
        #expect(sink.frames.allSatisfy { $0.timestamp >= now && $0.timestamp <= MediaClock.now })
        #expect(source.counts == .init(delivered: 4))
    }

    @Test("Sizes may change from picture to picture; one that cannot be is left out and counted")
    func sizes() throws {
        let (source, sink, capturer) = (CapturedVideoSource(), FrameSink(), RTCVideoCapturer())
        source.start(delivering: sink)
        let buffers: [any RTCVideoFrameBuffer] = [
            try makeBuffer(640, 360), try makeBuffer(1, 1), OwnBuffer(0, 48), OwnBuffer(64, -1), OwnBuffer(.max, .max),
            OwnBuffer(16_385, 1), OwnBuffer(.min, .min), try makeBuffer(33, 17),
        ]
        for (index, buffer) in buffers.enumerated() {
            let frame = RTCVideoFrame(buffer: buffer, rotation: ._0, timeStampNs: Int64(index))
            source.capturer(capturer, didCapture: frame)
        }
        #expect(sink.frames.map(\.width) == [640, 1, 33])
        #expect(source.counts == .init(delivered: 3, unusable: 5))
    }

    @Test("Before it is started and after it is stopped, pictures go nowhere")
    func unwanted() throws {
        let (source, sink, capturer) = (CapturedVideoSource(), FrameSink(), RTCVideoCapturer())
        let frame = RTCVideoFrame(buffer: try makeBuffer(), rotation: ._0, timeStampNs: 0)
        source.capturer(capturer, didCapture: frame)
        source.start(delivering: sink)
        source.capturer(capturer, didCapture: frame)
        source.stop()
        source.stop()
        source.capturer(capturer, didCapture: frame)
        #expect(sink.frames.count == 1)
        #expect(source.counts == .init(delivered: 1, unwanted: 2))
    }

    @Test("Any number of threads may deliver, while it is started and stopped: every picture is accounted for")
    func threads() throws {
        let (source, sink) = (CapturedVideoSource(), FrameSink(keeps: false))
        let buffer = try makeBuffer()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            let capturer = RTCVideoCapturer()
            capturer.delegate = source
            for index in 0..<1_000 {
                if thread == 0, index % 10 == 0 { index % 20 == 0 ? source.start(delivering: sink) : source.stop() }
                let frame = RTCVideoFrame(buffer: buffer, rotation: ._0, timeStampNs: Int64(index))
                capturer.delegate?.capturer(capturer, didCapture: frame)
            }
        }
        let counts = source.counts
        #expect(counts.delivered + counts.unwanted + counts.busy == 8_000)
        #expect(sink.count == counts.delivered)
        #expect(sink.wasOrdered)
    }

    @Test("A sink that captures again while it is delivered to does not hang")
    func reentrance() throws {
        let (source, capturer) = (CapturedVideoSource(), RTCVideoCapturer())
        let frame = RTCVideoFrame(buffer: try makeBuffer(), rotation: ._0, timeStampNs: 0)
        let sink = FrameSink { source.capturer(RTCVideoCapturer(), didCapture: frame) }
        source.start(delivering: sink)
        source.capturer(capturer, didCapture: frame)
        source.stop()
        #expect(source.counts == .init(delivered: 1, busy: 1))
    }

    @Test("A buffer of an app's own kind is converted once, when its pixels are needed")
    func ownBuffers() throws {
        let own = OwnBuffer(64, 48, picture: try makeBuffer(shade: 77))
        let buffer = try #require(own.engineFrameBuffer())
        #expect(buffer.width == 64 && buffer.height == 48 && own.conversions == 0)
        let pool = I420BufferPool()
        let picture = try #require(buffer.i420(from: pool))
        #expect(picture.withPlanes { $0.y.row(5)[5] } == 77)
        #expect(buffer.i420(from: pool) === picture && own.conversions == 1)
    }

    @Test("A buffer that cannot be converted, or gives another size than it says, has no picture")
    func uselessBuffers() throws {
        let pool = I420BufferPool()
        #expect(OwnBuffer(64, 48).engineFrameBuffer()?.i420(from: pool) == nil)
        let liar = OwnBuffer(64, 48, picture: try makeBuffer(32, 48))
        #expect(liar.engineFrameBuffer()?.i420(from: pool) == nil)
        #expect(liar.engineFrameBuffer()?.i420(from: pool) == nil)
    }

    @Test("A track made of it shows what the capturer captures, and stops it when nobody looks")
    func track() async throws {
        let (source, sink, capturer) = (CapturedVideoSource(), FrameSink(), RTCVideoCapturer())
        capturer.delegate = source
        let track = VideoTrack(source: source)
        let frame = RTCVideoFrame(buffer: try makeBuffer(), rotation: ._0, timeStampNs: 0)
        capturer.delegate?.capturer(capturer, didCapture: frame)
        track.add(sink)
        capturer.delegate?.capturer(capturer, didCapture: frame)
        track.isEnabled = false
        capturer.delegate?.capturer(capturer, didCapture: frame)
        track.isEnabled = true
        capturer.delegate?.capturer(capturer, didCapture: frame)
        track.stop()
        capturer.delegate?.capturer(capturer, didCapture: frame)
        #expect(sink.count == 2)
        #expect(source.counts == .init(delivered: 3, unwanted: 2))
    }

    @Test("A capturer does not keep its delegate")
    func weakDelegate() {
        let capturer = RTCVideoCapturer(delegate: CapturedVideoSource())
        #expect(capturer.delegate == nil)
    }
}

@Suite("Pictures from planes")
struct RTCI420BufferTests {
    @Test("Planes with gaps between their rows are copied row by row")
    func strides() throws {
        let y = (0..<3 * 8).map { UInt8($0) }
        let u = (0..<2 * 5).map { UInt8(100 + $0) }
        let v = (0..<2 * 6).map { UInt8(200 + $0) }
        let made = y.withUnsafeBytes { y in
            u.withUnsafeBytes { u in
                v.withUnsafeBytes { v in
                    RTCI420Buffer(
                        width: 5, height: 3, dataY: y, strideY: 8, dataU: u, strideU: 5, dataV: v, strideV: 6)
                }
            }
        }
        let buffer = try #require(made)
        #expect(buffer.width == 5 && buffer.height == 3 && buffer.toI420() === buffer)
        buffer.withPlanes { y, u, v in
            #expect(y[2 * Int(buffer.strideY) + 4] == 20)
            #expect(u[Int(buffer.strideU) + 2] == 107)
            #expect(v[Int(buffer.strideV) + 2] == 208)
        }
        let frame = RTCVideoFrame(buffer: buffer, rotation: ._90, timeStampNs: 7)
        let copy = try #require(frame.newI420())
        #expect(copy.width == 5 && copy.height == 3 && copy.rotation == ._90 && copy.timeStampNs == 7)
    }

    @Test("Planes that are too short, and sizes that cannot be, are refused")
    func refused() {
        func make(_ width: Int32, _ height: Int32, _ y: Int, _ u: Int, _ v: Int) -> RTCI420Buffer? {
            RTCI420Buffer(
                width: width, height: height, y: [UInt8](repeating: 0, count: y), u: [UInt8](repeating: 0, count: u),
                v: [UInt8](repeating: 0, count: v))
        }
        #expect(make(4, 4, 16, 4, 4) != nil)
        #expect(make(4, 4, 15, 4, 4) == nil && make(4, 4, 16, 3, 4) == nil && make(4, 4, 16, 4, 3) == nil)
        #expect(make(5, 5, 25, 9, 9) != nil && make(5, 5, 25, 8, 9) == nil)
        for (width, height) in [(0, 4), (4, 0), (-4, 4), (.min, .min), (.max, .max), (16_385, 1)] as [(Int32, Int32)] {
            #expect(make(width, height, 16, 4, 4) == nil)
        }
        let bytes = [UInt8](repeating: 0, count: 100)
        bytes.withUnsafeBytes { bytes in
            for stride in [Int32.min, -1, 0, 3, .max] {
                #expect(
                    RTCI420Buffer(
                        width: 4, height: 4, dataY: bytes, strideY: stride, dataU: bytes, strideU: 2, dataV: bytes,
                        strideV: 2) == nil)
            }
        }
    }
}

/// A buffer of an app's own kind.
private final class OwnBuffer: RTCVideoFrameBuffer {
    let width: Int32
    let height: Int32
    private let picture: RTCI420Buffer?
    private let count = Atomic(0)

    init(_ width: Int32, _ height: Int32, picture: RTCI420Buffer? = nil) {
        self.width = width
        self.height = height
        self.picture = picture
    }

    var conversions: Int { count.load(ordering: .relaxed) }

    func toI420() -> RTCI420Buffer? {
        count.add(1, ordering: .relaxed)
        return picture
    }
}

/// Keeps what it is given.
private final class FrameSink: VideoSink {
    private struct State {
        var frames: [VideoFrame] = []
        var count = 0
        var last = Instant(nanoseconds: .min)
        var wasOrdered = true
    }

    private let state = Mutex(State())
    private let keeps: Bool
    private let action: (@Sendable () -> Void)?

    init(keeps: Bool = true, action: (@Sendable () -> Void)? = nil) {
        self.keeps = keeps
        self.action = action
    }

    var frames: [VideoFrame] { state.withLock { $0.frames } }
    var count: Int { state.withLock { $0.count } }
    /// Whether no frame came with an earlier time than one before it.
    var wasOrdered: Bool { state.withLock { $0.wasOrdered } }

    func deliver(_ frame: VideoFrame) {
        state.withLock { state in
            state.count += 1
            if frame.timestamp <= state.last { state.wasOrdered = false }
            state.last = frame.timestamp
            if keeps { state.frames.append(frame) }
        }
        action?()
    }
}
