public import RTCFrames
public import RTCMedia
internal import RTCWire

/// A track of pictures (W3C MediaStreamTrack).
///
/// To send pictures, deliver them to a track of your own, or give it a source that makes them, such as a camera:
///
/// ```swift
/// let track = VideoTrack()
/// try await connection.addTrack(track)
/// track.deliver(VideoFrame(buffer: buffer, timestamp: MediaClock.now))
/// ```
///
/// To see pictures, of your own track or of one that is received, add a sink or read ``frames``:
///
/// ```swift
/// for await case .track(let transceiver, _) in connection.events {
///     if let track = transceiver.receiver.track as? VideoTrack { track.add(view) }
/// }
/// ```
///
/// A picture goes to everybody who is there when it is delivered, and the newest one to whoever comes later. Nobody is
/// waited for: who is too slow misses some.
public final class VideoTrack: MediaTrack, VideoSink {
    public let id: String
    let core: TrackCore<VideoFrame>

    public var kind: MediaKind { .video }

    /// - Parameters:
    ///   - id: Names the track to the other peer; a random name if left out.
    ///   - source: What makes the pictures. It runs while anybody needs them: a sender, a sink, or a reader of
    ///     ``frames``. Without it, pictures come by ``deliver(_:)``.
    public init(id: String? = nil, source: (any VideoSource)? = nil) {
        self.id = id ?? Self.randomID()
        core = Self.makeCore(isMuted: false, source: source)
    }

    /// A track that is received.
    init(receivedAs id: String) {
        self.id = id
        core = Self.makeCore(isMuted: true, source: nil)
    }

    private static func makeCore(isMuted: Bool, source: (any VideoSource)?) -> TrackCore<VideoFrame> {
        TrackCore(
            isMuted: isMuted,
            source: source.map { source in
                .init(start: { source.start(delivering: Input(core: $0)) }, stop: { source.stop() })
            },
            blanking: .init(blank: Self.black, interval: .seconds(1), keepsLast: true))
    }

    /// What a source delivers to. It does not keep the track: a track that nobody has stops its source.
    private final class Input: VideoSink {
        private let core: WeakReference<TrackCore<VideoFrame>>

        init(core: TrackCore<VideoFrame>) {
            self.core = WeakReference(core)
        }

        func deliver(_ frame: VideoFrame) { core.value?.deliver(frame) }
    }

    private static func black(_ frame: VideoFrame) -> VideoFrame {
        let buffer = I420Buffer(width: frame.width, height: frame.height)
        return VideoFrame(buffer: buffer, rotation: frame.rotation, timestamp: MediaClock.now)
    }

    public var isEnabled: Bool {
        get { core.isEnabled }
        set { core.setEnabled(newValue) }
    }

    /// Tells of changes of ``isEnabled``.
    ///
    /// - Parameters:
    ///   - id: Whoever wants to be told. The track does not keep it.
    ///   - observer: Called after each change, on the thread of whoever made it. `nil`: no more.
    package func observeEnabled(by id: ObjectIdentifier, _ observer: (@Sendable () -> Void)?) {
        core.observeEnabled(by: id, observer)
    }

    public var isMuted: Bool { core.isMuted }
    public var isEnded: Bool { core.isEnded }
    public var events: AsyncStream<MediaTrackEvent> { core.events }

    /// Takes the next picture, on any thread: for tracks without a source.
    public func deliver(_ frame: VideoFrame) { core.deliver(frame) }

    /// Delivers the newest picture to `sink`, if there is one, and every picture from now on. The track keeps the sink until it is removed or the track ends.
    ///
    /// - Parameter sink: Called on a thread of the engine's, or of the one who delivers. It must return at once.
    public func add(_ sink: any VideoSink) {
        core.add(.init(id: ObjectIdentifier(sink), isSender: false) { sink.deliver($0) })
    }

    /// Delivers no more to `sink`, except for a picture that is on its way already.
    public func remove(_ sink: any VideoSink) { core.remove(ObjectIdentifier(sink)) }

    /// The newest picture, if there is one, and those from now on; the sequence ends with the track, and keeps the track until then.
    ///
    /// Only the newest waits for a reader who is slow. Each use is a sequence of its own.
    public var frames: AsyncStream<VideoFrame> { keeping(self, core.subscribe(limit: 1)) }

    public func stop() { core.end(isTold: false) }
}
