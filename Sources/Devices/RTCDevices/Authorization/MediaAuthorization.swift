/// Whether the person lets the app use cameras and microphones, and how to ask them.
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
/// The person is asked once, however many tasks wait for the answer. What is denied or restricted is not asked for again: the
/// system would not show the question, and the error says where it can be changed.
public final class MediaAuthorization: Sendable {
    /// What may be used.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        /// Cameras.
        case video
        /// Microphones.
        case audio
        /// Adding photos and films to the person's library, without seeing what is in it. Asked for apart from the camera, and
        /// only by who saves. Linux has no such library: it is a file that is written, and the answer is yes.
        case photoLibraryAdditions
    }

    /// What the system says.
    public enum Status: String, Sendable, Hashable {
        /// The person has not been asked yet.
        case notDetermined
        /// It is not up to the person: parental controls, a profile, or a machine that has no such right to give.
        case restricted
        /// The person said no, or has taken back their yes.
        case denied
        case authorized
    }

    /// A status that has become another one.
    public struct Change: Sendable, Hashable {
        public let subject: Subject
        public let status: Status

        public init(subject: Subject, status: Status) {
            self.subject = subject
            self.status = status
        }
    }

    private let backend: any MediaAuthorizationBackend
    private let questions = MediaQuestions()
    private let watch = StatusWatch()

    /// - Parameter backend: Who knows and asks: the system's, or a stand-in in tests.
    public init(backend: any MediaAuthorizationBackend) {
        self.backend = backend
    }

    /// That of the machine.
    public static let system = MediaAuthorization(backend: DeviceSystem.ofMachine.authorization)

    /// What the machine's system says now. Nobody is asked.
    public static func status(for subject: Subject) -> Status { system.status(for: subject) }

    /// Asks the person at the machine, where they have not been asked. The method of the same name says what it throws.
    public static func request(for subject: Subject) async throws(DeviceError) {
        try await system.request(for: subject)
    }

    /// What the system says now. Nobody is asked.
    public func status(for subject: Subject) -> Status { backend.status(for: subject) }

    /// Returns when the app may use `subject`: at once where it may already, else as soon as the person has said so.
    ///
    /// - Throws: ``DeviceError`` `denied`, `restricted`, `usageDescriptionMissing`, `unanswered`, `notFound` (there is no such
    ///   device to ask for), `unavailable` (nothing that could be asked), or `cancelled` when the task that waits is cancelled;
    ///   the question stays where it is, for the others that wait.
    public func request(for subject: Subject) async throws(DeviceError) {
        let status = backend.status(for: subject)
        guard status == .notDetermined else { return try accept(status, of: subject) }
        try accept(try await questions.answer(to: subject) { await self.ask(subject) }.get(), of: subject)
    }

    /// What changes from now on: by an answer, or by the person in the system's settings. A reader that is late by more than 32
    /// changes loses the oldest.
    public func changes() -> AsyncStream<Change> {
        let (stream, isFirst) = watch.add(knowing: statuses)
        if isFirst {
            backend.observe { [weak self] in self?.look() }
            // Something may have changed before the backend looked out for it.
            look()
        }
        return stream
    }

    private func ask(_ subject: Subject) async -> Result<Status, DeviceError> {
        // Somebody else's question may have been answered between this caller's look and now.
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
    /// As it is called in a sentence.
    var name: String {
        switch self {
        case .video: "the camera"
        case .audio: "the microphone"
        case .photoLibraryAdditions: "the photo library"
        }
    }
}
