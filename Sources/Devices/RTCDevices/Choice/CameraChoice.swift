/// The rules for choosing among several cameras.
///
/// It is a value: update it with events, and use the ``current`` camera. ``CameraSelector`` does both with the devices
/// of a machine.
///
/// ```swift
/// var choice = CameraChoice(policy: .call, history: store.load() ?? CameraHistory())
/// choice.update(devices.cameras)
/// use(choice.current)
/// // The person presses the button.
/// choice.switchCamera()
/// use(choice.current)
/// store.save(choice.history)
/// ```
///
/// Two preferences are combined. The ``userPreferred`` camera is the person's latest choice that is connected. The
/// ``systemPreferred`` camera is the same, unless an external camera was plugged in since: people who plug in a camera
/// want to use it.
public struct CameraChoice: Sendable, Hashable {
    package var policy: CameraPolicy { didSet { settle() } }

    /// The history to store between launches.
    package private(set) var history: CameraHistory

    /// All connected cameras, in the order in which they were passed.
    public private(set) var cameras: [MediaDevice] = []

    /// The camera to use; `nil` if there is none.
    public private(set) var current: MediaDevice?

    /// External cameras that were plugged in since the person last chose, the latest first. Cameras that have gone
    /// since are kept: they may be back with the system's service.
    private var plugged: [MediaDevice] = []
    /// The person's choice since the app began. The camera may have gone since.
    private var chosen: MediaDevice?
    /// The camera that the platform itself prefers, if any.
    private var platformPreferred: DeviceID?
    /// The camera that the system preferred when the app began: until it prefers another one, the policy's first camera
    /// is used.
    private var atBeginning: MediaDevice?
    private var isBeginning = true
    private var hasSeenCameras = false
    private var isRecording = false

    package init(policy: CameraPolicy = .call, history: CameraHistory = CameraHistory()) {
        self.policy = policy
        self.history = history
        self.history.setFirstPosition(policy.firstPosition)
    }

    // MARK: Preferences

    /// The person's latest choice that is connected; if there is none, a camera that is ready, recently used ones
    /// first.
    public var userPreferred: MediaDevice? {
        if let chosen = history.chosen.lazy.compactMap(connected).first { return chosen }
        let ready = cameras.filter(\.isReady)
        if let used = history.streamed.lazy.compactMap({ id in ready.first { $0.id == id } }).first { return used }
        return byPosition(ready) ?? byPosition(cameras)
    }

    /// The external camera that was plugged in last, or else the ``userPreferred`` camera.
    public var systemPreferred: MediaDevice? {
        if let platformPreferred, let camera = connected(platformPreferred) { return camera }
        return plugged.lazy.compactMap(connected).first ?? userPreferred
    }

    /// All cameras in the order for a list, the ``systemPreferred`` camera first.
    public var list: [MediaDevice] {
        guard let first = systemPreferred else { return cameras }
        return [first] + cameras.filter { !$0.isSameInstance(as: first) }
    }

    /// The camera that ``current`` becomes when the recording ends; `nil` if it stays the same.
    public var pending: MediaDevice? {
        guard isRecording, let wanted, current.map(wanted.isSameInstance) != true else { return nil }
        return wanted
    }

    /// Whether to show a button that switches cameras.
    public var showsSwitchButton: Bool {
        guard afterSwitching != nil else { return false }
        switch policy.switchButton {
        case .never: return false
        case .always: return true
        case .unlessExternal: return current?.kind != .external
        }
    }

    // MARK: Events

    /// Updates the connected cameras. The first call establishes those that were connected before launch; an external
    /// camera that is added later was plugged in by a person, unless the system's service was unavailable and reports
    /// known cameras again.
    package mutating func update(_ cameras: [MediaDevice]) {
        let cameras = cameras.filter { $0.media == .camera }
        let new = cameras.filter { camera in !self.cameras.contains { $0.isSameInstance(as: camera) } }
        self.cameras = cameras
        for camera in new { note(camera) }
        hasSeenCameras = true
        // Cameras that come back one by one are no reason to use another one than at the beginning.
        if !new.isEmpty, new.allSatisfy(\.isReturned) { atBeginning = nil }
        settle()
    }

    private mutating func note(_ camera: MediaDevice) {
        if camera.isReturned {
            if chosen?.id == camera.id { chosen = camera }
            if let index = plugged.firstIndex(where: { $0.id == camera.id }) { plugged[index] = camera }
        } else if hasSeenCameras, camera.kind == .external {
            plugged.removeAll { $0.id == camera.id }
            plugged.insert(camera, at: 0)
            if plugged.count > CameraHistory.limit { plugged.removeLast() }
        }
    }

