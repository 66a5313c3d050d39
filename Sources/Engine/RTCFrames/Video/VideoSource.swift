public import RTCWire

/// Whatever takes pictures: an encoder, a view, a file.
public protocol VideoSink: AnyObject, Sendable {
    /// Takes the newest picture, on any thread, and returns at once.
    ///
    /// A sink that is still busy with an earlier one drops one of the two. That is the only back-pressure there is: a
    /// picture that waits is a late picture.
    func deliver(_ frame: VideoFrame)
}

/// Whatever makes pictures of its own accord: a camera, a screen, a file that plays.
///
/// A source has at most one sink. It may be started and stopped from any thread, any number of times.
public protocol VideoSource: AnyObject, Sendable {
    /// Delivers pictures to `sink` from now on, and to no other.
    func start(delivering sink: any VideoSink)
    /// Delivers no more, except for a picture that is on its way already; lets the sink go.
    func stop()
}

/// Whatever makes pictures when it is asked to. ``PacedVideoSource`` makes a ``VideoSource`` of it.
public protocol VideoFrameProducer: Sendable {
    /// The next picture, captured at `timestamp`; `nil` at the end.
    mutating func nextFrame(at timestamp: Instant) throws -> VideoFrame?
}
