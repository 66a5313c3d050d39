import RTCFrames

/// Takes pictures on any thread, has them prepared one at a time, and hands the newest one over to be shown. What comes
/// faster than it can be shown is left out before any work is done for it.
final class NewestPicture<Prepared: Sendable>: @unchecked Sendable {
    private struct State {
        var pending: VideoFrame?
        /// Whether a picture is being prepared, or is prepared and was not shown yet.
        var isBusy = false
        var prepared: Prepared?
        /// Goes up when all is forgotten, so that what is being prepared is not shown after that.
        var generation = 0
        var dropped = 0
    }

    private let lock = Lock()
    private var state = State()
    private let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let prepare: @Sendable (VideoFrame) -> Prepared?
    private let show: @Sendable () -> Void

    /// - Parameters:
    ///   - perform: Runs what it is given on a thread that may take its time.
    ///   - prepare: Makes of a picture what can be shown; it runs there.
    ///   - show: Is called there when something is ready: whoever shows it calls ``takeNewest()``, soon, anywhere.
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

    /// What is to be shown now, once; `nil` when all was forgotten meanwhile.
    func takeNewest() -> Prepared? {
        let (prepared, mustGoOn) = lock.withLock {
            defer { state.prepared = nil }
            state.isBusy = state.pending != nil
            return (state.prepared, state.isBusy)
        }
        if mustGoOn { perform { self.work() } }
        return prepared
    }

    /// Forgets all pictures that came so far.
    func clear() {
        lock.withLock {
            state.pending = nil
            state.prepared = nil
            state.generation += 1
        }
    }

    /// How many pictures were left out.
    var dropped: Int { lock.withLock { state.dropped } }

    private func work() {
        let (frame, generation) = lock.withLock {
            defer { state.pending = nil }
            return (state.pending, state.generation)
        }
        let prepared = frame.flatMap(prepare)
        lock.withLock { if state.generation == generation { state.prepared = prepared } }
        // Also with nothing to show: it is by taking that the next picture is begun.
        show()
    }
}
