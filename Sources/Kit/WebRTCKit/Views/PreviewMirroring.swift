internal import RTCDevices

/// Whether a view shows a track as in a mirror: as the app wants it, or as is usual for the camera whose pictures it shows.
///
/// People see themselves as in a mirror. A camera that looks away from them is not one, nor is what others send.
@MainActor
final class PreviewMirroring {
    private let apply: @MainActor (Bool) -> Void
    private var following: Task<Void, Never>?

    /// - Parameter apply: Called with what is so, at each change.
    init(_ apply: @escaping @MainActor (Bool) -> Void) {
        self.apply = apply
    }

    deinit { following?.cancel() }

    /// What the app wants; `nil` if it has not said.
    var preference: Bool? { didSet { if preference != oldValue { update() } } }

    /// The camera whose pictures are shown; `nil` for a track that is none's.
    var camera: CameraFeed? {
        didSet {
            guard camera !== oldValue else { return }
            following?.cancel()
            following = nil
            update()
            guard let camera else { return }
            let events = camera.events()
            following = Task { [weak self] in
                for await event in events {
                    if case .using = event { self?.update() }
                }
            }
        }
    }

    private func update() {
        let device = camera.flatMap { $0.device ?? $0.selector.choice.current }
        apply(preference ?? device?.isPreviewMirroredByDefault ?? false)
    }
}
