public import RTCWire

/// How a machine is held: Apple's names, with "portrait" for the way in which it is meant to be held, whatever its shape.
public enum DeviceOrientation: String, Sendable, Hashable, CaseIterable {
    case portrait
    case portraitUpsideDown
    /// Its top is to the left: turned counter-clockwise from portrait, as the person sees it.
    case landscapeLeft
    /// Its top is to the right.
    case landscapeRight
    case faceUp
    case faceDown
    case unknown

    /// How far the machine is turned clockwise from the way in which it is meant to be held; `nil` where it lies flat.
    public var turn: VideoRotation? {
        switch self {
        case .portrait: VideoRotation.none
        case .landscapeRight: .clockwise90
        case .portraitUpsideDown: .clockwise180
        case .landscapeLeft: .clockwise270
        case .faceUp, .faceDown, .unknown: nil
        }
    }
}

/// How the user interface lies on the screen: Apple's names, which are the other way round than ``DeviceOrientation``'s.
public enum InterfaceOrientation: String, Sendable, Hashable, CaseIterable {
    case portrait
    case portraitUpsideDown
    /// Upright on a machine that is held ``DeviceOrientation/landscapeRight``.
    case landscapeLeft
    /// Upright on a machine that is held ``DeviceOrientation/landscapeLeft``.
    case landscapeRight

    /// How far the machine is turned clockwise when this interface is upright.
    public var turn: VideoRotation {
        switch self {
        case .portrait: .none
        case .landscapeLeft: .clockwise90
        case .portraitUpsideDown: .clockwise180
        case .landscapeRight: .clockwise270
        }
    }
}

/// Knows how the machine is held: the system's sensor, or a stand-in in tests.
public protocol OrientationBackend: Sendable {
    /// Calls `report` with the present orientation, and with each that follows, on any thread, one at a time. It reports
    /// nothing on a machine without a sensor.
    func start(_ report: @escaping @Sendable (DeviceOrientation) -> Void)
    func stop()
}
