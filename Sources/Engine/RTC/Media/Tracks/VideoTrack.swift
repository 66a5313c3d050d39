public import RTCFrames
public import RTCMedia
internal import RTCWire

/// A video track (W3C MediaStreamTrack).
///
/// To send video, deliver frames to a local track, or create the track with a source such as a camera:
///
/// ```swift
/// let track = VideoTrack()
/// try await connection.addTrack(track)
/// track.deliver(VideoFrame(buffer: buffer, timestamp: MediaClock.now))
/// ```
///
/// To receive the frames of a local or remote track, add a sink or read ``frames``:
///
/// ```swift
/// for await case .track(let transceiver, _) in connection.events {
///     if let track = transceiver.receiver.track as? VideoTrack { track.add(view) }
/// }
/// ```
///
/// Each frame is delivered to all sinks and readers, and the newest frame to those that are added later. Slow readers
/// lose frames.
public final class VideoTrack: MediaTrack, VideoSink {
    public let id: String
    let core: TrackCore<VideoFrame>
    let hint = VideoContentHintBox()

    public var kind: MediaKind { .video }

    /// Creates a local track.
    ///
    /// - Parameters:
    ///   - id: The identifier of the track, which the peer learns; random by default.
    ///   - source: The source of the frames, which runs while a sender, a sink or a reader of ``frames`` needs it.
    ///     Without a source, deliver frames with ``deliver(_:)``.
    public init(id: String? = nil, source: (any VideoSource)? = nil) {
        self.id = id ?? Self.randomID()
        core = Self.makeCore(isMuted: false, source: source)
    }

    /// Creates a remote track.
    init(receivedAs id: String) {
        self.id = id
        core = Self.makeCore(isMuted: true, source: nil)
    }

    private static func makeCore(isMuted: Bool, source: (any VideoSource)?) -> TrackCore<VideoFrame> {
        TrackCore(
            isMuted: isMuted,
            source: source.map { source in
                .init(start: { source.start(delivering: SourceInput(core: $0)) }, stop: { source.stop() })
            },
            blanking: .init(blank: Self.black, interval: .seconds(1), keepsLast: true))
    }

    private static func black(_ frame: VideoFrame) -> VideoFrame {
        let buffer = I420Buffer(width: frame.width, height: frame.height)
        return VideoFrame(buffer: buffer, rotation: frame.rotation, timestamp: MediaClock.now)
    }

    public var isEnabled: Bool {
        get { core.isEnabled }
        set { core.setEnabled(newValue) }
    }

    /// Observes changes of ``isEnabled``.
    ///
    /// - Parameters:
    ///   - id: Identifies the observer, without a reference to it.
    ///   - observer: Called after each change, on the thread that made it. `nil` ends the observation.
    package func observeEnabled(by id: ObjectIdentifier, _ observer: (@Sendable () -> Void)?) {
        core.observeEnabled(by: id, observer)
    }

    /// What the track shows (W3C `contentHint`); `nil` for anything. Senders decide by it whether they give up size or frame rate
    /// on a slow network: set ``VideoContentHint/text`` for a shared screen. May be set at any time, without renegotiation; it
    /// takes effect with the next frame.
    public var contentHint: VideoContentHint? {
        get { hint.value }
        set { hint.value = newValue }
    }

    public var isMuted: Bool { core.isMuted }
    public var isEnded: Bool { core.isEnded }
    public var events: AsyncStream<MediaTrackEvent> { core.events }

    /// Delivers the next frame, on any thread. For tracks without a source.
    public func deliver(_ frame: VideoFrame) { core.deliver(frame) }

    /// Adds a sink for the newest frame, if there is one, and all frames from now on. The track keeps the sink until it
    /// is removed or the track ends.
    ///
    /// - Parameter sink: Called on a thread of the engine, or of the caller of ``deliver(_:)``. It must return at once.
    public func add(_ sink: any VideoSink) {
        core.add(.init(id: ObjectIdentifier(sink), isSender: false) { sink.deliver($0) })
    }

    /// Removes a sink. A frame that is being delivered may still arrive.
    public func remove(_ sink: any VideoSink) { core.remove(ObjectIdentifier(sink)) }

    /// The newest frame, if there is one, and all frames from now on. The sequence ends with the track, and keeps it
    /// until then.
    ///
    /// A slow reader receives only the newest frame. Each access creates a new sequence.
    public var frames: AsyncStream<VideoFrame> { keeping(self, core.subscribe(limit: 1)) }

    public func stop() { core.end(sendsEvent: false) }
}
