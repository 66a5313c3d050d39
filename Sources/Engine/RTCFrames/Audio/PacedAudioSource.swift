import RTCWire

/// Delivers the audio of a producer in real time, in buffers of 10 ms, on its own thread: a tone or a file as a
/// microphone.
public final class PacedAudioSource: AudioSource, @unchecked Sendable {
    private let lock = Lock()
    /// Held during production, so that an ending thread and a starting one do not use the producer at once.
    private let producerLock = Lock()
    private var producer: any AudioFrameProducer
    private var thread: PacedThread?
    private let samplesPerFrame: Int
    private let onEnd: (@Sendable ((any Error)?) -> Void)?

    /// Creates a source.
    ///
    /// - Parameter onEnd: Called on the thread at the end, with `nil` or with an error.
    public init(_ producer: any AudioFrameProducer, onEnd: (@Sendable ((any Error)?) -> Void)? = nil) {
        self.producer = producer
        samplesPerFrame = max(1, producer.sampleRate / 100)
        self.onEnd = onEnd
    }

    deinit { thread?.stop() }

    public func start(delivering sink: any AudioSink) {
        let rate = max(1, producerLock.withLock { producer.sampleRate })
        let interval = TimeDelta(nanoseconds: Int64(samplesPerFrame) * 1_000_000_000 / Int64(rate))
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

    private func deliver(to sink: any AudioSink, at time: Instant) -> Bool {
        do {
            let frame = try producerLock.withLock {
                try producer.nextFrame(samplesPerChannel: samplesPerFrame, at: time)
            }
            guard let frame else {
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
