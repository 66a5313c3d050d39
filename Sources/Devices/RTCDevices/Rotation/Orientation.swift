package import RTCWire

/// The physical orientation of a device, with Apple's names. “Portrait” is the natural orientation, whatever the shape
/// of the device.
package enum DeviceOrientation: String, Sendable, Hashable, CaseIterable {
    case portrait
    case portraitUpsideDown
    /// The top is to the left: rotated counter-clockwise from portrait, as the person sees it.
    case landscapeLeft
    /// The top is to the right.
    case landscapeRight
    case faceUp
    case faceDown
    case unknown

    /// The clockwise rotation of the device from its natural orientation; `nil` if it lies flat.
    package var rotation: VideoRotation? {
        switch self {
        case .portrait: VideoRotation.none
        case .landscapeRight: .clockwise90
        case .portraitUpsideDown: .clockwise180
        case .landscapeLeft: .clockwise270
        case .faceUp, .faceDown, .unknown: nil
        }
    }
}

/// The orientation of the user interface, with Apple's names, which are the reverse of those of ``DeviceOrientation``.
package enum InterfaceOrientation: String, Sendable, Hashable, CaseIterable {
    case portrait
    case portraitUpsideDown
    /// Upright while the device is in ``DeviceOrientation/landscapeRight``.
    case landscapeLeft
    /// Upright while the device is in ``DeviceOrientation/landscapeLeft``.
    case landscapeRight

    /// The clockwise rotation of the device with which this interface is upright.
    package var rotation: VideoRotation {
        switch self {
        case .portrait: .none
        case .landscapeLeft: .clockwise90
        case .portraitUpsideDown: .clockwise180
        case .landscapeRight: .clockwise270
        }
    }
}

/// Reports the physical orientation of the device: the system's sensor, or a mock in tests.
package protocol OrientationBackend: Sendable {
    /// Calls `report` with the current orientation and each change, on any thread, one call at a time. Reports nothing
    /// on a machine without a sensor.
    func start(_ report: @escaping @Sendable (DeviceOrientation) -> Void)
    func stop()
}
