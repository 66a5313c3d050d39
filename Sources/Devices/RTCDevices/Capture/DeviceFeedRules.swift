import RTCWire

/// Decides which of several devices a ``DeviceFeed`` has open: a value that receives requests and events, with the
/// connected devices and the time, and returns decisions.
///
/// ```swift
/// rules.handle(.start, candidates: devices, at: now)
/// for decision in rules.takeDecisions() { carryOut(decision) }
/// let wakeUp = rules.nextDeadline  // then handle(.timePassed(…), …)
/// ```
///
/// The preferred device is open, or the next one that works; a working device is not given up for one that has failed.
/// Only one device is opened at a time. The same device is closed before it is opened again, and so is every device if
/// the backend cannot have two open. Unless it cannot, nothing waits for a device that has gone, since the system may
/// need long to notice.
///
/// A device that stops working is reopened once immediately: often its server was restarted, and is back. So is a
/// camera or microphone that delivers nothing from the start. While no device works, all are tried again after a
/// second, and then at intervals that double each time.
struct DeviceFeedRules: Sendable {
    /// The device in use.
    private struct Current {
        enum Phase { case opening, open, delivering }

        var device: MediaDevice
        let generation: Generation
        var phase = Phase.opening
        var isInterrupted = false
        /// Whether the app itself kept it from delivering anything when its time was last over.
        var wasPaused = false
        /// The time until which it must deliver something.
        var firstDataDeadline: Instant?
    }

    /// The opening or closing of a device, which has not ended yet.
    private struct Operation {
        let device: MediaDevice
        let generation: Generation
        var isOpening: Bool
        /// Whether the device was unplugged meanwhile.
        var isGone = false
    }

    private let canOpenWhileClosing: Bool
    private var isStarted = false
    private var current: Current?
    private var operations: [Operation] = []
    private var failures: DeviceFailures
    private var generation = 0
    /// The time of the request for the device: frames captured earlier are not passed on.
    private var since = Instant.zero
    private var hasReportedNone = false
    /// Whether ``Decision/proceed`` is being carried out.
    private var isProceeding = false
    private var decisions: [Decision] = []

    init(canOpenWhileClosing: Bool, times: Times = Times()) {
        self.canOpenWhileClosing = canOpenWhileClosing
        failures = DeviceFailures(times: times)
    }

    // MARK: State

    /// The device in use; `nil` until its first data has come.
    var device: MediaDevice? { current?.phase == .delivering ? current?.device : nil }
    /// The device that is open, or being opened.
    var target: MediaDevice? { current?.device }
    /// The generation of the open device.
    var open: Generation? { current?.phase == .opening ? nil : current?.generation }
    /// Whether everything that was decided has been carried out.
    var isSettled: Bool { !isProceeding && operations.isEmpty }

    /// The time at which ``Input/timePassed`` is due; `nil` if no timer runs.
    var nextDeadline: Instant? {
        guard isStarted else { return nil }
        guard let retry = failures.retryTime else { return current?.firstDataDeadline }
        return min(retry, current?.firstDataDeadline ?? retry)
    }

    var hasDecisions: Bool { !decisions.isEmpty }

    mutating func takeDecisions() -> [Decision] {
        defer { decisions = [] }
        return decisions
    }

    // MARK: Input

    /// Returns whether data of a device may be passed on: not if the device is not used any more, or if the data is
    /// older than the request for it.
    mutating func passes(_ generation: Generation, capturedAt time: Instant) -> Bool {
        guard isStarted, current?.generation == generation, time >= since else { return false }
        if current?.phase == .delivering { return true }
        guard let device = current?.device, current?.phase == .open else { return false }
        current?.phase = .delivering
        current?.firstDataDeadline = nil
        failures.deviceDelivers(device)
        hasReportedNone = false
        report(.using(device))
        return true
    }

    /// - Parameter candidates: The connected devices, the preferred one first.
    mutating func handle(_ input: Input, candidates: [MediaDevice], at now: Instant) {
        var isResult = false
        switch input {
        case .start:
            (isStarted, since, hasReportedNone) = (true, now, false)
            failures.forgetAll()
            awaitFirstData(from: now)
        case .stop:
            isStarted = false
            failures.cancelRetry()
            current?.firstDataDeadline = nil
            if current?.phase == .delivering { current?.phase = .open }
        case .reopen: release()
        case .candidatesChanged: break
        case .timePassed(let isPaused): advance(to: now, isPaused: isPaused, candidates)
        case .event(let event, let generation): handle(event, generation, at: now)
        case .proceed: (isProceeding, isResult) = (false, true)
        case .opened(let generation):
            opened(generation, at: now)
            isResult = true
        case .openingFailed(let generation, let error):
            operations.removeAll { $0.generation == generation }
            fail(generation, error, at: now)
            isResult = true
        case .captureStarted(let generation):
            if current?.generation == generation {
                operations.removeAll { $0.generation == generation }
            } else {
                close(generation)
            }
            isResult = true
        case .closed(let generation):
            operations.removeAll { $0.generation == generation }
            isResult = true
        }
        follow(candidates)
        if isResult {
            proceed(candidates, at: now)
        } else if !isProceeding, !isBlocked {
            isProceeding = true
            decisions.append(.proceed)
        }
    }

    private mutating func opened(_ generation: Generation, at now: Instant) {
        guard current?.generation == generation else { return close(generation) }
        current?.phase = .open
        awaitFirstData(from: now)
        decisions.append(.startCapture(generation))
    }

