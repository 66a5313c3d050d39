import RTCWire

/// Delivers the audio of a producer in real time, in buffers of 10 ms, on its own thread: a tone or a file as a
/// microphone.
public final class PacedAudioSource: AudioSource {
    private let delivery: PacedDelivery<AudioFrame>

    /// Creates a source.
    ///
    /// - Parameter onEnd: Called on the thread at the end, with `nil` or with an error.
    public init(_ producer: any AudioFrameProducer, onEnd: (@Sendable ((any Error)?) -> Void)? = nil) {
        var producer = producer
        let rate = max(1, producer.sampleRate)
        let samples = max(1, rate / 100)
        let interval = TimeDelta(nanoseconds: Int64(samples) * 1_000_000_000 / Int64(rate))
        delivery = PacedDelivery(every: interval, onEnd: onEnd) {
            try producer.nextFrame(samplesPerChannel: samples, at: $0)
        }
    }

    public func start(delivering sink: any AudioSink) { delivery.start { sink.deliver($0) } }
    public func stop() { delivery.stop() }
}