    /// Chooses a camera from a list. One that is not connected is remembered, but changes nothing now.
    package mutating func choose(_ id: DeviceID) {
        history.noteChoice(id)
        guard let camera = connected(id) else { return settle() }
        plugged = []
        platformPreferred = nil
        chosen = camera
        isBeginning = false
        settle()
    }

    /// Switches to another camera, for a switch button: from the front to the back; from the back to an external
    /// camera, or else to the front, or else to a virtual camera. External cameras count as front cameras. If there is
    /// no camera on that side, the next of ``cameras`` is chosen.
    ///
    /// - Returns: The chosen camera, which is used at once unless a recording is in progress; `nil` if there is no
    ///   other.
    @discardableResult
    package mutating func switchCamera() -> MediaDevice? {
        guard let camera = afterSwitching else { return nil }
        choose(camera.id)
        return camera
    }

    /// Records that frames of the current camera are used: it is preferred to cameras that were never used.
    package mutating func noteStreaming() {
        if let current { history.noteStreaming(current.id) }
    }

    /// Begins a recording. Until it ends, the current camera changes only if it is unplugged.
    package mutating func beginRecording() { isRecording = true }

    /// Ends a recording, and applies the changes that it had deferred.
    package mutating func endRecording() {
        isRecording = false
        settle()
    }

    /// Begins anew, for example with another call: the current camera becomes one of ``CameraPolicy/beginsAt``.
    package mutating func begin() {
        isBeginning = true
        chosen = nil
        atBeginning = systemPreferred
        if !isRecording { current = nil }
        settle()
    }

    /// Sets the platform's own preference (`AVCaptureDevice.systemPreferredCamera`), which replaces the one computed
    /// here; `nil` if the platform has none.
    package mutating func setPlatformPreferred(_ id: DeviceID?) {
        platformPreferred = id
        settle()
    }

    // MARK: Rules

    private mutating func settle() {
        followSystem()
        if let present = current.flatMap(connected) {
            current = present
            if isRecording { return }
        }
        current = wanted
    }

    /// Detects when the system prefers another camera than at the beginning.
    private mutating func followSystem() {
        guard isBeginning, !cameras.isEmpty else { return }
        guard let before = atBeginning.flatMap(connected) else {
            atBeginning = systemPreferred
            return
        }
        let isAnother = systemPreferred?.isSameInstance(as: before) == false
        if isAnother { isBeginning = false }
    }

    /// The camera that would be used without a recording.
    private var wanted: MediaDevice? {
        switch policy.mode {
        case .automatic:
            return isBeginning ? beginning(systemPreferred) : systemPreferred
        case .manual:
            if let chosen = chosen.flatMap(connected) { return chosen }
            if let present = current.flatMap(connected) { return present }
            return isBeginning ? beginning(systemPreferred) : userPreferred
        }
    }

    /// The preferred camera if the policy begins at its position; otherwise the first camera at a position where the
    /// policy begins.
    private func beginning(_ preferred: MediaDevice?) -> MediaDevice? {
        guard !policy.beginsAt.isEmpty else { return preferred }
        if let preferred, policy.beginsAt.contains(preferred.position) { return preferred }
        for position in policy.beginsAt {
            if let camera = first(at: position) { return camera }
        }
        return preferred
    }

    private var afterSwitching: MediaDevice? {
        guard let current else { return cameras.first }
        let target: MediaDevice? =
            switch current.position {
            case .front, .unspecified: first(at: .back)
            case .back: real(at: .unspecified) ?? first(at: .front) ?? first(at: .unspecified)
            }
        if let target { return target }
        let index = cameras.firstIndex { $0.isSameInstance(as: current) } ?? 0
        let others = cameras[(index + 1)...] + cameras[..<index]
        return others.first
    }

    private func first(at position: MediaDevice.Position) -> MediaDevice? {
        real(at: position) ?? cameras.first { $0.position == position }
    }

    /// A camera that is not virtual.
    private func real(at position: MediaDevice.Position) -> MediaDevice? {
        let there = cameras.filter { $0.position == position && $0.kind != .virtual }
        return there.first { $0.isReady } ?? there.first
    }

    /// A camera at the app's first position, then one at the others; virtual cameras come last.
    private func byPosition(_ cameras: [MediaDevice]) -> MediaDevice? {
        let positions: [MediaDevice.Position] = history.firstPosition == .back ? [.back, .front] : [.front, .back]
        let real = cameras.filter { $0.kind != .virtual }
        for position in positions {
            if let camera = real.first(where: { $0.position == position }) { return camera }
        }
        return real.first ?? cameras.first
    }

    private func connected(_ id: DeviceID) -> MediaDevice? { cameras.first { $0.id == id } }
    private func connected(_ camera: MediaDevice) -> MediaDevice? { cameras.first { $0.isSameInstance(as: camera) } }
}
