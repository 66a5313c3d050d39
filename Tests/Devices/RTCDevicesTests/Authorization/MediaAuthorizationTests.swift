import Synchronization
import Testing

@testable import RTCDevices

@Suite("Permission for cameras and microphones", .timeLimit(.minutes(1)))
struct MediaAuthorizationTests {
    private let system = FakeAuthorization()
    private var authorization: MediaAuthorization { MediaAuthorization(backend: system) }

    @Test("Before anybody was asked the status is not determined, and to look at it asks nobody")
    func status() {
        for subject in MediaAuthorization.Subject.allCases {
            #expect(authorization.status(for: subject) == .notDetermined)
            #expect(system.timesAsked(about: subject) == 0)
        }
    }

    @Test("Who has the permission goes on at once")
    func authorized() async throws {
        system.set(.authorized, for: .video)
        try await authorization.request(for: .video)
        #expect(system.timesAsked(about: .video) == 0)
    }

    @Test(
        "What is denied or restricted is not asked for again, and the error says where to change it",
        arguments: [(MediaAuthorization.Status.denied, DeviceError.Code.denied), (.restricted, .restricted)])
    func refused(_ status: MediaAuthorization.Status, _ code: DeviceError.Code) async {
        system.set(status, for: .audio)
        for _ in 0..<3 {
            let error = await #expect(throws: DeviceError.self) { try await self.authorization.request(for: .audio) }
            #expect(error?.code == code)
            #expect(error?.message.contains("settings") == true)
        }
        #expect(system.timesAsked(about: .audio) == 0)
    }

    @Test("However many wait, the person is asked once, and all get the answer")
    func askedOnce() async throws {
        let authorization = authorization
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { (try? await authorization.request(for: .video)) != nil }
            }
            await system.isAsking(about: .video)
            system.answer(.success(.authorized), about: .video)
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0 })
        #expect(system.timesAsked(about: .video) == 1)
    }

    @Test("The camera, the microphone and the photo library are three questions")
    func separate() async throws {
        let authorization = authorization
        try await withThrowingTaskGroup(of: Void.self) { group in
            for subject in MediaAuthorization.Subject.allCases {
                group.addTask { try await authorization.request(for: subject) }
                await system.isAsking(about: subject)
            }
            for subject in MediaAuthorization.Subject.allCases { system.answer(.success(.authorized), about: subject) }
            try await group.waitForAll()
        }
        for subject in MediaAuthorization.Subject.allCases { #expect(system.timesAsked(about: subject) == 1) }
    }

    @Test("A no is an error for all who wait, and nobody is asked again")
    func answeredNo() async {
        let authorization = authorization
        let first = Task { try await authorization.request(for: .video) }
        await system.isAsking(about: .video)
        system.answer(.success(.denied), about: .video)
        let error = await #expect(throws: DeviceError.self) { try await first.value }
        #expect(error?.code == .denied)
        await #expect(throws: DeviceError.self) { try await authorization.request(for: .video) }
        #expect(system.timesAsked(about: .video) == 1)
    }

    @Test("Who does not wait any more gets an error at once; the question stays for the others")
    func cancelled() async throws {
        let authorization = authorization
        let impatient = Task { try await authorization.request(for: .video) }
        await system.isAsking(about: .video)
        let patient = Task { try await authorization.request(for: .video) }
        impatient.cancel()
        let error = await #expect(throws: DeviceError.self) { try await impatient.value }
        #expect(error?.code == .cancelled)
        system.answer(.success(.authorized), about: .video)
        try await patient.value
        #expect(system.timesAsked(about: .video) == 1)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await authorization.request(for: .audio)
        }
        await #expect(throws: DeviceError.self) { try await late.value }
        #expect(system.timesAsked(about: .audio) == 0)
    }

    @Test("A question that nobody answers may be asked again")
    func unanswered() async throws {
        let authorization = authorization
        let first = Task { try await authorization.request(for: .video) }
        await system.isAsking(about: .video)
        system.answer(.success(.notDetermined), about: .video)
        let error = await #expect(throws: DeviceError.self) { try await first.value }
        #expect(error?.code == .unanswered)
        let second = Task { try await authorization.request(for: .video) }
        await system.isAsking(about: .video)
        system.answer(.failure(DeviceError(.usageDescriptionMissing, "NSCameraUsageDescription")), about: .video)
        let other = await #expect(throws: DeviceError.self) { try await second.value }
        #expect(other?.code == .usageDescriptionMissing)
    }

    @Test("Changes are told: by an answer, and by the person in the settings")
    func changes() async throws {
        let authorization = authorization
        var changes = authorization.changes().makeAsyncIterator()
        var others = authorization.changes().makeAsyncIterator()
        async let answer: Void = authorization.request(for: .video)
        await system.isAsking(about: .video)
        system.answer(.success(.authorized), about: .video)
        try await answer
        #expect(await changes.next() == MediaAuthorization.Change(subject: .video, status: .authorized))
        system.set(.denied, for: .video)
        #expect(await changes.next() == MediaAuthorization.Change(subject: .video, status: .denied))
        system.set(.denied, for: .video)  // nothing new
        system.set(.restricted, for: .audio)
        #expect(await changes.next() == MediaAuthorization.Change(subject: .audio, status: .restricted))
        for expected in [MediaAuthorization.Status.authorized, .denied] {
            #expect(await others.next() == MediaAuthorization.Change(subject: .video, status: expected))
        }
    }
}
