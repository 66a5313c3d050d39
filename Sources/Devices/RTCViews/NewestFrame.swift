import RTCFrames

/// Receives frames on any thread, prepares them one at a time, and provides the newest one for display. Frames that
/// arrive faster than they can be shown are dropped before any work is done for them.
final class NewestFrame<Prepared: Sendable>: @unchecked Sendable {
    private struct State {
        var pending: VideoFrame?
        /// Whether a frame is being prepared, or is prepared and not shown yet.
        var isBusy = false
        var prepared: Prepared?
        /// Incremented by ``clear()``, so that a frame in preparation is not shown after it.
        var generation = 0
        var dropped = 0
    }

    private let lock = Lock()
    private var state = State()
    private let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let prepare: @Sendable (VideoFrame) -> Prepared?
    private let show: @Sendable () -> Void

    /// - Parameters:
    ///   - perform: Runs a closure on a thread that may block.
    ///   - prepare: Prepares a frame for display; called there.
    ///   - show: Called there when a frame is ready: the receiver has to call ``takeNewest()`` soon, on any thread.
    init(
        perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        prepare: @escaping @Sendable (VideoFrame) -> Prepared?, show: @escaping @Sendable () -> Void
    ) {
        self.perform = perform
        self.prepare = prepare
        self.show = show
    }

    func deliver(_ frame: VideoFrame) {
        let mustStart = lock.withLock {
            if state.pending != nil { state.dropped += 1 }
            state.pending = frame
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if mustStart { perform { self.work() } }
    }

    /// Takes the prepared frame, once; `nil` if it was cleared meanwhile.
    func takeNewest() -> Prepared? {
        let (prepared, mustGoOn) = lock.withLock {
            defer { state.prepared = nil }
            state.isBusy = state.pending != nil
            return (state.prepared, state.isBusy)
        }
        if mustGoOn { perform { self.work() } }
        return prepared
    }

    /// Discards all frames received so far.
    func clear() {
        lock.withLock {
            state.pending = nil
            state.prepared = nil
            state.generation += 1
        }
    }

    /// The number of dropped frames.
    var dropped: Int { lock.withLock { state.dropped } }

    private func work() {
        let (frame, generation) = lock.withLock {
            defer { state.pending = nil }
            return (state.pending, state.generation)
        }
        let prepared = frame.flatMap(prepare)
        lock.withLock { if state.generation == generation { state.prepared = prepared } }
        // Also called without a frame: taking it starts the preparation of the next one.
        show()
    }
}
