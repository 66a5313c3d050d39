import RTCWire
import Synchronization

/// An event of a ``CameraFeed``, ``MicrophoneFeed`` or ``SpeakerFeed``.
public enum DeviceFeedEvent: Sendable, Hashable {
    /// The device is used from now on.
    case using(MediaDevice)
    /// The device was unplugged while it was in use. Another one takes over, if there is one.
    case lost(MediaDevice)
    /// The device could not be opened, or failed. Another one takes over, if there is one.
    case failed(MediaDevice, DeviceError)
    /// Something else uses the device temporarily. The text is human-readable.
    case interrupted(MediaDevice, String)
    case resumed(MediaDevice)
    /// The rotation of this camera's frames changed. Frames carry their rotation themselves: only a preview that
    /// ignores it has to react.
    case turned(MediaDevice, RotationAngles)
    /// There is no device that can be used. The feed pauses until there is one.
    case none
}

/// Keeps one of several devices open: the preferred one, or the next one that works. Its frames go to one sink.
///
/// One task at a time opens and closes devices, and handles what happened meanwhile when it is done. It does not wait
/// for a device that has gone, since the system may need long to notice, unless the backend cannot have two devices
/// open.
///
/// A device that stops working is reopened once immediately: often its server was restarted, and is back. While no
/// device works, all are tried again after a second, and then at intervals that double each time. A working device is
/// not given up for one that has failed.
final class DeviceFeed<Capture: Sendable, Sink: Sendable>: Sendable {
    /// How a feed's devices are used.
    struct Use: Sendable {
        /// The devices to try, the preferred one first.
        var candidates: @Sendable () -> [MediaDevice]
        var open:
            @Sendable (MediaDevice, @escaping @Sendable (CaptureEvent) -> Void) async throws(DeviceError) -> Capture
        /// Starts capture; each captured frame must be checked with ``DeviceFeed/passes(_:capturedAt:)`` and this
        /// number.
        var start: @Sendable (Capture, Int, DeviceFeed) -> Void
        /// Called before the first frame of a device is passed on.
        var noteUse: @Sendable (MediaDevice) -> Void
        var stop: @Sendable (Capture) -> Void
        var close: @Sendable (Capture) async -> Void
        var canOpenWhileClosing: Bool
    }

    private struct Failure {
        var device: MediaDevice
        let code: DeviceError.Code
    }

    private struct Old: Sendable {
        let device: MediaDevice
        let capture: Capture
    }

    private struct State {
        var isStarted = false
        var isWorking = false
        /// Whether something has happened since the task last looked.
        var looksAgain = false
        /// The device that is in use, or being opened.
        var device: MediaDevice?
        var capture: Capture?
        /// Devices that are not used any more, and have to be closed.
        var old: [Old] = []
        /// Devices that have gone, and are closed while others are opened.
        var gone: [Old] = []
        /// The number of devices that are being opened, or closed after they have gone.
        var underWay = 0
        /// The task that waits until the device of that generation is open.
        var opening: (generation: Int, waiter: CheckedContinuation<Void, Never>)?
        var generation = 0
        /// The time of the request for the device: frames captured earlier are not passed on.
        var since = Instant.zero
        var isDelivering = false
        /// Devices that have failed: each is skipped until it is chosen again, becomes ready, comes back, or is tried
        /// again.
        var failed: [Failure] = []
        /// Failures from before the current retry: each is reported once.
        var told: [Failure] = []
        /// The time until the next retry, if no device works.
        var patience = DeviceFeed.firstPatience
        /// The pending retry; any other scheduled one does nothing.
        var retry: Int?
        var retryCount = 0
        /// When a device that had stopped working was last reopened.
        var secondChance: Instant?
        var wanted: MediaDevice?
        var hasSaidNone = false
        /// Tasks that wait until there is nothing left to do.
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// Forgets all failures.
        mutating func forgive() {
            (failed, told, retry, patience) = ([], [], nil, DeviceFeed.firstPatience)
        }

        mutating func release(isGone: Bool = false) {
            if let capture, let device {
                let one = Old(device: device, capture: capture)
                if isGone { gone.append(one) } else { old.append(one) }
            }
            capture = nil
            device = nil
            isDelivering = false
            generation += 1
        }
    }

