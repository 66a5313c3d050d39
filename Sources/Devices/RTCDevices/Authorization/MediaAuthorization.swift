/// The app's permission to use cameras and microphones.
///
/// ```swift
/// switch MediaAuthorization.status(for: .video) {
/// case .authorized: startCamera()
/// case .notDetermined, .denied, .restricted:
///     do {
///         try await MediaAuthorization.request(for: .video)
///         startCamera()
///     } catch {
///         show(error.message)  // says where it can be changed
///     }
/// }
/// ```
///
/// The person is asked once, however many tasks wait for the answer. A denied or restricted permission is not requested
/// again, because the system would not ask again; the error says where to change it.
public final class MediaAuthorization: Sendable {
    /// The kind of devices or data that a permission is for.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        /// Cameras.
        case video
        /// Microphones.
        case audio
        /// Adding photos and movies to the photo library, without reading it. Requested separately from the camera, and
        /// only by apps that save. Linux has no such library: files are written, and the permission is granted.
        case photoLibraryAdditions
    }

    /// The status of a permission.
    public enum Status: String, Sendable, Hashable {
        /// The person has not been asked yet.
        case notDetermined
        /// The person cannot grant the permission: parental controls, a profile, or a machine without it.
        case restricted
        /// The person denied the permission, or revoked it.
        case denied
        case authorized
    }

    /// A change of a permission's status.
    public struct Change: Sendable, Hashable {
        public let subject: Subject
        public let status: Status

        package init(subject: Subject, status: Status) {
            self.subject = subject
            self.status = status
        }
    }

    private let backend: any MediaAuthorizationBackend
    private let permissionRequests = PermissionRequests()
    private let watch = StatusWatch()

    /// Creates an instance.
    ///
    /// - Parameter backend: The backend that knows the permissions and asks the person: the system's, or a mock in
    ///   tests.
    package init(backend: any MediaAuthorizationBackend) {
        self.backend = backend
    }

    /// The permissions of this machine's system.
    public static let system = MediaAuthorization(backend: DeviceSystem.ofMachine.authorization)

    /// Returns the status of a permission, without asking the person.
    public static func status(for subject: Subject) -> Status { system.status(for: subject) }

    /// Requests a permission of this machine's system, like the instance method of the same name.
    public static func request(for subject: Subject) async throws(DeviceError) {
        try await system.request(for: subject)
    }

    /// Returns the status of a permission, without asking the person.
    public func status(for subject: Subject) -> Status { backend.status(for: subject) }

    /// Waits until the permission is granted. Returns at once if it is granted already; otherwise asks the person.
    ///
    /// - Throws: ``DeviceError`` `denied`, `restricted`, `usageDescriptionMissing`, `unanswered`, `notFound` (there is
    ///   no such device), `unavailable` (there is no service to ask), or `cancelled` if the waiting task is cancelled;
    ///   other tasks continue to wait for the answer.
    public func request(for subject: Subject) async throws(DeviceError) {
        let status = backend.status(for: subject)
        guard status == .notDetermined else { return try accept(status, of: subject) }
        try accept(try await permissionRequests.answer(to: subject) { await self.ask(subject) }.get(), of: subject)
    }

    /// The changes of permissions from now on, by an answer or in the system's settings. A slow reader receives the
    /// newest 32.
    public func changes() -> AsyncStream<Change> {
        let (stream, isFirst) = watch.add(knowing: statuses)
        if isFirst {
            backend.observe { [weak self] in self?.look() }
            // The status may have changed before the backend observed it.
            look()
        }
        return stream
    }

    private func ask(_ subject: Subject) async -> Result<Status, DeviceError> {
        // Another caller's request may have been answered since this caller read the status.
        var status = backend.status(for: subject)
        if status == .notDetermined {
            do throws(DeviceError) { status = try await backend.request(for: subject) } catch { return .failure(error) }
        }
        look()
        return .success(status)
    }

    private func accept(_ status: Status, of subject: Subject) throws(DeviceError) {
        switch status {
        case .authorized:
            return
        case .denied, .restricted:
            throw backend.refusal(status, of: subject)
        case .notDetermined:
            throw DeviceError(.unanswered, "nobody has answered whether the app may use \(subject.name): ask again")
        }
    }

    private func look() { watch.look { statuses() } }

    private func statuses() -> [Subject: Status] {
        Dictionary(uniqueKeysWithValues: Subject.allCases.map { ($0, backend.status(for: $0)) })
    }
}

extension MediaAuthorization.Subject {
    /// The subject's name within a sentence.
    var name: String {
        switch self {
        case .video: "the camera"
        case .audio: "the microphone"
        case .photoLibraryAdditions: "the photo library"
        }
    }
}
