#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import Foundation
    public import QuartzCore
    import RTCWire
    import Synchronization

    /// The rotation of one camera's frames, as the system computes it for the camera and its preview layer.
    ///
    /// A coordinator is for one camera and one layer: create another one after a change. It retains neither. Without a
    /// layer the orientation of the interface is unknown, and the preview has the rotation of captured frames.
    public final class SystemRotation: RotationBackend, @unchecked Sendable {
        private let camera: MediaDevice
        private let state: Mutex<State>

        private struct State: @unchecked Sendable {
            var coordinator: AVCaptureDevice.RotationCoordinator?
            var observations: [NSKeyValueObservation] = []
            var hasLayer: Bool
            var angles = RotationAngles(preview: .none, capture: .none)
            var onChange: (@Sendable (RotationAngles) -> Void)?
        }

        /// Creates a coordinator.
        ///
        /// - Parameter previewLayer: The layer that shows the camera's frames, if there is one.
        public init(for camera: MediaDevice, previewLayer: CALayer? = nil) {
            self.camera = camera
            state = Mutex(State(hasLayer: previewLayer != nil))
            coordinate(previewLayer)
        }

        deinit { for observation in state.withLock({ $0.observations }) { observation.invalidate() } }

        public var angles: RotationAngles { state.withLock { $0.angles } }
        public var isMirrored: Bool { camera.isPreviewMirroredByDefault }

        public func start(_ onChange: @escaping @Sendable (RotationAngles) -> Void) {
            state.withLock { $0.onChange = onChange }
        }

        public func stop() {
            let onChange = state.withLock { state in
                defer { state.onChange = nil }
                return state.onChange
            }
            withExtendedLifetime(onChange) {}
        }

        public func setPreviewLayer(_ layer: AnyObject?) {
            coordinate(layer as? CALayer)
            look()
        }

        private func coordinate(_ layer: CALayer?) {
            let coordinator = SystemDiscovery.deviceHandles.withDevice(camera.handle) { device in
                Unchecked(AVCaptureDevice.RotationCoordinator(device: device, previewLayer: layer))
            }?.value
            // The angles change on the main queue, where a layer has to be rotated immediately.
            let observations = [
                coordinator?.observe(\.videoRotationAngleForHorizonLevelPreview) { @Sendable [weak self] _, _ in
                    self?.look()
                },
                coordinator?.observe(\.videoRotationAngleForHorizonLevelCapture) { @Sendable [weak self] _, _ in
                    self?.look()
                },
            ].compactMap { $0 }
            let hasLayer = layer != nil
            let angles = Self.angles(of: coordinator, hasLayer: hasLayer)
            let new = Unchecked((coordinator: coordinator, observations: observations))
            let old = state.withLock { state in
                let old = Unchecked((state.coordinator, state.observations))
                (state.coordinator, state.observations) = (new.value.coordinator, new.value.observations)
                (state.hasLayer, state.angles) = (hasLayer, angles)
                return old
            }
            for observation in old.value.1 { observation.invalidate() }
        }

        private func look() {
            // The framework is called outside the lock, since it may call back here.
            let seen = state.withLock { Unchecked(($0.coordinator, $0.hasLayer)) }
            let angles = Self.angles(of: seen.value.0, hasLayer: seen.value.1)
            let news = state.withLock { state -> (RotationAngles, @Sendable (RotationAngles) -> Void)? in
                guard state.coordinator === seen.value.0, state.angles != angles else { return nil }
                state.angles = angles
                return state.onChange.map { (angles, $0) }
            }
            if let (angles, onChange) = news { onChange(angles) }
        }

        private static func angles(
            of coordinator: AVCaptureDevice.RotationCoordinator?, hasLayer: Bool
        ) -> RotationAngles {
            guard let coordinator else { return RotationAngles(preview: .none, capture: .none) }
            let capture = VideoRotation(nearestToDegrees: coordinator.videoRotationAngleForHorizonLevelCapture)
            let preview = VideoRotation(nearestToDegrees: coordinator.videoRotationAngleForHorizonLevelPreview)
            return RotationAngles(preview: hasLayer ? preview : capture, capture: capture)
        }

        private struct Unchecked<Value>: @unchecked Sendable {
            let value: Value
            init(_ value: Value) { self.value = value }
        }
    }
#endif
