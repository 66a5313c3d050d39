public import RTC

/// A track of sound, our own or the other peer's.
///
/// Two of them are equal if they stand for the same track.
public final class WRKRTCAudioTrack: Sendable {
    /// The engine's track.
    public let track: AudioTrack
    /// Whether it is recorded here, and not received.
    public let isLocal: Bool

    init(_ track: AudioTrack, isLocal: Bool) {
        self.track = track
        self.isLocal = isLocal
    }

    /// A name that tells it from others.
    public var trackId: String { track.id }

    /// Whether it is heard. Our own track mutes us: the other peer gets silence, and nothing is negotiated. The other peer's
    /// is silenced here alone. It may be set at any time, from any thread.
    public var isEnabled: Bool {
        get { track.isEnabled }
        set { track.isEnabled = newValue }
    }

    /// Delivers all sound to `sink` from now on, in pieces of 10 ms at 48 kHz if it is received. The track keeps the sink.
    ///
    /// - Parameter sink: Called on threads of the engine's. It must return at once.
    public func add(_ sink: any AudioSink) { track.add(sink) }

    /// How loud the track is and whether somebody speaks, ten times a second, while it is enabled and sound comes. The sequence
    /// ends with the track.
    public var soundLevels: AsyncStream<SoundLevel> { track.soundLevels }

    /// Delivers no more to `sink`.
    public func remove(_ sink: any AudioSink) { track.remove(sink) }

    /// The sound from now on, until the track ends. A slow reader misses some.
    public var frames: AsyncStream<AudioFrame> { track.frames }
}

extension WRKRTCAudioTrack: Hashable {
    public static func == (first: WRKRTCAudioTrack, second: WRKRTCAudioTrack) -> Bool { first.track === second.track }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(track)) }
}
