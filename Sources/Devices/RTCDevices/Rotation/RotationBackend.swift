import RTCWire
import Synchronization

/// Follows the angles of one camera: `AVCaptureDevice.RotationCoordinator` on Apple's platforms, ``SensorRotation`` elsewhere, or a
/// stand-in in tests.
public protocol RotationBackend: Sendable {
    /// What holds now.
    var angles: RotationAngles { get }
    /// Whether the preview's angle is meant for one that is shown as in a mirror.
    var isMirrored: Bool { get }

    /// Calls `onChange` with other angles from now on, on any thread, one at a time. Called once.
    func start(_ onChange: @escaping @Sendable (RotationAngles) -> Void)

    /// Ends it. What is on its way may still arrive.
    func stop()

    /// Works the preview's angle out for this `CALayer` from now on, where that is how the system does it.
    func setPreviewLayer(_ layer: AnyObject?)
}

extension RotationBackend {
    public func setPreviewLayer(_ layer: AnyObject?) {}
}

/// The angles of one camera, worked out from the orientation that a sensor reports.
public final class SensorRotation: RotationBackend {
    /// What a user interface does when the machine is turned.
    public enum Interface: Sendable, Hashable {
        /// It turns too, as the system's settings have it by default.
        case followsDevice
        case stays(InterfaceOrientation)
        /// It is on a screen that is no part of the machine.
        case isApart
    }

    private struct State {
        var device: DeviceOrientation?
        var interface: Interface
        var isMirrored: Bool?
        var told: RotationAngles?
        var onChange: (@Sendable (RotationAngles) -> Void)?
    }

    private let camera: MediaDevice
    private let sensor: any OrientationBackend
    private let state: Mutex<State>
    /// Held while it is told, so that what is told last is what holds.
    private let telling = Mutex(())

    /// - Parameter isMirrored: Whether the preview is mirrored; as it is by default, if left out.
    public init(
        for camera: MediaDevice, sensor: any OrientationBackend, interface: Interface = .followsDevice,
        isMirrored: Bool? = nil
    ) {
        self.camera = camera
        self.sensor = sensor
        state = Mutex(State(interface: interface, isMirrored: isMirrored))
    }

    deinit { sensor.stop() }

    public var angles: RotationAngles { state.withLock { Self.angles(of: camera, $0) } }

    public var isMirrored: Bool { state.withLock { $0.isMirrored } ?? camera.isPreviewMirroredByDefault }

    /// The user interface lies otherwise now.
    public func setInterface(_ interface: Interface) { change { $0.interface = interface } }

    /// The preview is mirrored now, or not any more.
    public func setMirrored(_ isMirrored: Bool) { change { $0.isMirrored = isMirrored } }

    public func start(_ onChange: @escaping @Sendable (RotationAngles) -> Void) {
        state.withLock { state in
            state.onChange = onChange
            state.told = Self.angles(of: camera, state)
        }
        sensor.start { [weak self] orientation in
            // A machine that is laid down flat stays as it was held.
            guard orientation.turn != nil else { return }
            self?.change { $0.device = orientation }
        }
    }

    public func stop() {
        sensor.stop()
        let onChange = state.withLock { state in
            defer { state.onChange = nil }
            return state.onChange
        }
        withExtendedLifetime(onChange) {}
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        telling.withLock { _ in
            let news = state.withLock { state -> (angles: RotationAngles, tell: @Sendable (RotationAngles) -> Void)? in
                let angles = Self.angles(of: camera, state)
                guard let onChange = state.onChange, angles != state.told else { return nil }
                state.told = angles
                return (angles, onChange)
            }
            if let news { news.tell(news.angles) }
        }
    }

    private static func angles(of camera: MediaDevice, _ state: State) -> RotationAngles {
        let turn = state.device?.turn
        let interface: VideoRotation? =
            switch state.interface {
            case .followsDevice: turn ?? VideoRotation.none
            case .stays(let orientation): orientation.turn
            case .isApart: nil
            }
        return RotationAngles(
            mounting: camera.mounting, position: camera.position, device: turn ?? interface ?? .none,
            interface: interface, isMirrored: state.isMirrored ?? camera.isPreviewMirroredByDefault)
    }
}
