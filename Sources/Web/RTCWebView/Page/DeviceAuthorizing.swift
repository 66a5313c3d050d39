/// Reports and requests the app's permission to use capture devices.
public protocol DeviceAuthorizing: Sendable {
    /// Returns the status of a permission.
    ///
    /// - Parameter kind: `microphone` or `camera`.
    func authorization(for kind: CaptureKind) -> CaptureAuthorizationStatus

    /// Asks the person for a permission, unless it was decided before.
    ///
    /// - Returns: The new status.
    func requestAuthorization(for kind: CaptureKind) async -> CaptureAuthorizationStatus
}
