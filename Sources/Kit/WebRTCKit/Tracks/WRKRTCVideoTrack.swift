public import RTC
internal import RTCDevices

/// A track of video, our own or the other peer's. `WebRTCVideoView` shows it; whoever wants the pictures themselves adds a
/// sink.
///
/// Two of them are equal if they stand for the same track.
public final class WRKRTCVideoTrack: Sendable {
    /// The engine's track.
    public let track: VideoTrack
    /// Whether it is recorded here, and not received.
    public let isLocal: Bool

    /// Of our own, whose angle a preview is turned by; `nil` where it is no camera of the machine.
    let camera: CameraFeed?
    let renderers = TrackRenderers()

    init(_ track: VideoTrack, isLocal: Bool, camera: CameraFeed? = nil) {
        self.track = track
        self.isLocal = isLocal
        self.camera = camera
    }

    /// A name that tells it from others.
    public var trackId: String { track.id }

    /// Whether its pictures are shown and sent. While they are not, the other peer sees black, and nothing is negotiated. It
    /// may be set at any time, from any thread.
    public var isEnabled: Bool {
        get { track.isEnabled }
        set { track.isEnabled = newValue }
    }

    /// Delivers the newest picture to `sink`, if there is one, and all from now on. The track keeps the sink.
    ///
    /// While a `MediaRecorder` records one's own camera, no other camera takes its place.
    ///
    /// - Parameter sink: Called on threads of the engine's. It must return at once.
    public func add(_ sink: any VideoSink) {
        if let camera { (sink as? MediaRecorder)?.hold(camera.selector) }
        track.add(sink)
    }

    /// Delivers no more to `sink`.
    public func remove(_ sink: any VideoSink) {
        track.remove(sink)
        if let camera { (sink as? MediaRecorder)?.letGo(of: camera.selector) }
    }

    /// The newest picture, if there is one, and those from now on, until the track ends. A slow reader misses some.
    public var frames: AsyncStream<VideoFrame> { track.frames }
}

extension WRKRTCVideoTrack: Hashable {
    public static func == (first: WRKRTCVideoTrack, second: WRKRTCVideoTrack) -> Bool { first.track === second.track }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(track)) }
}
