/// An action of the person in a call window. Cases may be added: give a `switch` a `default`.
public enum VideoCallWindowEvent: Sendable, Hashable {
    /// A kind of device that a window offers to choose.
    public enum Device: String, Sendable, Hashable, CaseIterable { case camera, microphone, speaker }

    /// Another device was chosen: its index in the ``DeviceChoices`` of the window, which shows it already.
    case choose(Device, index: Int)
    /// The button that switches cameras was pressed.
    case switchCamera
    /// The microphone was switched on or off. The window shows it already.
    case microphone(isOn: Bool)
    /// The camera was switched on or off. The window shows it already.
    case camera(isOn: Bool)
    /// Mirroring of the local video was switched on or off. The window shows it already, and the sent video does not
    /// change.
    case mirror(isOn: Bool)
    /// The call is to be ended, by the button, its shortcut, or because the window was closed. The window exists until
    /// it is closed by the program, hidden if the person closed it.
    case hangUp
}
