import RTCDevices
import RTCFrames
import Synchronization
import Testing

@testable import WebRTCKit

/// A machine with one camera, which makes a picture as soon as it is started.
private final class OneCamera: MediaAuthorizationBackend, DeviceDiscoveryBackend, CaptureBackend, CameraCapture {
    private struct State {
        var status = MediaAuthorization.Status.notDetermined
        var isOpen = false
    }

    private let state = Mutex(State())
    private let answer: MediaAuthorization.Status
    private let isThere: Bool
    let device = MediaDevice(id: "camera", media: .camera, name: "Camera", position: .front)
    let format = CaptureFormat(
        format: CameraFormat(width: 320, height: 192, frameRates: [30...30], pixelFormat: .i420), frameRate: 30)
    private let pictures = PacedVideoSource(TestPicture(width: 320, height: 192), framesPerSecond: 30)

    init(answer: MediaAuthorization.Status = .authorized, isThere: Bool = true) {
        self.answer = answer
        self.isThere = isThere
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    var camera: DeviceCamera {
        let system = DeviceSystem(authorization: self, discovery: { self }, capture: self)
        return DeviceCamera(system: system, authorization: MediaAuthorization(backend: self), store: nil)
    }

    func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status { state.withLock { $0.status } }
    func request(
        for subject: MediaAuthorization.Subject
    ) async throws(DeviceError) -> MediaAuthorization.Status {
        state.withLock { $0.status = answer }
        return answer
    }
    func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError {
        DeviceError(.denied, "in the settings")
    }
    func observe(_ look: @escaping @Sendable () -> Void) {}

    func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError) {
        let seen = SeenDevice(
            service: .other, handle: "1", stableID: "camera", media: .camera, name: "Camera", kind: .builtIn,
            position: .front)
        report(.snapshot(isThere ? [seen] : []))
    }
    func openCamera(
        _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any CameraCapture {
        state.withLock { $0.isOpen = true }
        return self
    }
    func openMicrophone(
        _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any MicrophoneCapture { throw DeviceError(.unsupported, "a camera") }

    func set(_ setting: CameraSetting) throws(DeviceError) {}
    func start(delivering sink: any VideoSink) { pictures.start(delivering: sink) }
    func stop() { pictures.stop() }
    func close() async { state.withLock { $0.isOpen = false } }
}

@Suite("The machine's camera, as a call uses it", .timeLimit(.minutes(1)))
struct DeviceCameraTests {
    @Test("The person is asked first; the camera is open while somebody needs its pictures")
    func opens() async throws {
        let machine = OneCamera()
        let camera = machine.camera
        try await camera.requestAccess()
        #expect(!machine.isOpen)
        let eye = Eye()
        camera.start(delivering: eye)
        #expect(await eye.sees())
        #expect(machine.isOpen)
        camera.stop()
        #expect(await eventually { !machine.isOpen })
    }

    @Test("A no, and a machine without a camera, are errors that say what to do")
    func refused() async {
        await #expect(throws: CallManagerError.deviceUnavailable("in the settings")) {
            try await OneCamera(answer: .denied).camera.requestAccess()
        }
        let error = await #expect(throws: CallManagerError.self) {
            try await OneCamera(isThere: false).camera.requestAccess()
        }
        #expect(error.map { "\($0)".contains("no camera") } == true)
    }
}
