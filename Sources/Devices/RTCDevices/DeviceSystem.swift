/// What of a system the kit stands on: each part can be another one in tests.
public struct DeviceSystem: Sendable {
    public var authorization: any MediaAuthorizationBackend
    /// A new one for each list.
    public var discovery: @Sendable () -> any DeviceDiscoveryBackend
    public var capture: any CaptureBackend
    /// `nil` where the system alone says where sound is heard.
    public var playback: (any PlaybackBackend)?
    /// A new one for each camera: how its pictures are to be turned. `nil` for a system that knows nothing of it.
    public var rotation: (@Sendable (MediaDevice) -> any RotationBackend)?
    /// The platform's own memory of the cameras that a person chose; `nil` where it has none.
    public var preference: (any CameraPreferenceBackend)?

    public init(
        authorization: any MediaAuthorizationBackend, discovery: @escaping @Sendable () -> any DeviceDiscoveryBackend,
        capture: any CaptureBackend, playback: (any PlaybackBackend)? = nil,
        rotation: (@Sendable (MediaDevice) -> any RotationBackend)? = nil,
        preference: (any CameraPreferenceBackend)? = nil
    ) {
        self.authorization = authorization
        self.discovery = discovery
        self.capture = capture
        self.playback = playback
        self.rotation = rotation
        self.preference = preference
    }
}
