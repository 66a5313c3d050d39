/// Which of several cameras to use.
///
/// It is a value: tell it what happens, and use what ``current`` says. ``CameraSelector`` does both with the devices of a
/// machine.
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
/// Two cameras are preferred, for two reasons. The ``userPreferred`` one is what the person chose: the latest of their choices
/// that is connected. The ``systemPreferred`` one is that too, unless they have plugged in an external camera since, for who
/// plugs in a camera wants to use it.
public struct CameraChoice: Sendable, Hashable {
    public var policy: CameraPolicy { didSet { settle() } }

    /// What is to be remembered from one launch to the next.
    public private(set) var history: CameraHistory

    /// All that are connected, in the order of the list that they came in.
    public private(set) var cameras: [MediaDevice] = []

    /// The camera to use; `nil` while there is none.
    public private(set) var current: MediaDevice?

    /// External cameras that were plugged in since the person last chose, the latest first; also what has gone since, for it may
    /// be back with the system's service.
    private var plugged: [MediaDevice] = []
    /// What a person chose since the app began. It may have gone since, too.
    private var chosen: MediaDevice?
    /// What the platform itself prefers, where it has an opinion.
    private var platformPreferred: DeviceID?
    /// What the system preferred when the app began: until it prefers another one, the app's own beginning counts.
    private var atBeginning: MediaDevice?
    private var isBeginning = true
    private var hasSeenCameras = false
    private var isRecording = false

    public init(policy: CameraPolicy = .call, history: CameraHistory = CameraHistory()) {
        self.policy = policy
        self.history = history
        self.history.setFirstPosition(policy.firstPosition)
    }

    // MARK: What is preferred

    /// The camera that the person chose last, of those that are connected; if none of their choices is, one that is ready to
    /// use, those that were used before first.
    public var userPreferred: MediaDevice? {
        if let chosen = history.chosen.lazy.compactMap(connected).first { return chosen }
        let ready = cameras.filter(\.isReady)
        if let used = history.streamed.lazy.compactMap({ id in ready.first { $0.id == id } }).first { return used }
        return byPosition(ready) ?? byPosition(cameras)
    }

    /// The external camera that was just plugged in, or else the ``userPreferred`` one.
    public var systemPreferred: MediaDevice? {
        if let platformPreferred, let camera = connected(platformPreferred) { return camera }
        return plugged.lazy.compactMap(connected).first ?? userPreferred
    }

    /// All cameras for a list that a person or a page chooses from: the ``systemPreferred`` one first.
    public var list: [MediaDevice] {
        guard let first = systemPreferred else { return cameras }
        return [first] + cameras.filter { !$0.isSameInstance(as: first) }
    }

    /// What ``current`` will be when the recording is over, if that is another one.
    public var pending: MediaDevice? {
        guard isRecording, let wanted, current.map(wanted.isSameInstance) != true else { return nil }
        return wanted
    }

    /// Whether to show a button that switches to another camera.
    public var showsSwitchButton: Bool {
        guard afterSwitching != nil else { return false }
        switch policy.switchButton {
        case .never: return false
        case .always: return true
        case .unlessExternal: return current?.kind != .external
        }
    }

    // MARK: What happens

    /// These cameras are connected now. Those of the first call were there before the app was; an external one that comes later
    /// was plugged in by a person, unless the system's service was away and shows again what it has shown before.
    public mutating func update(_ cameras: [MediaDevice]) {
        let cameras = cameras.filter { $0.media == .camera }
        let new = cameras.filter { camera in !self.cameras.contains { $0.isSameInstance(as: camera) } }
        self.cameras = cameras
        for camera in new { note(camera) }
        hasSeenCameras = true
        // What comes back one by one is no reason to leave the beginning.
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

    /// The person has chosen this camera from a list. One that is not connected is remembered, and changes nothing now.
    public mutating func choose(_ id: DeviceID) {
        history.noteChoice(id)
        guard let camera = connected(id) else { return settle() }
        plugged = []
        platformPreferred = nil
        chosen = camera
        isBeginning = false
        settle()
    }

    /// The person has pressed the button: an external camera counts as one that looks to the front. From the front it goes to
    /// the back; from the back to an external camera, or else to the front, or else to one that a program makes. Where there is
    /// no camera on that side, it goes to the next of the ``cameras``.
    ///
    /// - Returns: The camera that was chosen, which is used at once unless a recording goes on; `nil` if there is no other.
    @discardableResult
    public mutating func switchCamera() -> MediaDevice? {
        guard let camera = afterSwitching else { return nil }
        choose(camera.id)
        return camera
    }

    /// Pictures of the current camera are used from now on: it comes before those that were never used.
    public mutating func noteStreaming() {
        if let current { history.noteStreaming(current.id) }
    }

    /// A recording has begun: until it is over the camera stays as it is, unless it is unplugged.
    public mutating func beginRecording() { isRecording = true }

    /// A recording is over: what would have happened to the camera happens now.
    public mutating func endRecording() {
        isRecording = false
        settle()
    }

    /// A new beginning, such as another call or the app's main screen: the camera is again one of ``CameraPolicy/beginsAt``.
    public mutating func begin() {
        isBeginning = true
        chosen = nil
        atBeginning = systemPreferred
        if !isRecording { current = nil }
        settle()
    }

    /// The platform has an opinion of its own (`AVCaptureDevice.systemPreferredCamera`), which counts instead of what is known
    /// here. `nil` where it has none.
    public mutating func setPlatformPreferred(_ id: DeviceID?) {
        platformPreferred = id
        settle()
    }

    // MARK: How it is decided

    private mutating func settle() {
        followSystem()
        if let present = current.flatMap(connected) {
            current = present
            if isRecording { return }
        }
        current = wanted
    }

    /// Notices when the system prefers another one than at the beginning.
    private mutating func followSystem() {
        guard isBeginning, !cameras.isEmpty else { return }
        guard let before = atBeginning.flatMap(connected) else {
            atBeginning = systemPreferred
            return
        }
        let isAnother = systemPreferred?.isSameInstance(as: before) == false
        if isAnother { isBeginning = false }
    }

    /// What would be used if there were no recording.
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

    /// The preferred camera if the policy begins with such, or else the first that it does begin with.
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

    /// One that no program makes.
    private func real(at position: MediaDevice.Position) -> MediaDevice? {
        let there = cameras.filter { $0.position == position && $0.kind != .virtual }
        return there.first { $0.isReady } ?? there.first
    }

    /// Where the app begins first, then the other sides; a camera that a program makes comes last.
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
