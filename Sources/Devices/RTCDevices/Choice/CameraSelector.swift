import Synchronization

/// Applies a ``CameraChoice`` to the cameras of a machine, and remembers the person's choices.
///
/// ```swift
/// let selector = CameraSelector(devices: try DeviceList(), policy: .call, store: CameraHistoryFile(app: "doorbell"))
/// button.isHidden = !selector.choice.showsSwitchButton
/// button.onPress = { selector.switchCamera() }
/// for await choice in selector.changes() { show(choice.current, choice.list) }
/// ```
public final class CameraSelector: Sendable {
    private struct State {
        var choice: CameraChoice
        /// The number of recordings in progress.
        var recordings = 0
        var readers: [Int: AsyncStream<CameraChoice>.Continuation] = [:]
        var watchers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    public let devices: DeviceList
    private let store: (any CameraHistoryStore)?
    private let preference: (any CameraPreferenceBackend)?
    private let state: Mutex<State>
    private let following = Mutex<Task<Void, Never>?>(nil)
    /// Held while a history is stored, so that histories are stored in their order.
    private let saving = Mutex(())

    /// Creates a selector.
    ///
    /// - Parameters:
    ///   - store: The storage for choices; `nil` to remember nothing.
    ///   - preference: The platform's own memory of choices; by default this machine's.
    public convenience init(
        devices: DeviceList, policy: CameraPolicy = .call, store: (any CameraHistoryStore)? = nil
    ) {
        self.init(devices: devices, policy: policy, store: store, preference: DeviceSystem.ofMachine.preference)
    }

    package init(
        devices: DeviceList, policy: CameraPolicy = .call, store: (any CameraHistoryStore)? = nil,
        preference: (any CameraPreferenceBackend)?
    ) {
        self.devices = devices
        self.store = store
        self.preference = preference
        let kept = store?.load()
        var choice = CameraChoice(policy: policy, history: kept ?? CameraHistory())
        let changes = devices.changes()
        if choice.history != kept { store?.save(choice.history) }
        // The platform does not know the app's first position: it is told once, as the person's first choice.
        if store != nil, kept == nil, policy.firstPosition != .front,
            let first = devices.cameras.first(where: { $0.position == policy.firstPosition })
        {
            preference?.setUserPreferred(first.id)
        }
        // Set before the cameras are: the platform's initial preference is not a change of preference.
        choice.setPlatformPreferred(preference?.systemPreferred)
        choice.update(devices.cameras)
        state = Mutex(State(choice: choice))
        let task = Task { [weak self] in
            for await change in changes where change.device.media == .camera {
                guard let self else { return }
                self.change { $0.update(devices.cameras) }
            }
        }
        following.withLock { $0 = task }
        preference?.observe(for: self) { [weak self] id in self?.change { $0.setPlatformPreferred(id) } }
    }

    deinit {
        following.withLock { $0?.cancel() }
        for reader in state.withLock({ $0.readers.values }) { reader.finish() }
    }

    /// The current choice, as a value.
    public var choice: CameraChoice { state.withLock { $0.choice } }

    /// The choice after each change, beginning with the current one. A slow reader receives the newest.
    public func changes() -> AsyncStream<CameraChoice> {
        let (stream, reader) = AsyncStream.makeStream(of: CameraChoice.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.readers[state.next] = reader
            reader.yield(state.choice)
            return state.next
        }
        reader.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.readers.removeValue(forKey: number) } }
        return stream
    }

    /// See ``CameraChoice/choose(_:)``.
    public func choose(_ id: DeviceID) {
        change { choice in
            // The camera may have been chosen from the list before its arrival was reported here.
            choice.update(devices.cameras)
            choice.choose(id)
        }
        preference?.setUserPreferred(id)
    }

    /// See ``CameraChoice/switchCamera()``.
    @discardableResult
    public func switchCamera() -> MediaDevice? {
        let camera = change { $0.switchCamera() }
        if let camera { preference?.setUserPreferred(camera.id) }
        return camera
    }

    /// See ``CameraChoice/begin()``.
    public func begin() { change { $0.begin() } }
    /// See ``CameraChoice/beginRecording()``. Recordings may overlap; `MediaRecorder.hold(_:)` begins and ends one
    /// itself.
    public func beginRecording() {
        if countRecordings(1) == 1 { change { $0.beginRecording() } }
    }

    /// See ``CameraChoice/endRecording()``. Takes effect with the end of the last recording.
    public func endRecording() {
        if countRecordings(-1) == 0 { change { $0.endRecording() } }
    }

    private func countRecordings(_ more: Int) -> Int {
        state.withLock { state in
            state.recordings = max(0, state.recordings + more)
            return state.recordings
        }
    }

    /// See ``CameraChoice/policy``.
    public func setPolicy(_ policy: CameraPolicy) { change { $0.policy = policy } }
    /// See ``CameraChoice/noteStreaming()``.
    func noteStreaming(_ device: MediaDevice) {
        change { choice in
            if choice.current?.isSameInstance(as: device) == true { choice.noteStreaming() }
        }
    }

    /// Calls `watcher`, on any thread, after each change of the choice, until the token is released.
    func watch(_ watcher: @escaping @Sendable () -> Void) -> CameraSelectorToken {
        let number = state.withLock { state in
            state.next += 1
            state.watchers[state.next] = watcher
            return state.next
        }
        return CameraSelectorToken { [weak self] in
            // The closure is released outside the lock.
            let watcher = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
            withExtendedLifetime(watcher) {}
        }
    }

    @discardableResult
    private func change<Result: Sendable>(_ body: (inout CameraChoice) -> Result) -> Result {
        let (result, watchers, isRemembered) = state.withLock { state in
            let before = state.choice
            let result = body(&state.choice)
            guard state.choice != before else { return (result, [@Sendable () -> Void](), false) }
            for reader in state.readers.values { reader.yield(state.choice) }
            return (result, Array(state.watchers.values), state.choice.history != before.history)
        }
        for watcher in watchers { watcher() }
        if isRemembered { saving.withLock { _ in store?.save(choice.history) } }
        return result
    }
}

/// Ends a watch when it is released.
final class CameraSelectorToken: Sendable {
    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

/// The platform's own memory of the person's choices: `AVCaptureDevice.userPreferredCamera` and
/// `systemPreferredCamera`, or a mock in tests.
package protocol CameraPreferenceBackend: Sendable {
    /// The camera that the platform prefers; `nil` if it has no preference.
    var systemPreferred: DeviceID? { get }
    /// Tells the platform that the person chose a camera, which may change ``systemPreferred``.
    func setUserPreferred(_ id: DeviceID)
    /// Calls `report`, on any thread, when ``systemPreferred`` changes, until `selector` is released. The selector is
    /// not retained.
    func observe(for selector: CameraSelector, _ report: @escaping @Sendable (DeviceID?) -> Void)
}
