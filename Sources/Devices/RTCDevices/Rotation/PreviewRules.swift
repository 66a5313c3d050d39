import RTCWire

/// The rules for a preview layer, which shows a camera without frames that pass through the app.
///
/// A layer gets a new connection with each capture session. It has the default rotation and mirroring, so both have to
/// be set again.
struct PreviewRules: Sendable {
    enum Effect: Sendable, Hashable {
        /// Show the session of this camera, and follow its rotation with a new coordinator.
        case show(MediaDevice)
        /// Show nothing.
        case clear
        /// Apply the default mirroring of the camera.
        case mirrorByItself
        case mirror(Bool)
    }

    private(set) var camera: MediaDevice?
    /// Whether the app wants the preview mirrored; `nil` for the default.
    private(set) var preference: Bool?

    mutating func handle(_ event: DeviceFeedEvent) -> [Effect] {
        switch event {
        case .using(let device):
            camera = device
            return [.show(device), mirroring]
        case .lost(let device), .failed(let device, _):
            return camera?.isSameInstance(as: device) == true ? clear() : []
        case .none: return clear()
        // The layer pauses by itself, and its own coordinator rotates it.
        case .interrupted, .resumed, .turned: return []
        }
    }

    mutating func setMirrored(_ preference: Bool?) -> [Effect] {
        guard preference != self.preference else { return [] }
        self.preference = preference
        return camera == nil ? [] : [mirroring]
    }

    private mutating func clear() -> [Effect] {
        guard camera != nil else { return [] }
        camera = nil
        return [.clear]
    }

    private var mirroring: Effect { preference.map { .mirror($0) } ?? .mirrorByItself }
}
