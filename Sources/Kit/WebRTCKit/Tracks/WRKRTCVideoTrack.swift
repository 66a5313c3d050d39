public import RTC
internal import RTCDevices
internal import RTCMediaFiles

/// A local or remote video track. Show it with a `WebRTCVideoView`, or add a sink to receive its frames.
///
/// Two values are equal if they stand for the same track.
public final class WRKRTCVideoTrack: Sendable {
    /// The track of the engine. Its `contentHint` says what a local track shows: `.text` keeps the size of a shared screen on a
    /// slow network, at fewer frames a second.
    public let track: VideoTrack
    /// Whether the track is recorded on this device.
    public let isLocal: Bool

    /// The local camera, which determines a preview's rotation; `nil` for other sources.
    let camera: CameraFeed?
    let renderers = TrackRenderers()

    init(_ track: VideoTrack, isLocal: Bool, camera: CameraFeed? = nil) {
        self.track = track
        self.isLocal = isLocal
        self.camera = camera
    }

    /// The identifier of the track.
    public var trackId: String { track.id }

    /// Whether the track is shown and sent. While a local track is disabled, the peer receives black frames, and the camera
    /// stays open, with its light on: ``WebRTCController/stopVideoRecording()`` closes it. No renegotiation is needed. May
    /// be set at any time, from any thread. A local track that is disabled stays so in the calls that follow.
    public var isEnabled: Bool {
        get { track.isEnabled }
        set { track.isEnabled = newValue }
    }

    /// Adds a sink for the latest frame, if there is one, and all frames from now on. The track keeps the sink.
    ///
    /// While a `MediaRecorder` records the local camera, no other camera is chosen.
    ///
    /// - Parameter sink: Called on the engine's threads. It must return at once.
    public func add(_ sink: any VideoSink) {
        if let camera { (sink as? MediaRecorder)?.hold(camera.selector) }
        track.add(sink)
    }

    /// Removes a sink.
    public func remove(_ sink: any VideoSink) {
        track.remove(sink)
        if let camera { (sink as? MediaRecorder)?.letGo(of: camera.selector) }
    }

    /// The latest frame, if there is one, and all frames from now on, until the track ends. A slow reader loses some of
    /// them.
    public var frames: AsyncStream<VideoFrame> { track.frames }
}

extension WRKRTCVideoTrack: Hashable {
    public static func == (first: WRKRTCVideoTrack, second: WRKRTCVideoTrack) -> Bool { first.track === second.track }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(track)) }
}
