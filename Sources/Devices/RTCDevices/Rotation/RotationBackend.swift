import RTCWire
import Synchronization

/// Reports the rotations of one camera's frames: `AVCaptureDevice.RotationCoordinator` on Apple's platforms,
/// ``SensorRotation`` elsewhere, or a mock in tests.
package protocol RotationBackend: Sendable {
    /// The current rotations.
    var angles: RotationAngles { get }
    /// Whether the preview's rotation is meant for a mirrored preview.
    var isMirrored: Bool { get }

    /// Calls `onChange` for each change from now on, on any thread, one call at a time. Called once.
    func start(_ onChange: @escaping @Sendable (RotationAngles) -> Void)

    /// Stops. A change that is being delivered may still arrive.
    func stop()

    /// Sets the `CALayer` for which the preview's rotation is computed, on systems that do it this way.
    func setPreviewLayer(_ layer: AnyObject?)
}

extension RotationBackend {
    package func setPreviewLayer(_ layer: AnyObject?) {}
}

/// The rotations of one camera's frames, computed from the orientation that a sensor reports.
package final class SensorRotation: RotationBackend {
    /// The behaviour of the user interface when the device is rotated.
    package enum Interface: Sendable, Hashable {
        /// It rotates with the device, as by default.
        case followsDevice
        case stays(InterfaceOrientation)
        /// It is on a separate screen.
        case isApart
    }

    private struct State {
        var device: DeviceOrientation?
        var interface: Interface
        var isMirrored: Bool?
        var reported: RotationAngles?
        var onChange: (@Sendable (RotationAngles) -> Void)?
    }

    private let camera: MediaDevice
    private let sensor: any OrientationBackend
    private let state: Mutex<State>
    /// Held while a change is reported, so that the last report is the current one.
    private let reportLock = Mutex(())

    /// Creates a backend.
    ///
    /// - Parameter isMirrored: Whether the preview is mirrored; by default as
    ///   ``MediaDevice/isPreviewMirroredByDefault``.
    package init(
        for camera: MediaDevice, sensor: any OrientationBackend, interface: Interface = .followsDevice,
        isMirrored: Bool? = nil
    ) {
        self.camera = camera
        self.sensor = sensor
        state = Mutex(State(interface: interface, isMirrored: isMirrored))
    }

    deinit { sensor.stop() }

    package var angles: RotationAngles { state.withLock { Self.angles(of: camera, $0) } }

    package var isMirrored: Bool { state.withLock { $0.isMirrored } ?? camera.isPreviewMirroredByDefault }

    /// Sets the orientation of the user interface.
    package func setInterface(_ interface: Interface) { change { $0.interface = interface } }

    /// Sets whether the preview is mirrored.
    package func setMirrored(_ isMirrored: Bool) { change { $0.isMirrored = isMirrored } }

    package func start(_ onChange: @escaping @Sendable (RotationAngles) -> Void) {
        state.withLock { state in
            state.onChange = onChange
            state.reported = Self.angles(of: camera, state)
        }
        sensor.start { [weak self] orientation in
            // A device that is laid down flat keeps its last orientation.
            guard orientation.rotation != nil else { return }
            self?.change { $0.device = orientation }
        }
    }

    package func stop() {
        sensor.stop()
        let onChange = state.withLock { state in
            defer { state.onChange = nil }
            return state.onChange
        }
        withExtendedLifetime(onChange) {}
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        reportLock.withLock { _ in
            let news = state.withLock { state -> (angles: RotationAngles, tell: @Sendable (RotationAngles) -> Void)? in
                let angles = Self.angles(of: camera, state)
                guard let onChange = state.onChange, angles != state.reported else { return nil }
                state.reported = angles
                return (angles, onChange)
            }
            if let news { news.tell(news.angles) }
        }
    }

    private static func angles(of camera: MediaDevice, _ state: State) -> RotationAngles {
        let turn = state.device?.rotation
        let interface: VideoRotation? =
            switch state.interface {
            case .followsDevice: turn ?? VideoRotation.none
            case .stays(let orientation): orientation.rotation
            case .isApart: nil
            }
        return RotationAngles(
            mounting: camera.mounting, position: camera.position, device: turn ?? interface ?? .none,
            interface: interface, isMirrored: state.isMirrored ?? camera.isPreviewMirroredByDefault)
    }
}
