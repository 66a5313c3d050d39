import RTCWire

/// What a layer is told that shows a camera by itself, without its pictures passing through the app.
///
/// A layer gets a connection with each session that it shows, which knows nothing of what was said to the one before: it is not
/// turned, and mirrored as the system thinks right.
struct PreviewRules: Sendable {
    enum Effect: Sendable, Hashable {
        /// The layer shows the session of this camera, whose angles are followed from now on. A coordinator is for one camera.
        case show(MediaDevice)
        /// It shows nothing.
        case clear
        /// As is usual for the camera: all are mirrored but those that look away from the person.
        case mirrorByItself
        case mirror(Bool)
    }

    private(set) var camera: MediaDevice?
    /// Whether the app wants it mirrored; `nil` if it has not said.
    private(set) var wish: Bool?

    mutating func handle(_ event: DeviceFeedEvent) -> [Effect] {
        switch event {
        case .using(let device):
            camera = device
            return [.show(device), mirroring]
        case .lost(let device), .failed(let device, _):
            return camera?.isSameInstance(as: device) == true ? clear() : []
        case .none: return clear()
        // The layer stands still by itself, and is turned by its own coordinator.
        case .interrupted, .resumed, .turned: return []
        }
    }

    mutating func setMirrored(_ wish: Bool?) -> [Effect] {
        guard wish != self.wish else { return [] }
        self.wish = wish
        return camera == nil ? [] : [mirroring]
    }

    private mutating func clear() -> [Effect] {
        guard camera != nil else { return [] }
        camera = nil
        return [.clear]
    }

    private var mirroring: Effect { wish.map { .mirror($0) } ?? .mirrorByItself }
}
