import RTCWire

/// The failures of a feed's devices: which devices are skipped, which failures are known already, and when all devices
/// are tried again.
struct DeviceFailures: Sendable {
    private struct Failure: Sendable {
        var device: MediaDevice
        let code: DeviceError.Code
    }

    private let times: DeviceFeedRules.Times
    /// Each is skipped until it is chosen again, becomes ready, comes back, or all devices are tried again.
    private var skipped: [Failure] = []
    /// Failures from before the current retry, which are not reported again.
    private var reported: [Failure] = []
    /// Devices that have delivered nothing since they were last opened.
    private var silent: [MediaDevice] = []
    /// When a device that had stopped working was last reopened.
    private var lastReopening: Instant?
    private var preferred: MediaDevice?
    /// The time of the next retry; `nil` if none is scheduled.
    private(set) var retryTime: Instant?
    private var retryInterval: TimeDelta

    init(times: DeviceFeedRules.Times) {
        self.times = times
        retryInterval = times.firstRetry
    }

    func isSkipped(_ device: MediaDevice) -> Bool { skipped.contains { $0.device.isSameInstance(as: device) } }

    /// Whether a failure of this device was reported before the current retry.
    func wasReported(_ device: MediaDevice) -> Bool { reported.contains { $0.device.isSameInstance(as: device) } }

    func wasReported(_ device: MediaDevice, _ code: DeviceError.Code) -> Bool {
        reported.contains { $0.device.isSameInstance(as: device) && $0.code == code }
    }

    /// The time that an open device has for its first data.
    func firstDataLimit(of device: MediaDevice) -> TimeDelta {
        isSilent(device) ? times.firstData + times.firstData : times.firstData
    }

    private func isSilent(_ device: MediaDevice) -> Bool { silent.contains(where: device.isSameInstance) }

    // MARK: Failures

    /// Skips a device that failed.
    mutating func skip(_ device: MediaDevice, _ code: DeviceError.Code) {
        skipped.append(Failure(device: device, code: code))
    }

    /// Notes that a device stopped working, and returns whether it is reopened: not if one was reopened a short time
    /// ago.
    mutating func reopensAfterFailure(at now: Instant) -> Bool {
        if let lastReopening, now - lastReopening <= times.probation { return false }
        lastReopening = now
        return true
    }

    /// Notes that a device has delivered nothing since it was opened, and returns whether it is reopened: once.
    mutating func reopensAfterSilence(of device: MediaDevice) -> Bool {
        guard !isSilent(device) else { return false }
        silent.append(device)
        return true
    }

    mutating func deviceDelivers(_ device: MediaDevice) {
        reported = []
        retryInterval = times.firstRetry
        silent.removeAll(where: device.isSameInstance)
    }

    // MARK: Retries

    /// Schedules a retry of all devices, if there are any and none is scheduled.
    mutating func scheduleRetry(at now: Instant) {
        guard !skipped.isEmpty, retryTime == nil else { return }
        retryTime = now + retryInterval
        retryInterval = min(retryInterval + retryInterval, times.longestRetry)
    }

    mutating func cancelRetry() { retryTime = nil }

    /// Skips no device any more.
    mutating func retryAll() {
        (reported, skipped) = (skipped, [])
    }

    // MARK: Forgetting

    mutating func forgetAll() {
        (skipped, reported, silent) = ([], [], [])
        (retryTime, retryInterval) = (nil, times.firstRetry)
    }

    /// Forgets the failures of devices that were chosen again, became ready, or were unplugged.
    ///
    /// - Parameter candidates: The connected devices, the preferred one first.
    mutating func update(_ candidates: [MediaDevice]) {
        if let first = candidates.first, preferred.map(first.isSameInstance) != true {
            skipped.removeAll { $0.device.isSameInstance(as: first) }
            reported.removeAll { $0.device.isSameInstance(as: first) }
            silent.removeAll(where: first.isSameInstance)
        }
        preferred = candidates.first
        silent.removeAll { !candidates.contains(where: $0.isSameInstance) }
        skipped = skipped.compactMap { failure in
            guard let now = candidates.first(where: failure.device.isSameInstance) else { return nil }
            guard !now.isReady || failure.device.isReady else { return nil }
            var failure = failure
            failure.device.isReady = now.isReady
            return failure
        }
    }
}
