import RTCWire

/// Delivers the frames of a producer in real time, on its own thread: a test picture or a file as a camera.
public final class PacedVideoSource: VideoSource, @unchecked Sendable {
    public let framesPerSecond: Double
    private let lock = Lock()
    /// Held during production, so that an ending thread and a starting one do not use the producer at once.
    private let producerLock = Lock()
    private var producer: any VideoFrameProducer
    private var thread: PacedThread?
    private let onEnd: (@Sendable ((any Error)?) -> Void)?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - framesPerSecond: The frame rate, 0.1 to 1,000.
    ///   - onEnd: Called on the thread at the end, with `nil` or with an error.
    public init(
        _ producer: any VideoFrameProducer, framesPerSecond: Double,
        onEnd: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.producer = producer
        self.framesPerSecond = min(max(0.1, framesPerSecond), 1_000)
        self.onEnd = onEnd
    }

    deinit { thread?.stop() }

    public func start(delivering sink: any VideoSink) {
        let interval = TimeDelta(nanoseconds: Int64(1_000_000_000 / framesPerSecond))
        let thread = PacedThread(interval: interval) { [weak self] time in self?.deliver(to: sink, at: time) ?? false }
        lock.withLock {
            self.thread?.stop()
            self.thread = thread
        }
        thread.start()
    }

    public func stop() {
        lock.withLock {
            thread?.stop()
            thread = nil
        }
    }

    private func deliver(to sink: any VideoSink, at time: Instant) -> Bool {
        do {
            guard let frame = try producerLock.withLock({ try producer.nextFrame(at: time) }) else {
                onEnd?(nil)
                return false
            }
            sink.deliver(frame)
            return true
        } catch {
            onEnd?(error)
            return false
        }
    }
}
