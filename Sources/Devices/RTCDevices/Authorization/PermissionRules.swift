/// What the kit needs of Apple's frameworks to ask for a permission. The rules are theirs: who asks without the usage description
/// in the app's Info.plist is ended by the system, and an answer comes on any thread.
protocol PermissionFramework: Sendable {
    /// The text of a key of the app's Info.plist.
    func usageDescription(for key: String) -> String?
    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status
    /// - Parameter answered: Called once, on any thread.
    func ask(for subject: MediaAuthorization.Subject, answered: @escaping @Sendable () -> Void)
    /// Calls `look` when the app comes to the front, which is when a person may come back from the settings.
    func observeReturn(_ look: @escaping @Sendable () -> Void)
    /// The way to the settings, up to the subject.
    var settings: String { get }
}

/// Asks through Apple's frameworks, and never in a way for which the system would end the app.
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
        // What the framework says now counts, and not what it was answered with.
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
