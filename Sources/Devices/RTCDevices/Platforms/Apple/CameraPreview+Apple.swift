#if canImport(AVFoundation) && !os(visionOS)
    public import AVFoundation
    import RTCWire

    /// Shows a camera with an `AVCaptureVideoPreviewLayer`, which costs less than frames that pass through the app.
    ///
    /// ```swift
    /// let preview = CameraPreview(of: camera)
    /// view.layer.addSublayer(preview.layer)
    /// ```
    ///
    /// It follows the camera in use, and applies the rotation of the screen and the default mirroring. The camera has
    /// to be started by a track, or by ``CameraFeed/start(delivering:)``. `CameraPreviewView` is the view for it.
    @MainActor
    public final class CameraPreview {
        public let layer = AVCaptureVideoPreviewLayer()
        private let camera: CameraFeed
        private var rules = PreviewRules()
        private var rotation: SystemRotation?
        private var following: Task<Void, Never>?

        public init(of camera: CameraFeed) {
            self.camera = camera
            let events = camera.events()
            if let device = camera.device { carryOut(rules.handle(.using(device))) }
            following = Task { [weak self] in
                for await event in events {
                    guard let self else { return }
                    carryOut(rules.handle(event))
                }
            }
        }

        deinit { following?.cancel() }

        /// Whether the preview is mirrored; `nil`, the default, mirrors all cameras except those that face away from
        /// the person.
        public var isMirrored: Bool? {
            get { rules.preference }
            set { carryOut(rules.setMirrored(newValue)) }
        }

        private func carryOut(_ effects: [PreviewRules.Effect]) {
            for effect in effects {
                switch effect {
                case .show(let device): show(device)
                case .clear:
                    rotation = nil
                    layer.session = nil
                case .mirrorByItself: layer.connection?.automaticallyAdjustsVideoMirroring = true
                case .mirror(let isMirrored):
                    guard let connection = layer.connection, connection.isVideoMirroringSupported else { break }
                    // Setting the mirroring raises an exception while the connection adjusts it automatically.
                    connection.automaticallyAdjustsVideoMirroring = false
                    connection.isVideoMirrored = isMirrored
                }
            }
        }

        private func show(_ device: MediaDevice) {
            guard let open = camera.openCamera as? SessionCamera, open.device.isSameInstance(as: device) else { return }
            layer.session = open.session
            let rotation = SystemRotation(for: device, previewLayer: layer)
            let turned = RotatedLayer(layer)
            // Called on the main queue: the layer has to be rotated immediately, together with the system's animation.
            rotation.start { turned.turn($0.preview) }
            turned.turn(rotation.angles.preview)
            self.rotation = rotation
        }
    }

    // Used on the main queue alone.
    private final class RotatedLayer: @unchecked Sendable {
        private weak var layer: AVCaptureVideoPreviewLayer?

        init(_ layer: AVCaptureVideoPreviewLayer) { self.layer = layer }

        func turn(_ rotation: VideoRotation) {
            let angle = CGFloat(rotation.degrees)
            guard let connection = layer?.connection, connection.isVideoRotationAngleSupported(angle) else { return }
            connection.videoRotationAngle = angle
        }
    }
#endif
