public import RTCFrames
public import RTCMedia
internal import RTCWire

/// A track of sound (W3C MediaStreamTrack).
///
/// To send sound, deliver it to a track of your own, or give it a source that makes it, such as a microphone. Pieces may
/// have any length up to a second, any sample rate from 8 to 192 kHz, and one or two channels:
///
/// ```swift
/// let track = AudioTrack()
/// try await connection.addTrack(track)
/// track.deliver(AudioFrame(samples: samples, sampleRate: 44_100, channels: 1, timestamp: MediaClock.now))
/// ```
///
/// To hear sound, of your own track or of one that is received, add a sink or read ``frames``. What is received comes in
/// pieces of 10 ms at 48 kHz, without a gap, at the pace at which it is to be heard: what the network lost is concealed.
public final class AudioTrack: MediaTrack, AudioSink {
    public let id: String
    let core: TrackCore<AudioFrame>

    public var kind: MediaKind { .audio }

    /// - Parameters:
    ///   - id: Names the track to the other peer; a random name if left out.
    ///   - source: What makes the sound. It runs while anybody needs it: a sender, a sink, or a reader of ``frames``.
    ///     Without it, sound comes by ``deliver(_:)``.
    public init(id: String? = nil, source: (any AudioSource)? = nil) {
        self.id = id ?? Self.randomID()
        core = Self.makeCore(isMuted: false, source: source)
    }

    /// A track that is received.
    init(receivedAs id: String) {
        self.id = id
        core = Self.makeCore(isMuted: true, source: nil)
    }

    private static func makeCore(isMuted: Bool, source: (any AudioSource)?) -> TrackCore<AudioFrame> {
        TrackCore(
            isMuted: isMuted,
            source: source.map { source in
                .init(start: { source.start(delivering: Input(core: $0)) }, stop: { source.stop() })
            },
            blanking: .init(blank: Self.silence, interval: .zero, keepsLast: false))
    }

    /// What a source delivers to. It does not keep the track: a track that nobody has stops its source.
    private final class Input: AudioSink {
        private let core: WeakReference<TrackCore<AudioFrame>>

        init(core: TrackCore<AudioFrame>) {
            self.core = WeakReference(core)
        }

        func deliver(_ frame: AudioFrame) { core.value?.deliver(frame) }
    }

    private static func silence(_ frame: AudioFrame) -> AudioFrame {
        var frame = frame
        frame.samples = [Int16](repeating: 0, count: frame.samples.count)
        return frame
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

    /// Takes the next piece of sound, on any thread: for tracks without a source.
    public func deliver(_ frame: AudioFrame) { core.deliver(frame) }

    /// Delivers all sound to `sink` from now on. The track keeps the sink until it is removed or the track ends.
    ///
    /// - Parameter sink: Called on a thread of the engine's, or of the one who delivers. It must return at once.
    public func add(_ sink: any AudioSink) {
        core.add(.init(id: ObjectIdentifier(sink), isSender: false) { sink.deliver($0) })
    }

    /// Delivers no more to `sink`, except for a piece that is on its way already.
    public func remove(_ sink: any AudioSink) { core.remove(ObjectIdentifier(sink)) }

    /// The sound from now on; the sequence ends with the track, and keeps the track until then.
    ///
    /// The newest 50 pieces wait for a reader who is slow: half a second of what is received. Each use is a sequence of its
    /// own.
    public var frames: AsyncStream<AudioFrame> { keeping(self, core.subscribe(limit: 50)) }

    public func stop() { core.end(isTold: false) }
}
