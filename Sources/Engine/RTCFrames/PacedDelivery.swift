import RTCWire

/// Produces frames in real time and delivers them, on a thread of its own, from each start until the next one or a stop.
final class PacedDelivery<Frame: Sendable>: @unchecked Sendable {
    private let interval: TimeDelta
    private let produce: (Instant) throws -> Frame?
    private let onEnd: (@Sendable ((any Error)?) -> Void)?
    private let lock = Lock()
    /// Held during production, so that an ending thread and a starting one do not produce at once.
    private let producerLock = Lock()
    private var thread: PacedThread?

    /// - Parameters:
    ///   - produce: Called with the time of the frame, by one thread at a time; `nil` is the end.
    ///   - onEnd: Called on the thread at the end, with `nil` or with an error.
    init(
        every interval: TimeDelta, onEnd: (@Sendable ((any Error)?) -> Void)?,
        produce: @escaping (Instant) throws -> Frame?
    ) {
        self.interval = interval
        self.onEnd = onEnd
        self.produce = produce
    }

    deinit { thread?.stop() }

    func start(_ deliver: @escaping @Sendable (Frame) -> Void) {
        let thread = PacedThread(interval: interval) { [weak self] in self?.step(at: $0, deliver) ?? false }
        lock.withLock {
            self.thread?.stop()
            self.thread = thread
        }
        thread.start()
    }

    func stop() {
        lock.withLock {
            thread?.stop()
            thread = nil
        }
    }

    private func step(at time: Instant, _ deliver: (Frame) -> Void) -> Bool {
        do {
            if let frame = try producerLock.withLock({ try produce(time) }) {
                deliver(frame)
                return true
            }
            onEnd?(nil)
        } catch {
            onEnd?(error)
        }
        return false
    }
}
