/// The parts of Apple's frameworks that ask for a permission. The system ends an app that asks without the usage
/// description in its Info.plist, and an answer comes on any thread.
protocol PermissionFramework: Sendable {
    /// Returns the text of a key of the app's Info.plist.
    func usageDescription(for key: String) -> String?
    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status
    /// - Parameter answered: Called once, on any thread.
    func ask(for subject: MediaAuthorization.Subject, answered: @escaping @Sendable () -> Void)
    /// Calls `look` when the app comes to the foreground, for instance when a person comes back from the settings.
    func observeReturn(_ look: @escaping @Sendable () -> Void)
    /// The path in the settings, without the subject's own page.
    var settings: String { get }
}

/// Asks through Apple's frameworks, but never where the system would end the app.
struct FrameworkAuthorization: MediaAuthorizationBackend {
    let framework: any PermissionFramework

    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status {
        framework.status(for: subject)
    }

    func request(
        for subject: MediaAuthorization.Subject
    ) async throws(DeviceError) -> MediaAuthorization.Status {
        let key = Self.usageDescriptionKey(of: subject)
        guard framework.usageDescription(for: key)?.contains(where: { !$0.isWhitespace }) == true else {
            throw DeviceError(
                .usageDescriptionMissing,
                "the app's Info.plist needs \(key): a sentence that tells people why the app wants to use \(subject.name)"
            )
        }
        await withCheckedContinuation { continuation in
            framework.ask(for: subject) { continuation.resume() }
        }
        // Uses the framework's current status, not the answer.
        return framework.status(for: subject)
    }

    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError {
        if status == .restricted {
            return DeviceError(
                .restricted,
                "this device does not let the app use \(subject.name), and its user cannot allow it: a profile, or Screen Time, "
                    + "forbids it")
        }
        return DeviceError(
            .denied,
            "the app may not use \(subject.name): it can be allowed in \(framework.settings) > \(Self.settingsName(of: subject))"
        )
    }

    func observe(_ look: @escaping @Sendable () -> Void) { framework.observeReturn(look) }

    static func usageDescriptionKey(of subject: MediaAuthorization.Subject) -> String {
        switch subject {
        case .video: "NSCameraUsageDescription"
        case .audio: "NSMicrophoneUsageDescription"
        case .photoLibraryAdditions: "NSPhotoLibraryAddUsageDescription"
        }
    }

    private static func settingsName(of subject: MediaAuthorization.Subject) -> String {
        switch subject {
        case .video: "Camera"
        case .audio: "Microphone"
        case .photoLibraryAdditions: "Photos"
        }
    }
}
