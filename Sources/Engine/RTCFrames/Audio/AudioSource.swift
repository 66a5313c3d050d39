public import RTCWire

/// Whatever takes sound: an encoder, a loudspeaker, a file.
public protocol AudioSink: AnyObject, Sendable {
    /// Takes the next piece of sound, on any thread, and returns at once. A sink that has too much waiting drops some.
    func deliver(_ frame: AudioFrame)
}

/// Whatever makes sound of its own accord: a microphone, a file that plays.
///
/// A source has at most one sink. It may be started and stopped from any thread, any number of times.
public protocol AudioSource: AnyObject, Sendable {
    /// Delivers sound to `sink` from now on, and to no other.
    func start(delivering sink: any AudioSink)
    /// Delivers no more, except for a frame that is on its way already; lets the sink go.
    func stop()
}

/// Whatever makes sound when it is asked to. ``PacedAudioSource`` makes an ``AudioSource`` of it.
public protocol AudioFrameProducer: Sendable {
    /// In hertz.
    var sampleRate: Int { get }
    /// 1 or 2
    var channels: Int { get }
    /// The next `samplesPerChannel` samples of each channel, the first of which was captured at `timestamp`; fewer before
    /// the end, and `nil` at it.
    mutating func nextFrame(samplesPerChannel: Int, at timestamp: Instant) throws -> AudioFrame?
}
