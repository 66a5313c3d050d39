internal import RTC
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// Passes the frames of an ``RTCVideoCapturer`` to the engine: a controller sets it as the capturer's delegate, and creates a
/// track from it.
///
/// ```swift
/// let source = CapturedVideoSource()
/// capturer.delegate = source  // which the capturer does not keep
/// let track = VideoTrack(source: source)
/// ```
///
/// Frames may arrive on any thread, with any timestamps, in any size. Invalid ones are dropped and counted.
final class CapturedVideoSource: VideoSource, RTCVideoCapturerDelegate, Sendable {
    /// The numbers of delivered and dropped frames.
    struct Counts: Sendable, Equatable {
        var delivered = 0
        /// Frames that arrived while there was no sink.
        var unwanted = 0
        /// Frames with an invalid size.
        var unusable = 0
        /// Frames that arrived while another thread was delivering one.
        var busy = 0
    }

    private struct State {
        var sink: (any VideoSink)?
        var clock = CaptureClock()
        var isDelivering = false
        var counts = Counts()
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Instant

    init(now: @escaping @Sendable () -> Instant = { MediaClock.now }) {
        self.now = now
    }

    var counts: Counts { state.withLock { $0.counts } }

    func start(delivering sink: any VideoSink) {
        state.withLock { $0.sink = sink }
    }

    func stop() {
        let sink = state.withLock { state in
            defer { state.sink = nil }
            return state.sink
        }
        // The last reference to the sink must not be released under the lock.
        withExtendedLifetime(sink) {}
    }

    func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame) {
        let buffer = frame.buffer.engineFrameBuffer()
        let time = now()
        let taken: (sink: any VideoSink, time: Instant)? = state.withLock { state in
            guard let sink = state.sink else {
                state.counts.unwanted += 1
                return nil
            }
            guard buffer != nil else {
                state.counts.unusable += 1
                return nil
            }
            // Two deliveries at once would change the order of frames.
            guard !state.isDelivering else {
                state.counts.busy += 1
                return nil
            }
            state.isDelivering = true
            state.counts.delivered += 1
            return (sink, state.clock.time(captured: Instant(nanoseconds: frame.timeStampNs), at: time))
        }
        guard let taken, let buffer else { return }
        taken.sink.deliver(VideoFrame(buffer: buffer, rotation: VideoRotation(frame.rotation), timestamp: taken.time))
        state.withLock { $0.isDelivering = false }
    }
}

extension VideoRotation {
    init(_ rotation: RTCVideoRotation) {
        switch rotation {
        case ._0: self = .none
        case ._90: self = .clockwise90
        case ._180: self = .clockwise180
        case ._270: self = .clockwise270
        }
    }
}
