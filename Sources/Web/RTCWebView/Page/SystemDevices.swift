public import RTCDevices

/// The system's permissions for camera and microphone, with ``MediaAuthorization``.
///
/// ```swift
/// WebViewContext.shared.devices = SystemDevices()
/// ```
///
/// A ``WebViewContext`` uses it by default on Apple's platforms. On Linux, WebKitGTK asks the camera portal when a page
/// requests a camera; with this type the app asks before the page is loaded. It does not wait for a portal or a sound
/// server that does not exist.
public struct SystemDevices: DeviceAuthorizing {
    private let authorization: MediaAuthorization
    private let refusesMissingDevices: Bool

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - authorization: The permissions of this machine, or a mock in tests.
    ///   - refusesMissingDevices: Whether `restricted` prevents pages from being loaded. On Linux that status means that
    ///     there is no such device: with `false` the page is loaded, and `getUserMedia` throws `NotFoundError`.
    public init(_ authorization: MediaAuthorization = .system, refusesMissingDevices: Bool = true) {
        self.authorization = authorization
        self.refusesMissingDevices = refusesMissingDevices
    }

    public func authorization(for kind: CaptureKind) -> CaptureAuthorizationStatus {
        guard let subject = kind.subject else { return .authorized }
        return status(for: subject)
    }

    private func status(for subject: MediaAuthorization.Subject) -> CaptureAuthorizationStatus {
        let status = CaptureAuthorizationStatus(authorization.status(for: subject))
        return status == .restricted && !refusesMissingDevices ? .authorized : status
    }

    public func requestAuthorization(for kind: CaptureKind) async -> CaptureAuthorizationStatus {
        guard let subject = kind.subject else { return .authorized }
        do throws(DeviceError) {
            try await authorization.request(for: subject)
            return .authorized
        } catch {
            // A missing device is not a refusal: `getUserMedia` fails with the standard's error.
            if error.code == .notFound { return .authorized }
            // Neither a refusal, nor something that a person could change.
            if error.code == .usageDescriptionMissing { return .misconfigured(error.message) }
            let status = status(for: subject)
            if error.code == .restricted, !refusesMissingDevices { return .authorized }
            return status == .authorized || status == .notDetermined ? .denied : status
        }
    }
}

extension CaptureKind {
    /// The system itself asks about the screen, each time.
    fileprivate var subject: MediaAuthorization.Subject? {
        switch self {
        case .camera: .video
        case .microphone: .audio
        case .display: nil
        }
    }
}

extension CaptureAuthorizationStatus {
    fileprivate init(_ status: MediaAuthorization.Status) {
        self =
            switch status {
            case .notDetermined: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .authorized: .authorized
            }
    }
}
