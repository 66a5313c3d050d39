import RTCDevices
import Testing

@testable import RTCWebView

@Suite("What the system says of the app's own permission, as the web view asks for it")
struct SystemDevicesTests {
    @Test("A status is the system's; the screen is not the system's to decide here")
    func statuses() {
        let devices = SystemDevices(MediaAuthorization(backend: Person(.denied, answers: .authorized)))
        #expect(devices.authorization(for: .camera) == .denied)
        #expect(devices.authorization(for: .microphone) == .denied)
        #expect(devices.authorization(for: .display) == .authorized)
    }

    @Test(
        "An answer is what the person said; where there is no device, nothing is refused",
        arguments: [
            (Person(.notDetermined, answers: .authorized), CaptureAuthorizationStatus.authorized),
            (Person(.notDetermined, answers: .denied), .denied),
            (Person(.restricted, answers: .authorized), .restricted),
            (Person(.notDetermined, answers: nil), .authorized),
            (Person(.notDetermined, answers: .notDetermined), .denied),
        ])
    func answers(person: Person, expected: CaptureAuthorizationStatus) async {
        let devices = SystemDevices(MediaAuthorization(backend: person))
        #expect(await devices.requestAuthorization(for: .camera) == expected)
        #expect(await devices.requestAuthorization(for: .display) == .authorized)
    }
}

extension SystemDevicesTests {
    @Test("A machine without cameras keeps nobody from a page that might want one, where the app says so")
    func missing() async {
        let devices = SystemDevices(
            MediaAuthorization(backend: Person(.restricted, answers: .authorized)), refusesMissingDevices: false)
        #expect(devices.authorization(for: .camera) == .authorized)
        #expect(await devices.requestAuthorization(for: .camera) == .authorized)
        let refused = SystemDevices(
            MediaAuthorization(backend: Person(.denied, answers: .authorized)), refusesMissingDevices: false)
        #expect(refused.authorization(for: .camera) == .denied)
        #expect(await refused.requestAuthorization(for: .camera) == .denied)
    }
}

extension SystemDevicesTests {
    @Test("What the app's developer forgot is no person's refusal: the page says so, and names no settings")
    func developersFault() async throws {
        let devices = SystemDevices(MediaAuthorization(backend: UnpreparedApp()))
        let status = await devices.requestAuthorization(for: .camera)
        guard case .misconfigured(let fault) = status else {
            Issue.record("\(status)")
            return
        }
        #expect(fault.contains("NSCameraUsageDescription"))
        var steps = CaptureAuthorization(for: [.camera])
        steps.noteAuthorization(status, of: .camera)
        guard case .explain(let refused) = steps.next else {
            Issue.record("\(steps.next)")
            return
        }
        #expect(refused.map(\.fault) == [fault] && !refused[0].isRestricted)
        for place in [SettingsPlace.iOS, .macOS] {
            let html = ErrorPage.refusal(refused, url: "https://a.example/", place: place)
            #expect(html.contains("NSCameraUsageDescription") && html.contains("developer"))
            #expect(!html.contains("switch on Camera") && !html.contains("Try again"))
        }
        var anyway = CaptureAuthorization(for: [.camera], loadsAnyway: true)
        anyway.noteAuthorization(status, of: .camera)
        #expect(anyway.next == .load)
    }
}

/// An app without usage descriptions, which the system must not be asked for.
private struct UnpreparedApp: MediaAuthorizationBackend {
    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status { .notDetermined }

    func request(for subject: MediaAuthorization.Subject) async throws(DeviceError) -> MediaAuthorization.Status {
        throw DeviceError(.usageDescriptionMissing, "the app's Info.plist needs NSCameraUsageDescription")
    }

    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError {
        DeviceError(.denied, "no")
    }

    func observe(_ look: @escaping @Sendable () -> Void) {}
}

/// Somebody who always says the same.
struct Person: MediaAuthorizationBackend {
    let standing: MediaAuthorization.Status
    /// Nothing: there is no such device.
    let answer: MediaAuthorization.Status?

    init(_ standing: MediaAuthorization.Status, answers answer: MediaAuthorization.Status?) {
        self.standing = standing
        self.answer = answer
    }

    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status { standing }

    func request(for subject: MediaAuthorization.Subject) async throws(DeviceError) -> MediaAuthorization.Status {
        guard let answer else { throw DeviceError(.notFound, "there is no camera") }
        return answer
    }

    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError {
        DeviceError(status == .restricted ? .restricted : .denied, "no")
    }

    func observe(_ look: @escaping @Sendable () -> Void) {}
}
