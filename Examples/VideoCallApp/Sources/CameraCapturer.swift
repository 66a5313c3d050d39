import AVFoundation
import CoreMedia
import CoreVideo
import WebRTCKit

/// The camera, as a capturer of the app's own: the front one of a telephone, the one of a Mac.
final class CameraCapturer: RTCVideoCapturer {
    enum CameraError: Error, CustomStringConvertible {
        case notAllowed
        case none

        var description: String {
            switch self {
            case .notAllowed: "The app may not use the camera. You can change that in the settings."
            case .none: "There is no camera."
            }
        }
    }

    private let session = CaptureSession()

    override init() {
        super.init()
        session.deliver = { [weak self] frame in
            guard let self else { return }
            delegate?.capturer(self, didCapture: frame)
        }
    }

    /// Asks for permission, the first time, and starts the camera.
    nonisolated(nonsending) func start() async throws {
        guard await AVCaptureDevice.requestAccess(for: .video) else { throw CameraError.notAllowed }
        try await session.start()
    }

    func stop() { session.stop() }
}

/// Pictures of a camera. Everything happens on its queue.
// Its properties are touched on the queue alone, but for `deliver`, which is set before there are pictures.
private final class CaptureSession: NSObject, @unchecked Sendable {
    var deliver: ((RTCVideoFrame) -> Void)?
    private let queue = DispatchQueue(label: "camera")
    private let session = AVCaptureSession()
    private var coordinator: AVCaptureDevice.RotationCoordinator?

    func start() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async {
                continuation.resume(with: Result { try self.configure() })
                self.session.startRunning()
            }
        }
    }

    func stop() {
        queue.async { self.session.stopRunning() }
    }

    private func configure() throws {
        guard session.inputs.isEmpty else { return }
        guard
            let camera = AVCaptureDevice.default(.builtInWideAngleCamera, for: .video, position: .front)
                ?? AVCaptureDevice.default(for: .video)
        else { throw CameraCapturer.CameraError.none }
        session.beginConfiguration()
        defer { session.commitConfiguration() }
        if session.canSetSessionPreset(.hd1280x720) { session.sessionPreset = .hd1280x720 }
        let input = try AVCaptureDeviceInput(device: camera)
        let output = AVCaptureVideoDataOutput()
        output.alwaysDiscardsLateVideoFrames = true
        output.videoSettings = [
            "\(kCVPixelBufferPixelFormatTypeKey)": kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
        ]
        output.setSampleBufferDelegate(self, queue: queue)
        guard session.canAddInput(input), session.canAddOutput(output) else { throw CameraCapturer.CameraError.none }
        session.addInput(input)
        session.addOutput(output)
        coordinator = AVCaptureDevice.RotationCoordinator(device: camera, previewLayer: nil)
    }
}

extension CaptureSession: AVCaptureVideoDataOutputSampleBufferDelegate {
    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {
        guard let pixels = CMSampleBufferGetImageBuffer(sampleBuffer) else { return }
        let seconds = CMTimeGetSeconds(CMSampleBufferGetPresentationTimeStamp(sampleBuffer))
        // The pictures are sent as they are, with the angle by which the other side turns them.
        let rotation: RTCVideoRotation =
            switch coordinator?.videoRotationAngleForHorizonLevelCapture ?? 0 {
            case 90: ._90
            case 180: ._180
            case 270: ._270
            default: ._0
            }
        deliver?(
            RTCVideoFrame(
                buffer: RTCCVPixelBuffer(pixelBuffer: pixels), rotation: rotation,
                timeStampNs: Int64(seconds * 1_000_000_000)))
    }
}
