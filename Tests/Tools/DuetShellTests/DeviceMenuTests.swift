import Testing
import WebRTCKit

@testable import DuetShell
@testable import RTCDevices

@Suite("What a call's window offers to choose from")
struct DeviceMenuTests {
    private static let builtIn = SeenDevice(
        service: .pipeWire, handle: "1", stableID: "built-in", media: .microphone, name: "Built-in", kind: .builtIn)
    private static let ofWebcam = SeenDevice(
        service: .pipeWire, handle: "2", stableID: "webcam-microphone", media: .microphone, name: "Webcam", group: "usb"
    )
    private static let webcam = SeenDevice(
        service: .pipeWire, handle: "3", stableID: "webcam", media: .camera, name: "Webcam", group: "usb")

    private func menu(_ devices: [SeenDevice], sendsSound: Bool = true) throws -> DeviceMenu {
        let machine = FixedMachine(devices)
        let system = DeviceSystem(authorization: machine, discovery: { machine }, capture: machine)
        return DeviceMenu(
            CallMachine(
                devices: try MediaDevices(system: system), sendsPicture: true, sendsSound: sendsSound, isHeard: false))
    }

    @Test("The microphone in the camera that is used comes first, and which one is used stays as it was")
    func microphones() throws {
        let beside = try menu([Self.builtIn, Self.ofWebcam, Self.webcam])
        #expect(beside.microphones.identifiers == ["webcam-microphone", "built-in"])
        #expect(beside.microphones.names == ["Webcam", "Built-in"])
        #expect(beside.microphones.used == 1)
        #expect(beside.cameras.identifiers == ["webcam"] && beside.cameras.used == 0)
        let without = try menu([Self.builtIn, Self.ofWebcam])
        #expect(without.microphones.identifiers == ["built-in", "webcam-microphone"])
        #expect(without.microphones.used == 0)
        #expect(try menu([Self.builtIn, Self.webcam], sendsSound: false).microphones.names == [])
    }

    @Test("One's own picture may be shown as in a mirror, unless the camera looks away")
    func mirror() throws {
        var back = Self.webcam
        (back.kind, back.position) = (.builtIn, .back)
        #expect(try menu([Self.webcam]).canMirror)
        #expect(try !menu([back]).canMirror)
        #expect(try menu([]).canMirror)
    }
}

/// A machine whose devices stay, and are never opened.
private final class FixedMachine: DeviceDiscoveryBackend, CaptureBackend, MediaAuthorizationBackend {
    private let devices: [SeenDevice]
    private static let refusal = DeviceError(.unavailable, "nothing is opened here")

    init(_ devices: [SeenDevice]) { self.devices = devices }

    func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError) {
        report(.snapshot(devices))
    }
    func stop() {}

    func openCamera(
        _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any CameraCapture { throw Self.refusal }
    func openMicrophone(
        _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any MicrophoneCapture { throw Self.refusal }

    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status { .authorized }
    func request(
        for subject: MediaAuthorization.Subject
    ) async throws(DeviceError) -> MediaAuthorization.Status { .authorized }
    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError {
        Self.refusal
    }
    func observe(_ look: @escaping @Sendable () -> Void) {}
}
