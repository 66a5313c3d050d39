/// How an app deals with several cameras.
///
/// There are four that are ready, for apps that people know: ``call``, ``scanner``, ``browser`` and ``camera``. Change what you
/// want otherwise.
public struct CameraPolicy: Sendable, Hashable {
    public enum Mode: Sendable, Hashable {
        /// Uses what the system prefers, whenever that changes: a camera that is plugged in is used at once.
        case automatic
        /// Uses what the person chose until that is gone, or they choose anew.
        case manual
    }

    public enum SwitchButton: Sendable, Hashable {
        case never
        /// Whenever there is another camera.
        case always
        /// Whenever there is another camera, and the one in use is not external.
        case unlessExternal
    }

    public var mode: Mode
    /// Where the app begins, if one of these cameras is there; `unspecified` stands for external ones. Each launch, each call
    /// and each return to its main screen is a beginning, until the person chooses or the system prefers another one. Any, if
    /// empty.
    public var beginsAt: [MediaDevice.Position]
    /// Which camera the system is to recommend to one who has never chosen: front, or back.
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

    /// Calls: begins with the front camera or an external one, lets people switch between built-in ones, and hides the button
    /// while an external camera is used.
    public static let call = CameraPolicy(
        mode: .automatic, beginsAt: [.front, .unspecified], switchButton: .unlessExternal)

    /// Reading codes: begins with the back camera, has no button, and follows the system when that changes its mind.
    public static let scanner = CameraPolicy(
        mode: .automatic, beginsAt: [.back], firstPosition: .back, switchButton: .never)

    /// Pages: any camera, the system's preferred one first in the list, and the page says which.
    public static let browser = CameraPolicy(mode: .manual)

    /// Photos and films: begins where the person left off, and with the back camera the first time.
    public static let camera = CameraPolicy(mode: .automatic, firstPosition: .back)
}
