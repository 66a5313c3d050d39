import RTCFrames
import RTCMediaFiles
import RTCWire
import Synchronization
import Testing

@testable import RTCDevices

@Suite("A photo of the camera of a call", .timeLimit(.minutes(1)))
struct CameraPhotoTests {
    /// A camera that takes photos apart from its pictures.
    private final class PhotoCamera: PhotoCapture {
        let camera: any CameraCapture
        let asked = Mutex<[VideoRotation]>([])

        init(_ camera: any CameraCapture) { self.camera = camera }

        var device: MediaDevice { camera.device }
        var format: CaptureFormat { camera.format }
        func start(delivering sink: any VideoSink) { camera.start(delivering: sink) }
        func stop() { camera.stop() }
        func close() async { await camera.close() }
        func set(_ setting: CameraSetting) throws(DeviceError) { try camera.set(setting) }

        func takePhoto(_ settings: PhotoSettings, rotation: VideoRotation) async throws(DeviceError) -> Photo {
            asked.withLock { $0.append(rotation) }
            let plan = try PhotoPlan(settings, rotation: rotation, of: FakePhotoOutput.telephone)
            return Photo(
                bytes: [9], format: plan.format, size: plan.size ?? Photo.Size(width: 0, height: 0),
                orientation: plan.orientation, capturedAt: .now, camera: device)
        }
    }

    private struct PhotoBackend: CaptureBackend {
        let capture: FakeCapture

        func openCamera(
            _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) async throws(DeviceError) -> any CameraCapture {
            PhotoCamera(try await capture.openCamera(device, format: format, onEvent: onEvent))
        }

        func openMicrophone(
            _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
        ) async throws(DeviceError) -> any MicrophoneCapture {
            try await capture.openMicrophone(device, processing: processing, onEvent: onEvent)
        }
    }

    private struct FixedRotation: RotationBackend {
        let angles = RotationAngles(preview: .none, capture: .clockwise90)
        let isMirrored = false
        func start(_ onChange: @escaping @Sendable (RotationAngles) -> Void) {}
        func stop() {}
    }

    private func makeFeed(_ capture: FakeCapture, photos: Bool = false) throws -> CameraFeed {
        let devices = try DeviceList(backend: FakeDiscovery([.camera("front", .front)]))
        let backend: any CaptureBackend = photos ? PhotoBackend(capture: capture) : capture
        return CameraFeed(
            CameraSelector(devices: devices, preference: nil),
            system: DeviceSystem(
                authorization: FakeAuthorization(), discovery: { FakeDiscovery() }, capture: backend,
                rotation: { _ in FixedRotation() }))
    }

    @Test("Without an output for photos it is the next picture, with its turn")
    func picture() async throws {
        let capture = FakeCapture()
        let feed = try makeFeed(capture)
        feed.start(delivering: PictureBox())
        await feed.settled()
        let before = Instant.now
        async let taken = feed.takePhoto(PhotoSettings(format: .heic, isMirrored: true)) { frame, settings in
            [UInt8(frame.width), settings.isMirrored ? 1 : 0]
        }
        let shooting = Task {
            while !Task.isCancelled {
                capture.cameras.first?.shoot()
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        let photo = try await taken
        shooting.cancel()
        #expect(photo.bytes == [16, 1] && photo.format == .jpeg && photo.size == Photo.Size(width: 16, height: 16))
        #expect(photo.orientation == .leftMirrored && photo.camera.id == "front" && photo.capturedAt >= before)
    }

    @Test("A camera that takes photos is asked for one, with the turn that it has now")
    func output() async throws {
        let capture = FakeCapture()
        let feed = try makeFeed(capture, photos: true)
        feed.start(delivering: PictureBox())
        await feed.settled()
        let photo = try await feed.takePhoto(PhotoSettings(format: .heic))
        #expect(photo.bytes == [9] && photo.format == .heic && photo.orientation == .right)
        #expect((feed.openCamera as? PhotoCamera)?.asked.withLock { $0 } == [.clockwise90])
    }

    @Test("Without a camera, without a picture and without anybody who waits, it is an error")
    func errors() async throws {
        let capture = FakeCapture()
        let feed = try makeFeed(capture)
        func code(_ patience: TimeDelta) async -> DeviceError.Code? {
            do throws(DeviceError) {
                _ = try await feed.takePhoto(PhotoSettings(), patience: patience) { _, _ in [] }
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code(.seconds(1)) == .notFound)
        feed.start(delivering: PictureBox())
        await feed.settled()
        #expect(await code(.milliseconds(20)) == .failed)
        let waiting = Task { await code(.seconds(60)) }
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
    }
}
