/// What a person did in the window of a call. Cases may be added: give a `switch` a `default`.
public enum VideoCallWindowEvent: Sendable, Hashable {
    /// What a window offers to choose.
    public enum Device: String, Sendable, Hashable, CaseIterable { case camera, microphone, speaker }

    /// Another device is wanted: the one at this place of those that the window was given. It is shown already.
    case choose(Device, index: Int)
    /// The button that goes from one camera to another was pressed.
    case switchCamera
    /// The microphone was switched on or off. The window shows it already.
    case microphone(isOn: Bool)
    /// The camera was switched on or off. The window shows it already.
    case camera(isOn: Bool)
    /// One's own picture is to be seen as in a mirror, or as others see it. The window shows it so already, and nothing that is
    /// sent has changed.
    case mirror(isOn: Bool)
    /// The call is to end: by the button, its keys, or because the window was closed. The window stays, out of sight if it was
    /// closed, until it is told to close.
    case hangUp
}
