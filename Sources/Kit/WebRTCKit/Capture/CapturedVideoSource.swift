internal import RTC
internal import RTCFrames
internal import RTCWire
internal import Synchronization

/// Takes the frames of an ``RTCVideoCapturer`` and hands them to the engine: a controller sets it as the capturer's
/// delegate, and makes a track of it.
///
/// ```swift
/// let source = CapturedVideoSource()
/// capturer.delegate = source  // which the capturer does not keep
/// let track = VideoTrack(source: source)
/// ```
///
/// Frames may come on any thread, with any timestamps, in any size. What cannot be used is left out and counted.
final class CapturedVideoSource: VideoSource, RTCVideoCapturerDelegate, Sendable {
    /// What became of the frames.
    struct Counts: Sendable, Equatable {
        var delivered = 0
        /// Nobody wanted any at the time.
        var unwanted = 0
        /// Of a size that no picture may have.
        var unusable = 0
        /// Came while another thread was delivering one.
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
        // What goes with the last reference to it does not go under the lock.
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
            // Two at once would overtake each other.
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
