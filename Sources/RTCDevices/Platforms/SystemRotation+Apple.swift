#if canImport(AVFoundation)
    import AVFoundation
    import Foundation
    public import QuartzCore
    import RTCWire
    import Synchronization

    /// The angles that the system works out for one camera, and for the layer that shows its preview.
    ///
    /// A coordinator is for one camera: whoever switches makes a new one. It holds neither camera nor layer; without a layer its
    /// preview is not turned.
    public final class SystemRotation: RotationBackend, @unchecked Sendable {
        // The coordinator and what observes it are made by init and let go by deinit; the angles are behind their lock.
        private let coordinator: AVCaptureDevice.RotationCoordinator?
        private var observations: [NSKeyValueObservation] = []
        private let state: Mutex<State>

        private struct State: Sendable {
            var angles = RotationAngles(preview: .none, capture: .none)
            var onChange: (@Sendable (RotationAngles) -> Void)?
        }

        /// - Parameter previewLayer: The layer that shows the camera's pictures, if there is one.
        public init(for camera: MediaDevice, previewLayer: CALayer? = nil) {
            let coordinator = SystemDiscovery.ledger.withDevice(camera.handle) { device in
                Unchecked(AVCaptureDevice.RotationCoordinator(device: device, previewLayer: previewLayer))
            }?.value
            self.coordinator = coordinator
            state = Mutex(State(angles: Self.angles(of: coordinator)))
            guard let coordinator else { return }
            // They change on the main queue, which is where a layer is to be turned, at once.
            observations = [
                coordinator.observe(\.videoRotationAngleForHorizonLevelPreview) { [weak self] _, _ in self?.look() },
                coordinator.observe(\.videoRotationAngleForHorizonLevelCapture) { [weak self] _, _ in self?.look() },
            ]
        }

        deinit { for observation in observations { observation.invalidate() } }

        public var angles: RotationAngles { state.withLock { $0.angles } }

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

        private func look() {
            let angles = Self.angles(of: coordinator)
            let onChange = state.withLock { state -> (@Sendable (RotationAngles) -> Void)? in
                guard state.angles != angles else { return nil }
                state.angles = angles
                return state.onChange
            }
            onChange?(angles)
        }

        private static func angles(of coordinator: AVCaptureDevice.RotationCoordinator?) -> RotationAngles {
            guard let coordinator else { return RotationAngles(preview: .none, capture: .none) }
            return RotationAngles(
                preview: VideoRotation(nearestToDegrees: coordinator.videoRotationAngleForHorizonLevelPreview),
                capture: VideoRotation(nearestToDegrees: coordinator.videoRotationAngleForHorizonLevelCapture))
        }

        private struct Unchecked: @unchecked Sendable {
            let value: AVCaptureDevice.RotationCoordinator
            init(_ value: AVCaptureDevice.RotationCoordinator) { self.value = value }
        }
    }
#endif
