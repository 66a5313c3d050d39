internal import RTCDevices

/// Whether a view mirrors a track: the app's setting, or the default of the camera.
///
/// People expect to see themselves mirrored. Video of a camera that faces away, and received video, is not mirrored.
@MainActor
final class PreviewMirroring {
    private let apply: @MainActor (Bool) -> Void
    private var following: Task<Void, Never>?

    /// - Parameter apply: Called with each new value.
    init(_ apply: @escaping @MainActor (Bool) -> Void) {
        self.apply = apply
    }

    deinit { following?.cancel() }

    /// The app's setting; `nil` for the camera's default.
    var preference: Bool? { didSet { if preference != oldValue { update() } } }

    /// The camera that is shown; `nil` if the track has none.
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
