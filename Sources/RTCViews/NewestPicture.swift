import RTCFrames
import Synchronization

/// Takes pictures on any thread, has them prepared one at a time, and hands the newest one over to be shown. What comes
/// faster than it can be shown is left out before any work is done for it.
final class NewestPicture<Prepared: Sendable>: Sendable {
    private struct State {
        var pending: VideoFrame?
        /// Whether a picture is being prepared, or is prepared and was not shown yet.
        var isBusy = false
        var prepared: Prepared?
        /// Goes up when all is forgotten, so that what is being prepared is not shown after that.
        var generation = 0
        var dropped = 0
    }

    private let state = Mutex(State())
    private let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let prepare: @Sendable (VideoFrame) -> Prepared?
    private let show: @Sendable () -> Void

    /// - Parameters:
    ///   - perform: Runs what it is given on a thread that may take its time.
    ///   - prepare: Makes of a picture what can be shown; it runs there.
    ///   - show: Is called there when something is ready: whoever shows it calls ``take()``, soon, anywhere.
    init(
        perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        prepare: @escaping @Sendable (VideoFrame) -> Prepared?, show: @escaping @Sendable () -> Void
    ) {
        self.perform = perform
        self.prepare = prepare
        self.show = show
    }

    func deliver(_ frame: VideoFrame) {
        let mustStart = state.withLock { state in
            if state.pending != nil { state.dropped += 1 }
            state.pending = frame
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if mustStart { perform { self.work() } }
    }

    /// What is to be shown now, once; `nil` when all was forgotten meanwhile.
    func take() -> Prepared? {
        let (prepared, mustGoOn) = state.withLock { state in
            defer { state.prepared = nil }
            state.isBusy = state.pending != nil
            return (state.prepared, state.isBusy)
        }
        if mustGoOn { perform { self.work() } }
        return prepared
    }

    /// Forgets all pictures that came so far.
    func clear() {
        state.withLock { state in
            state.pending = nil
            state.prepared = nil
            state.generation += 1
        }
    }

    /// How many pictures were left out.
    var dropped: Int { state.withLock { $0.dropped } }

    private func work() {
        let (frame, generation) = state.withLock { state in
            defer { state.pending = nil }
            return (state.pending, state.generation)
        }
        let prepared = frame.flatMap(prepare)
        state.withLock { state in if state.generation == generation { state.prepared = prepared } }
        // Also with nothing to show: it is by taking that the next picture is begun.
        show()
    }
}
