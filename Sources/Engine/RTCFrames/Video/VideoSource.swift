public import RTCWire

/// Receives video frames: an encoder, a view, a file.
public protocol VideoSink: AnyObject, Sendable {
    /// Takes the newest frame, on any thread, and returns at once.
    ///
    /// A sink that is busy with an earlier frame drops one of the two, because a frame that waits is late. There is no
    /// other back-pressure.
    func deliver(_ frame: VideoFrame)
}

/// Delivers video frames in real time: a camera, a screen, a file that is played.
///
/// A source has at most one sink. It may be started and stopped from any thread, any number of times.
public protocol VideoSource: AnyObject, Sendable {
    /// Starts to deliver frames to `sink`, in place of any other sink.
    func start(delivering sink: any VideoSink)
    /// Stops, and releases the sink. A frame that is being delivered may still arrive.
    func stop()
}

/// Produces video frames on demand. ``PacedVideoSource`` turns it into a ``VideoSource``.
public protocol VideoFrameProducer: Sendable {
    /// Returns the next frame, captured at `timestamp`; `nil` at the end.
    mutating func nextFrame(at timestamp: Instant) throws -> VideoFrame?
}
