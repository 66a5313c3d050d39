public import RTCWire

/// Receives audio: an encoder, a loudspeaker, a file.
public protocol AudioSink: AnyObject, Sendable {
    /// Takes the next buffer, on any thread, and returns at once. A sink that cannot keep up drops some.
    func deliver(_ frame: AudioFrame)
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
