import Dispatch
import Synchronization
import Testing

@testable import RTCDevices

/// A framework with Apple's rules, each with the page of its documentation.
private final class FakeFramework: PermissionFramework {
    private struct State {
        var descriptions: [String: String] = [:]
        var statuses: [MediaAuthorization.Subject: MediaAuthorization.Status] = [:]
        var answers: [MediaAuthorization.Subject: MediaAuthorization.Status] = [:]
        var shown = 0
        var isEnded = false
        var look: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(
        descriptions: [String: String] = [:],
        answers: [MediaAuthorization.Subject: MediaAuthorization.Status] = [:]
    ) {
        state = Mutex(State(descriptions: descriptions, answers: answers))
    }

    /// Whether the system would have ended the app.
    var isEnded: Bool { state.withLock { $0.isEnded } }
    var timesShown: Int { state.withLock { $0.shown } }
    let settings = "Settings > Privacy & Security"

    /// https://developer.apple.com/documentation/bundleresources/information-property-list/nscamerausagedescription
    /// https://developer.apple.com/documentation/bundleresources/information-property-list/nsmicrophoneusagedescription
    /// https://developer.apple.com/documentation/bundleresources/information-property-list/nsphotolibraryaddusagedescription
    func usageDescription(for key: String) -> String? { state.withLock { $0.descriptions[key] } }

    /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/authorizationstatus(for:)
    /// https://developer.apple.com/documentation/photos/phphotolibrary/authorizationstatus(for:)
    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status {
        state.withLock { $0.statuses[subject] ?? .notDetermined }
    }

    /// Without a usage description the app is ended. The question is shown once, and answered on any thread.
    /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/requestaccess(for:completionhandler:)
    /// https://developer.apple.com/documentation/photos/phphotolibrary/requestauthorization(for:handler:)
    func ask(for subject: MediaAuthorization.Subject, answered: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let key =
                switch subject {
                case .video: "NSCameraUsageDescription"
                case .audio: "NSMicrophoneUsageDescription"
                case .photoLibraryAdditions: "NSPhotoLibraryAddUsageDescription"
                }
            if state.descriptions[key] == nil { state.isEnded = true }
            if state.statuses[subject] == nil {
                state.shown += 1
                state.statuses[subject] = state.answers[subject] ?? .denied
            }
        }
        DispatchQueue.global().async { answered() }
    }

    func observeReturn(_ look: @escaping @Sendable () -> Void) { state.withLock { $0.look = look } }

    /// The person changes something in the settings, and comes back to the app.
    /// https://developer.apple.com/documentation/avfoundation/requesting-authorization-to-capture-and-save-media
    func comeBack(_ status: MediaAuthorization.Status, for subject: MediaAuthorization.Subject) {
        let look = state.withLock { state in
            state.statuses[subject] = status
            return state.look
        }
        DispatchQueue.global().async { look?() }
    }
}

@Suite("Asking through Apple's frameworks", .timeLimit(.minutes(1)))
struct FrameworkAuthorizationTests {
    private static let all = [
        "NSCameraUsageDescription": "To be seen.", "NSMicrophoneUsageDescription": "To be heard.",
        "NSPhotoLibraryAddUsageDescription": "To keep pictures.",
    ]

    @Test(
        "Without the usage description an error names the key, and the app is not ended",
        arguments: [
            (MediaAuthorization.Subject.video, "NSCameraUsageDescription"), (.audio, "NSMicrophoneUsageDescription"),
            (.photoLibraryAdditions, "NSPhotoLibraryAddUsageDescription"),
        ])
    func missing(_ subject: MediaAuthorization.Subject, _ key: String) async {
        for descriptions in [[:], [key: ""], [key: " \n"]] {
            let framework = FakeFramework(descriptions: descriptions)
            let authorization = MediaAuthorization(backend: FrameworkAuthorization(framework: framework))
            let error = await #expect(throws: DeviceError.self) { try await authorization.request(for: subject) }
            #expect(error?.code == .usageDescriptionMissing)
            #expect(error?.message.contains(key) == true)
            #expect(!framework.isEnded)
            #expect(framework.timesShown == 0)
        }
    }

    @Test("A camera's description is none for the microphone, nor for the photo library")
    func perSubject() async throws {
        let framework = FakeFramework(
            descriptions: ["NSCameraUsageDescription": "To be seen."], answers: [.video: .authorized])
        let authorization = MediaAuthorization(backend: FrameworkAuthorization(framework: framework))
        try await authorization.request(for: .video)
        await #expect(throws: DeviceError.self) { try await authorization.request(for: .audio) }
        await #expect(throws: DeviceError.self) { try await authorization.request(for: .photoLibraryAdditions) }
        #expect(!framework.isEnded)
    }

    @Test("The question is shown once, whatever becomes of it, and the error says where in the settings to change it")
    func once() async {
        let framework = FakeFramework(descriptions: Self.all, answers: [.video: .denied, .audio: .restricted])
        let authorization = MediaAuthorization(backend: FrameworkAuthorization(framework: framework))
        for _ in 0..<3 {
            let error = await #expect(throws: DeviceError.self) { try await authorization.request(for: .video) }
            #expect(error?.code == .denied)
            #expect(error?.message.contains("Settings > Privacy & Security > Camera") == true)
        }
        #expect(framework.timesShown == 1)
        let error = await #expect(throws: DeviceError.self) { try await authorization.request(for: .audio) }
        #expect(error?.code == .restricted)
    }

    @Test("What a person changes in the settings is seen when they come back")
    func comesBack() async {
        let framework = FakeFramework(descriptions: Self.all)
        let authorization = MediaAuthorization(backend: FrameworkAuthorization(framework: framework))
        var changes = authorization.changes().makeAsyncIterator()
        framework.comeBack(.authorized, for: .audio)
        #expect(await changes.next() == MediaAuthorization.Change(subject: .audio, status: .authorized))
    }
}
