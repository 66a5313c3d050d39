import RTCWire
import Synchronization

/// Keeps one of several devices open, as ``DeviceFeedRules`` decide. Its frames go to one sink.
///
/// Devices are opened and closed in tasks of their own, whose results are passed to the rules. The candidates are read,
/// the rules asked and events reported in one go under the lock, so that an older result never follows a newer one.
final class DeviceFeed<Capture: Sendable, Sink: Sendable>: Sendable {
    typealias Generation = DeviceFeedRules.Generation

    /// How a feed's devices are used.
    struct Use: Sendable {
        /// The devices to try, the preferred one first. It must not call the feed.
        var candidates: @Sendable () -> [MediaDevice]
        var open:
            @Sendable (MediaDevice, @escaping @Sendable (CaptureEvent) -> Void) async throws(DeviceError) -> Capture
        /// Starts capture; each captured frame must be checked with ``DeviceFeed/passes(_:capturedAt:)`` and this
        /// number.
        var start: @Sendable (Capture, Generation, DeviceFeed) -> Void
        /// Called before the first frame of a device is passed on.
        var noteUse: @Sendable (MediaDevice) -> Void
        var stop: @Sendable (Capture) -> Void
        var close: @Sendable (Capture) async -> Void
        var canOpenWhileClosing: Bool
        /// Whether the app itself keeps the open device from delivering anything at present.
        var isPaused: @Sendable (Capture) -> Bool = { _ in false }
    }

    private struct State {
        var rules: DeviceFeedRules
        var captures: [Generation: Capture] = [:]
        /// The sink of the frames, while the feed is started by ``start(delivering:)``.
        var sink: Sink?
        /// Tasks that wait until there is nothing left to do.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var timer: (deadline: Instant, task: Task<Void, Never>)?
    }

    /// What is left to do without the lock.
    private struct Work {
        var decisions: [DeviceFeedRules.Decision] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var oldTimer: Task<Void, Never>?
    }

    private let state: Mutex<State>
    private let use: Use
    let events = FeedEvents()

    init(use: Use, times: DeviceFeedRules.Times = DeviceFeedRules.Times()) {
        self.use = use
        state = Mutex(State(rules: DeviceFeedRules(canOpenWhileClosing: use.canOpenWhileClosing, times: times)))
    }

    deinit { state.withLock { $0.timer }?.task.cancel() }

    /// The device in use; `nil` until its first frame has come.
    var device: MediaDevice? { state.withLock { $0.rules.device } }
    var capture: Capture? { state.withLock { state in state.rules.open.flatMap { state.captures[$0] } } }
    /// The device that is open, or being opened.
    var target: MediaDevice? { state.withLock { $0.rules.target } }
    var sink: Sink? { state.withLock { $0.sink } }

    func start(delivering sink: Sink) {
        setSink(sink)
        start()
    }

    func start() { handle(.start) }

    func stop() {
        handle(.stop)
        setSink(nil)
    }

    private func setSink(_ sink: Sink?) {
        let old = state.withLock { state in
            defer { state.sink = sink }
            return state.sink
        }
        // Released outside the lock.
        withExtendedLifetime(old) {}
    }

    /// Reopens the device, for instance with another format.
    func reopen() { handle(.reopen) }

    /// Opens or closes devices where necessary, after a choice, or when a device came or went. After this returns, no
    /// frame of an unwanted device is passed on.
    func look() { handle(.candidatesChanged) }

    /// Returns when what is wanted now is open, or closed.
    func settled() async {
        look()
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                let isSettled = state.rules.isSettled
                if !isSettled { state.waiting.append(continuation) }
                return isSettled
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Returns whether captured data may be passed on: not if it is of a device that is not used any more, or older
    /// than the request for this one.
    func passes(_ generation: Generation, capturedAt time: Instant) -> Bool {
        let (passes, work) = state.withLock { state in
            let passes = state.rules.passes(generation, capturedAt: time)
            return (passes, state.rules.hasDecisions ? takeWork(&state) : nil)
        }
        if let work { carryOut(work) }
        return passes
    }

    // MARK: The rules

    private func handle(_ input: DeviceFeedRules.Input) {
        let work = state.withLock { state in
            state.rules.handle(input, candidates: use.candidates(), at: .now)
            return takeWork(&state)
        }
        carryOut(work)
    }

    /// Reports the events, and takes what else is to be done.
    private func takeWork(_ state: inout State) -> Work {
        var work = Work(decisions: state.rules.takeDecisions())
        for case .report(let event) in work.decisions { events.tell(event) }
        if state.rules.isSettled { swap(&work.waiting, &state.waiting) }
        let deadline = state.rules.nextDeadline
        if deadline != state.timer?.deadline {
            work.oldTimer = state.timer?.task
            state.timer = deadline.map { ($0, sleep(until: $0)) }
        }
        return work
    }

    private func sleep(until deadline: Instant) -> Task<Void, Never> {
        let wait = Duration.nanoseconds(max(0, (deadline - .now).nanoseconds))
        return Task { [weak self] in
            // The clock of `Instant.now`.
            guard (try? await Task.sleep(for: wait, clock: .suspending)) != nil else { return }
            self?.timerFired(deadline)
        }
    }

    private func timerFired(_ deadline: Instant) {
        state.withLock { state in
            if state.timer?.deadline == deadline { state.timer = nil }
        }
        handle(.timePassed(isPaused: capture.map(use.isPaused) ?? false))
    }

    private func carryOut(_ work: Work) {
        work.oldTimer?.cancel()
        for continuation in work.waiting { continuation.resume() }
        for decision in work.decisions {
            switch decision {
            case .proceed: Task { handle(.proceed) }
            case .open(let device, let generation): Task { await open(device, generation) }
            case .startCapture(let generation):
                if let capture = state.withLock({ $0.captures[generation] }) { use.start(capture, generation, self) }
                handle(.captureStarted(generation))
            case .close(let generation): Task { await close(generation) }
            case .report(.using(let device)): use.noteUse(device)
            case .report: break
            }
        }
    }

    // MARK: Devices

    private func open(_ device: MediaDevice, _ generation: Generation) async {
        do throws(DeviceError) {
            let capture = try await use.open(device) { [weak self] in self?.handle(.event($0, generation)) }
            state.withLock { $0.captures[generation] = capture }
            handle(.opened(generation))
        } catch {
            handle(.openingFailed(generation, error))
        }
    }

    private func close(_ generation: Generation) async {
        if let capture = state.withLock({ $0.captures.removeValue(forKey: generation) }) {
            use.stop(capture)
            await use.close(capture)
        }
        handle(.closed(generation))
    }
}