    private mutating func handle(_ event: CaptureEvent, _ generation: Generation, at now: Instant) {
        guard let device = current?.device, current?.generation == generation else { return }
        switch event {
        case .interrupted(let reason):
            current?.isInterrupted = true
            awaitFirstData(from: now)
            report(.interrupted(device, reason))
        case .resumed:
            current?.isInterrupted = false
            awaitFirstData(from: now)
            report(.resumed(device))
        case .disconnected:
            fail(generation, DeviceError(.disconnected, "\(device.name) is not connected any more"), at: now)
        case .failed(let error): fail(generation, error, at: now)
        }
    }

    // MARK: Failures

    /// A loudspeaker delivers nothing by itself.
    private mutating func awaitFirstData(from now: Instant) {
        guard let current, current.phase == .open, current.device.media != .speaker else { return }
        let isAwaited = isStarted && !current.isInterrupted
        self.current?.firstDataDeadline = isAwaited ? now + failures.firstDataLimit(of: current.device) : nil
    }

    private mutating func advance(to now: Instant, isPaused: Bool, _ candidates: [MediaDevice]) {
        guard isStarted else { return }
        if let time = failures.retryTime, time <= now {
            failures.cancelRetry()
            if current == nil, usable(candidates) == nil { failures.retryAll() }
        }
        guard let current, let deadline = current.firstDataDeadline, deadline <= now else { return }
        guard !isPaused, !current.wasPaused else {
            self.current?.wasPaused = isPaused
            return awaitFirstData(from: now)
        }
        let limit = failures.firstDataLimit(of: current.device)
        let error = DeviceError(
            .failed, "\(current.device.name) has delivered nothing for \(limit.milliseconds / 1_000) s")
        giveUp(current, error, isReopened: failures.reopensAfterSilence(of: current.device))
    }

    private mutating func fail(_ generation: Generation, _ error: DeviceError, at now: Instant) {
        guard let current, current.generation == generation else { return }
        let mayReopen = current.phase == .delivering && error.code == .failed
        giveUp(current, error, isReopened: mayReopen && failures.reopensAfterFailure(at: now))
    }

    private mutating func giveUp(_ failed: Current, _ error: DeviceError, isReopened: Bool) {
        let (device, isGone) = (failed.device, error.code == .disconnected)
        let isNews = !failures.wasReported(device, error.code)
        release(isGone: isGone)
        if !isReopened { failures.skip(device, error.code) }
        if isNews { report(isGone ? .lost(device) : .failed(device, error)) }
    }

    // MARK: Devices

    /// The device to use.
    private func usable(_ candidates: [MediaDevice]) -> MediaDevice? { candidates.first { !failures.isSkipped($0) } }

    /// Whether others wait for it.
    private func isAwaited(_ operation: Operation) -> Bool { !canOpenWhileClosing || !operation.isGone }

    /// Whether nothing may be opened yet.
    private var isBlocked: Bool { operations.contains { isAwaited($0) && ($0.isOpening || !canOpenWhileClosing) } }

    /// Gives up the current device if it is not connected any more, although reading from it may go on without an
    /// error, or if another one is preferred.
    private mutating func follow(_ candidates: [MediaDevice]) {
        failures.update(candidates)
        for index in operations.indices where !candidates.contains(where: operations[index].device.isSameInstance) {
            operations[index].isGone = true
        }
        guard isStarted, let device = current?.device else { return }
        if !candidates.contains(where: device.isSameInstance) {
            release(isGone: true)
            report(.lost(device))
        } else if usable(candidates).map(device.isSameInstance) == false {
            release()
        }
    }

    /// Ends the use of the current device. One that is being opened is closed when it is open.
    private mutating func release(isGone: Bool = false) {
        guard let old = current else { return }
        current = nil
        if let index = operations.firstIndex(where: { $0.generation == old.generation }) {
            operations[index].isGone = operations[index].isGone || isGone
        } else if old.phase != .opening {
            operations.append(
                Operation(device: old.device, generation: old.generation, isOpening: false, isGone: isGone))
            decisions.append(.close(old.generation))
        }
    }

    /// Closes a device that was opened too late.
    private mutating func close(_ generation: Generation) {
        guard let index = operations.firstIndex(where: { $0.generation == generation }) else { return }
        operations[index].isOpening = false
        decisions.append(.close(generation))
    }

    /// Opens and closes devices.
    private mutating func proceed(_ candidates: [MediaDevice], at now: Instant) {
        guard isStarted, let device = usable(candidates) else { return pause(at: now) }
        if let old = current?.device, old.isSameInstance(as: device) {
            current?.device = device
            return
        }
        release()
        let isSameClosing = operations.contains { isAwaited($0) && $0.device.id == device.id }
        guard !isBlocked, !isSameClosing else { return }
        generation += 1
        since = now
        current = Current(device: device, generation: generation)
        operations.append(Operation(device: device, generation: generation, isOpening: true))
        if !failures.wasReported(device) { hasReportedNone = false }
        decisions.append(.open(device, generation))
    }

    private mutating func pause(at now: Instant) {
        release()
        guard isStarted, !operations.contains(where: isAwaited) else { return }
        if !hasReportedNone {
            hasReportedNone = true
            report(.none)
        }
        failures.scheduleRetry(at: now)
    }

    private mutating func report(_ event: DeviceFeedEvent) {
        if isStarted { decisions.append(.report(event)) }
    }
}
