public import RTCWire

/// Receives audio: an encoder, a loudspeaker, a file.
public protocol AudioSink: AnyObject, Sendable {
    /// Takes the next buffer, on any thread, and returns at once. A sink that cannot keep up drops some.
    func deliver(_ frame: AudioFrame)

    /// The time from delivering audio until it is heard, measured from its timestamp; `nil`, the default, for a sink that
    /// plays nothing.
    ///
    /// A sink that plays received audio says here how long that takes: the audio that it has stored, and the latency of
    /// its device. The video of the same stream is shown that much later, so that the two stay together, also if the
    /// latency changes during the call, as it does when a Bluetooth headset is connected. Smooth the value over a second
    /// or so; more than a second counts as a second. It is read on any thread, about twice a second.
    var playoutDelay: Duration? { get }
}

extension AudioSink {
    public var playoutDelay: Duration? { nil }
}

/// Delivers audio in real time: a microphone, a file that is played.
///
/// A source has at most one sink. It may be started and stopped from any thread, any number of times.
public protocol AudioSource: AnyObject, Sendable {
    /// Starts to deliver audio to `sink`, in place of any other sink.
    func start(delivering sink: any AudioSink)
    /// Stops, and releases the sink. A buffer that is being delivered may still arrive.
    func stop()

    /// Whether the source's echo cancellation works; `nil`, the default, for a source that is no microphone, or where
    /// nobody knows.
    var echoCancellation: EchoCancellation? { get }
}

extension AudioSource {
    public var echoCancellation: EchoCancellation? { nil }
}

/// Produces audio on demand. ``PacedAudioSource`` turns it into an ``AudioSource``.
public protocol AudioFrameProducer: Sendable {
    /// The sample rate in hertz.
    var sampleRate: Int { get }
    /// The number of channels, 1 or 2.
    var channels: Int { get }
    /// Returns the next `samplesPerChannel` samples of each channel, the first of which is captured at `timestamp`;
    /// fewer before the end, and `nil` at the end.
    mutating func nextFrame(samplesPerChannel: Int, at timestamp: Instant) throws -> AudioFrame?
}
