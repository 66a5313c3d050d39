/// An app's policy for choosing among several cameras.
///
/// There are four predefined policies: ``call``, ``scanner``, ``browser`` and ``camera``. Change their properties as
/// needed.
public struct CameraPolicy: Sendable, Hashable {
    public enum Mode: Sendable, Hashable {
        /// Uses the camera that the system prefers, and follows it: a camera that is plugged in is used at once.
        case automatic
        /// Uses the person's choice until it is unplugged, or they choose again.
        case manual
    }

    public enum SwitchButton: Sendable, Hashable {
        case never
        /// Whenever there is another camera.
        case always
        /// Whenever there is another camera, and the current one is not external.
        case unlessExternal
    }

    public var mode: Mode
    /// The positions to begin with at each launch, each call and each return to the main screen, until the person
    /// chooses or the system prefers another camera; `unspecified` stands for external cameras. Empty for any.
    public var beginsAt: [MediaDevice.Position]
    /// The position that the system recommends to people who have never chosen: front or back.
    public var firstPosition: MediaDevice.Position
    public var switchButton: SwitchButton

    public init(
        mode: Mode = .automatic, beginsAt: [MediaDevice.Position] = [], firstPosition: MediaDevice.Position = .front,
        switchButton: SwitchButton = .always
    ) {
        self.mode = mode
        self.beginsAt = beginsAt
        self.firstPosition = firstPosition
        self.switchButton = switchButton
    }

    /// The policy for calls: begins with the front camera or an external one, and shows the switch button unless an
    /// external camera is in use.
    public static let call = CameraPolicy(
        mode: .automatic, beginsAt: [.front, .unspecified], switchButton: .unlessExternal)

    /// The policy for code scanners: begins with the back camera, has no switch button, and follows the system's
    /// preference.
    public static let scanner = CameraPolicy(
        mode: .automatic, beginsAt: [.back], firstPosition: .back, switchButton: .never)

    /// The policy for web pages: the page chooses from the list, in which the system's preferred camera comes first.
    public static let browser = CameraPolicy(mode: .manual)

    /// The policy for camera apps: begins with the person's latest choice, and with the back camera at first.
    public static let camera = CameraPolicy(mode: .automatic, firstPosition: .back)
}
