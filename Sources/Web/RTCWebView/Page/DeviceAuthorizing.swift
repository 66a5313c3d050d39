/// Who knows, and who asks: the system, by ``CaptureAuthorizationStatus``.
public protocol DeviceAuthorizing: Sendable {
    /// - Parameter kind: `microphone` or `camera`.
    func authorization(for kind: CaptureKind) -> CaptureAuthorizationStatus

    /// Asks the person where the system has not done so yet.
    ///
    /// - Returns: What holds from now on.
    func requestAuthorization(for kind: CaptureKind) async -> CaptureAuthorizationStatus
}
