/// The system services that device access is built on. Each can be replaced in tests.
public struct DeviceSystem: Sendable {
    package var authorization: any MediaAuthorizationBackend
    /// Creates a discovery backend, a new one for each list.
    package var discovery: @Sendable () -> any DeviceDiscoveryBackend
    package var capture: any CaptureBackend
    /// The playback backend; `nil` where the system alone chooses the loudspeaker.
    package var playback: (any PlaybackBackend)?
    /// Creates the rotation backend of a camera; `nil` on a system without one.
    package var rotation: (@Sendable (MediaDevice) -> any RotationBackend)?
    /// The platform's own memory of chosen cameras; `nil` where it has none.
    package var preference: (any CameraPreferenceBackend)?
}