    private static var firstPatience: TimeDelta { .seconds(1) }
    private static var longestPatience: TimeDelta { .seconds(30) }
    /// A device that stops working again within this time is given up for the next one.
    private static var probation: TimeDelta { .seconds(10) }

    private let state = Mutex(State())
    /// The sink of the frames, while the feed is started by ``start(delivering:)``.
    private let output = Mutex<Sink?>(nil)
    /// Held from the reading of the candidates until they are acted upon and reported, so that an older result never
    /// follows a newer one.
    private let looking = Mutex(())
    private let use: Use
    let events = FeedEvents()

    init(use: Use) {
        self.use = use
    }

    /// The device in use; `nil` until its first frame has come.
    var device: MediaDevice? { state.withLock { $0.isDelivering ? $0.device : nil } }
    var capture: Capture? { state.withLock { $0.capture } }
    /// The device that is open, or being opened.
    var target: MediaDevice? { state.withLock { $0.device } }
    var sink: Sink? { output.withLock { $0 } }

    func start(delivering sink: Sink) {
        setSink(sink)
        start()
    }

    func start() {
        state.withLock { state in
            state.isStarted = true
            state.since = .now
            state.forgive()
            state.hasSaidNone = false
        }
        look()
    }

    func stop() {
        state.withLock { state in
            state.isStarted = false
            state.isDelivering = false
            state.retry = nil
        }
        setSink(nil)
        look()
    }

    private func setSink(_ sink: Sink?) {
        let old = output.withLock { output in
            defer { output = sink }
            return output
        }
        // Released outside the lock.
        withExtendedLifetime(old) {}
    }

    /// Reopens the device, for instance with another format.
    func reopen() {
        state.withLock { $0.release() }
        look()
    }

    /// Opens or closes devices where necessary, after a choice, or when a device came or went. After this returns, no
    /// frame of an unwanted device is passed on.
    func look() {
        let begins = looking.withLock { _ in
            let candidates = use.candidates()
            let (begins, lost) = state.withLock { state in
                let lost = takeLost(&state, candidates)
                if let device = state.device, Self.target(state, candidates).map(device.isSameInstance) == false {
                    state.release()
                }
                state.looksAgain = true
                defer { state.isWorking = true }
                return (!state.isWorking, lost)
            }
            if let lost { leave(lost) }
            return begins
        }
        if begins { Task { await self.work() } }
    }

