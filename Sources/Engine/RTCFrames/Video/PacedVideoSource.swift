import RTCWire

/// Delivers the frames of a producer in real time, on its own thread: a test picture or a file as a camera.
public final class PacedVideoSource: VideoSource {
    public let framesPerSecond: Double
    private let delivery: PacedDelivery<VideoFrame>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - framesPerSecond: The frame rate, 0.1 to 1,000.
    ///   - onEnd: Called on the thread at the end, with `nil` or with an error.
    public init(
        _ producer: any VideoFrameProducer, framesPerSecond: Double,
        onEnd: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.framesPerSecond = min(max(0.1, framesPerSecond), 1_000)
        var producer = producer
        let interval = TimeDelta(nanoseconds: Int64(1_000_000_000 / self.framesPerSecond))
        delivery = PacedDelivery(every: interval, onEnd: onEnd) { try producer.nextFrame(at: $0) }
    }

    public func start(delivering sink: any VideoSink) { delivery.start { sink.deliver($0) } }
    public func stop() { delivery.stop() }
}
