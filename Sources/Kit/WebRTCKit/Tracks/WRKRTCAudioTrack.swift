public import RTC

/// A local or remote audio track.
///
/// Two values are equal if they stand for the same track.
public final class WRKRTCAudioTrack: Sendable {
    /// The track of the engine.
    public let track: AudioTrack
    /// Whether the track is recorded on this device.
    public let isLocal: Bool

    init(_ track: AudioTrack, isLocal: Bool) {
        self.track = track
        self.isLocal = isLocal
    }

    /// The identifier of the track.
    public var trackId: String { track.id }

    /// Whether the track is heard. Disabling a local track mutes it for the peer; disabling a remote track silences it
    /// on this device. No renegotiation is needed. May be set at any time, from any thread.
    ///
    /// A local track that is disabled stays so in the calls that follow, and so does the one that replaces it. ``SystemCalls`` and
    /// ``AudioSessionController`` enable the microphone's at the end of each call.
    public var isEnabled: Bool {
        get { track.isEnabled }
        set { track.isEnabled = newValue }
    }

    /// Adds a sink for the audio from now on; that of a remote track comes in buffers of 10 ms at 48 kHz. The track
    /// keeps the sink.
    ///
    /// - Parameter sink: Called on the engine's threads. It must return at once.
    public func add(_ sink: any AudioSink) { track.add(sink) }

    /// The audio level and voice activity, ten times per second, while the track is enabled and has audio. The sequence
    /// ends with the track.
    public var audioLevels: AsyncStream<AudioLevelReading> { track.audioLevels }

    /// Removes a sink.
    public func remove(_ sink: any AudioSink) { track.remove(sink) }

    /// The audio from now on, until the track ends. A slow reader loses some of it.
    public var frames: AsyncStream<AudioFrame> { track.frames }
}

extension WRKRTCAudioTrack: Hashable {
    public static func == (first: WRKRTCAudioTrack, second: WRKRTCAudioTrack) -> Bool { first.track === second.track }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(track)) }
}
