public import RTCFrames
public import RTCMedia
internal import RTCWire

/// An audio track (W3C MediaStreamTrack).
///
/// To send audio, deliver it to a local track, or create the track with a source such as a microphone. Buffers may have
/// any length up to a second, any sample rate from 8 to 192 kHz, and one or two channels:
///
/// ```swift
/// let track = AudioTrack()
/// try await connection.addTrack(track)
/// track.deliver(AudioFrame(samples: samples, sampleRate: 44_100, channels: 1, timestamp: MediaClock.now))
/// ```
///
/// To receive the audio of a local or remote track, add a sink or read ``frames``. A remote track delivers buffers of
/// 10 ms at 48 kHz without gaps, at the pace of playout: lost packets are concealed.
public final class AudioTrack: MediaTrack, AudioSink {
    public let id: String
    let core: TrackCore<AudioFrame>
    private let source: (any AudioSource)?

    public var kind: MediaKind { .audio }

    /// Creates a local track.
    ///
    /// - Parameters:
    ///   - id: The identifier of the track, which the peer learns; random by default.
    ///   - source: The source of the audio, which runs while a sender, a sink or a reader of ``frames`` needs it.
    ///     Without a source, deliver audio with ``deliver(_:)``.
    public init(id: String? = nil, source: (any AudioSource)? = nil) {
        self.id = id ?? Self.randomID()
        self.source = source
        core = Self.makeCore(isMuted: false, source: source)
    }

    /// Creates a remote track.
    init(receivedAs id: String) {
        self.id = id
        source = nil
        core = Self.makeCore(isMuted: true, source: nil)
    }

    private static func makeCore(isMuted: Bool, source: (any AudioSource)?) -> TrackCore<AudioFrame> {
        TrackCore(
            isMuted: isMuted,
            source: source.map { source in
                .init(start: { source.start(delivering: SourceInput(core: $0)) }, stop: { source.stop() })
            },
            blanking: .init(blank: Self.silence, interval: .zero, keepsLast: false), delaying: Self.delayed)
    }

    private static func silence(_ frame: AudioFrame) -> AudioFrame {
        var frame = frame
        frame.samples = [Int16](repeating: 0, count: frame.samples.count)
        return frame
    }

    private static func delayed(_ frame: AudioFrame, by delay: TimeDelta) -> AudioFrame {
        var frame = frame
        frame.timestamp += delay
        return frame
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

    /// Whether the echo cancellation of the track's microphone works.
    var echoCancellation: EchoCancellation? { source?.echoCancellation }

    public var isMuted: Bool { core.isMuted }
    public var isEnded: Bool { core.isEnded }
    public var events: AsyncStream<MediaTrackEvent> { core.events }

    /// Delivers the next buffer of audio, on any thread. For tracks without a source.
    public func deliver(_ frame: AudioFrame) { core.deliver(frame) }

    /// Adds a sink for the audio from now on. The track keeps the sink until it is removed or the track ends.
    ///
    /// The video of the same stream waits for a sink that plays and says how long that takes
    /// (``AudioSink/playoutDelay``); of several, for the slowest.
    ///
    /// - Parameter sink: Called on a thread of the engine, or of the caller of ``deliver(_:)``. It must return at once.
    public func add(_ sink: any AudioSink) {
        var output = TrackCore<AudioFrame>.Output(id: ObjectIdentifier(sink), isSender: false) { sink.deliver($0) }
        output.playoutDelay = { sink.playoutDelay }
        core.add(output)
    }

    /// Removes a sink. A buffer that is being delivered may still arrive.
    public func remove(_ sink: any AudioSink) { core.remove(ObjectIdentifier(sink)) }

    /// The audio from now on. The sequence ends with the track, and keeps it until then.
    ///
    /// A slow reader receives the newest 50 buffers, half a second of a remote track. Each access creates a new
    /// sequence.
    public var frames: AsyncStream<AudioFrame> { keeping(self, core.subscribe(limit: 50)) }

    public func stop() { core.end(sendsEvent: false) }
}
