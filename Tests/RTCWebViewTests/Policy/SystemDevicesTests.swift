import RTCDevices
import RTCWebView
import Testing

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
            MediaAuthorization(backend: Person(.restricted, answers: .authorized)), refusesWhatIsMissing: false)
        #expect(devices.authorization(for: .camera) == .authorized)
        #expect(await devices.requestAuthorization(for: .camera) == .authorized)
        let refused = SystemDevices(
            MediaAuthorization(backend: Person(.denied, answers: .authorized)), refusesWhatIsMissing: false)
        #expect(refused.authorization(for: .camera) == .denied)
        #expect(await refused.requestAuthorization(for: .camera) == .denied)
    }
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