    /// Returns when what is wanted now is open, or closed.
    func settled() async {
        look()
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                let isIdle = !state.isWorking && state.underWay == 0
                if !isIdle { state.waiting.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Whether something that was captured may be passed on: not if it is of a device that is not used any more, or older than
    /// the wish to use this one.
    func passes(_ generation: Int, capturedAt time: Instant) -> Bool {
        let (passes, news) = state.withLock { state -> (Bool, MediaDevice?) in
            guard state.isStarted, state.generation == generation, time >= state.since else { return (false, nil) }
            guard !state.isDelivering else { return (true, nil) }
            state.isDelivering = true
            state.told = []
            state.patience = Self.firstPatience
            state.hasSaidNone = false
            return (true, state.device)
        }
        if let news {
            use.noteUse(news)
            events.tell(.using(news))
        }
        return passes
    }

    // MARK: Serial tasks

    private enum Step {
        case again
        case rest(waiting: [CheckedContinuation<Void, Never>])
        case sayNone
        case close([Old])
        case exchange([Old], for: MediaDevice, generation: Int)
    }

    private func work() async {
        while true {
            let step = looking.withLock { _ in
                state.withLock { $0.looksAgain = false }
                let candidates = use.candidates()
                let (step, lost) = state.withLock { state in
                    let lost = takeLost(&state, candidates)
                    return (Self.nextStep(&state, candidates, .now), lost)
                }
                if let lost { leave(lost) }
                return step
            }
            switch step {
            case .again:
                continue
            case .rest(let waiting):
                retryLater()
                for continuation in waiting { continuation.resume() }
                return
            case .sayNone:
                events.tell(.none)
            case .close(let old):
                await close(old)
            case .exchange(let old, let device, let generation):
                // The same device has to be closed before it is opened again.
                let isSame = old.contains { $0.device.id == device.id }
                if use.canOpenWhileClosing, !isSame {
                    async let closing: Void = close(old)
                    await open(device, generation)
                    await closing
                } else {
                    await close(old)
                    await open(device, generation)
                }
            }
        }
    }

    /// Takes the device in use, if it is not connected any more: reading from it may go on without an error.
    private func takeLost(_ state: inout State, _ candidates: [MediaDevice]) -> MediaDevice? {
        guard state.isStarted, let device = state.device, !candidates.contains(where: { $0.isSameInstance(as: device) })
        else { return nil }
        state.release(isGone: use.canOpenWhileClosing)
        return device
    }

    /// Reports that a device has gone, closes it in its own task, and resumes the task that waits for it to be open.
    private func leave(_ device: MediaDevice, isNews: Bool = true) {
        let (gone, opening) = state.withLock { state in
            state.underWay += state.gone.count
            defer { state.gone = [] }
            let generation = state.generation
            let opening = use.canOpenWhileClosing ? Self.takeOpening(&state) { $0 != generation } : nil
            return (state.gone, opening)
        }
        opening?.resume()
        if isNews { events.tell(.lost(device)) }
        for one in gone {
            Task {
                await close([one])
                finishedOne()
            }
        }
    }

    private static func takeOpening(
        _ state: inout State, where isOver: (Int) -> Bool
    ) -> CheckedContinuation<Void, Never>? {
        guard let opening = state.opening, isOver(opening.generation) else { return nil }
        state.opening = nil
        return opening.waiter
    }

    private func finishedOne() {
        let waiting = state.withLock { state in
            state.underWay -= 1
            return Self.takeWaiting(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    private static func takeWaiting(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard !state.isWorking, state.underWay == 0 else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }

    private static func nextStep(_ state: inout State, _ candidates: [MediaDevice], _ now: Instant) -> Step {
        forgetFailures(&state, candidates)
        if let target = target(state, candidates), state.isStarted {
            guard state.device.map(target.isSameInstance) != true || state.capture == nil else {
                state.device = target
                return rest(&state)
            }
            state.release()
            state.device = target
            state.since = now
            if !state.told.contains(where: { $0.device.isSameInstance(as: target) }) { state.hasSaidNone = false }
            defer { state.old = [] }
            return .exchange(state.old, for: target, generation: state.generation)
        }
        if state.device != nil { state.release() }
        if !state.old.isEmpty {
            defer { state.old = [] }
            return .close(state.old)
        }
        if state.isStarted, !state.hasSaidNone {
            state.hasSaidNone = true
            return .sayNone
        }
        return rest(&state)
    }

    private static func target(_ state: State, _ candidates: [MediaDevice]) -> MediaDevice? {
        candidates.first { one in !state.failed.contains { $0.device.isSameInstance(as: one) } }
    }

    private static func rest(_ state: inout State) -> Step {
        if state.looksAgain { return .again }
        if !state.old.isEmpty {
            defer { state.old = [] }
            return .close(state.old)
        }
        state.isWorking = false
        return .rest(waiting: takeWaiting(&state))
    }

    private static func forgetFailures(_ state: inout State, _ candidates: [MediaDevice]) {
        // Gives a device another chance when it becomes the preferred one again.
        if let wanted = candidates.first, state.wanted.map(wanted.isSameInstance) != true {
            state.failed.removeAll { $0.device.isSameInstance(as: wanted) }
            state.told.removeAll { $0.device.isSameInstance(as: wanted) }
        }
        state.wanted = candidates.first
        state.failed = state.failed.compactMap { failed in
            guard let now = candidates.first(where: { $0.isSameInstance(as: failed.device) }) else { return nil }
            guard !now.isReady || failed.device.isReady else { return nil }
            var failed = failed
            failed.device.isReady = now.isReady
            return failed
        }
    }

    /// Schedules a retry of all devices, if none of them works.
    private func retryLater() {
        let (number, patience): (Int?, TimeDelta) = state.withLock { state in
            guard state.isStarted, state.device == nil, !state.failed.isEmpty, state.retry == nil else {
                return (nil, .zero)
            }
            let patience = state.patience
            state.patience = min(patience + patience, Self.longestPatience)
            state.retryCount += 1
            state.retry = state.retryCount
            return (state.retryCount, patience)
        }
        guard let number else { return }
        Task { [weak self] in
            try? await Task.sleep(for: .nanoseconds(patience.nanoseconds))
            self?.retry(number)
        }
    }

    private func retry(_ number: Int) {
        let isDue = state.withLock { state in
            guard state.isStarted, state.retry == number else { return false }
            state.retry = nil
            guard state.device == nil else { return false }
            state.told = state.failed
            state.failed = []
            return true
        }
        if isDue { look() }
    }

    private func close(_ old: [Old]) async {
        for one in old {
            use.stop(one.capture)
            await use.close(one.capture)
        }
    }

    /// Returns when the device is open, has failed to open, or has gone.
    private func open(_ device: MediaDevice, _ generation: Int) async {
        await withCheckedContinuation { waiter in
            let isWanted = state.withLock { state in
                guard state.generation == generation else { return false }
                state.opening = (generation, waiter)
                state.underWay += 1
                return true
            }
            guard isWanted else { return waiter.resume() }
            Task {
                await openNow(device, generation)
                state.withLock { Self.takeOpening(&$0) { $0 == generation } }?.resume()
                finishedOne()
            }
        }
    }

    private func openNow(_ device: MediaDevice, _ generation: Int) async {
        do throws(DeviceError) {
            let capture = try await use.open(device) { [weak self] in self?.handle($0, of: device, generation) }
            let isCurrent = state.withLock { state in
                guard state.generation == generation else { return false }
                state.capture = capture
                return true
            }
            if isCurrent {
                use.start(capture, generation, self)
            } else {
                await close([Old(device: device, capture: capture)])
            }
        } catch {
            fail(device, generation, error)
        }
    }

    private func handle(_ event: CaptureEvent, of device: MediaDevice, _ generation: Int) {
        switch event {
        case .interrupted(let reason):
            if isCurrent(generation) { events.tell(.interrupted(device, reason)) }
        case .resumed:
            if isCurrent(generation) { events.tell(.resumed(device)) }
        case .disconnected:
            fail(device, generation, DeviceError(.disconnected, "\(device.name) is not connected any more"))
        case .failed(let error):
            fail(device, generation, error)
        }
    }

    private func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

    private func fail(_ device: MediaDevice, _ generation: Int, _ error: DeviceError) {
        let isCurrent = looking.withLock { _ in letGo(device, generation, error) }
        if isCurrent { look() }
    }

    /// - Returns: Whether the device was in use.
    private func letGo(_ device: MediaDevice, _ generation: Int, _ error: DeviceError) -> Bool {
        let isGone = error.code == .disconnected
        let (isCurrent, isNews) = state.withLock { state in
            guard state.generation == generation else { return (false, false) }
            let mayTryAgain =
                state.isDelivering && error.code == .failed
                && state.secondChance.map { .now - $0 > Self.probation } ?? true
            let failure = Failure(device: device, code: error.code)
            let wasTold = state.told.contains { $0.device.isSameInstance(as: device) && $0.code == error.code }
            state.release(isGone: isGone && use.canOpenWhileClosing)
            if mayTryAgain { state.secondChance = .now } else { state.failed.append(failure) }
            return (true, !wasTold)
        }
        guard isCurrent else { return false }
        if isGone { leave(device, isNews: isNews) } else if isNews { events.tell(.failed(device, error)) }
        return true
    }
}

/// Passes a feed's events to all listeners. A listener that is more than 64 events behind loses the oldest.
final class FeedEvents: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<DeviceFeedEvent>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    deinit { for reader in state.withLock({ $0.readers.values }) { reader.finish() } }

    func stream() -> AsyncStream<DeviceFeedEvent> {
        let (stream, reader) = AsyncStream.makeStream(
            of: DeviceFeedEvent.self, bufferingPolicy: .bufferingNewest(64))
        let number = state.withLock { state in
            state.next += 1
            state.readers[state.next] = reader
            return state.next
        }
        reader.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.readers.removeValue(forKey: number) } }
        return stream
    }

    func tell(_ event: DeviceFeedEvent) {
        for reader in state.withLock({ $0.readers.values }) { reader.yield(event) }
    }
}
