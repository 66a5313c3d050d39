#if canImport(AVFoundation)
    import AVFoundation
    import CoreMedia
    import CoreVideo
    internal import RTCFrames

    /// The camera: the front one of a telephone, the one of a Mac. It runs while somebody needs its pictures.
    // Everything but `captured`, which may be used from anywhere, happens on the queue.
    final class CameraSource: NSObject, DefaultCamera, @unchecked Sendable {
        private let captured = CapturedVideoSource()
        private let capturer = RTCVideoCapturer()
        private let queue = DispatchQueue(label: "duet.webrtckit.camera")
        private let session = AVCaptureSession()
        private var coordinator: AVCaptureDevice.RotationCoordinator?

        func requestAccess() async throws(CallManagerError) {
            guard await AVCaptureDevice.requestAccess(for: .video) else {
                throw .deviceUnavailable("the app may not use the camera: it can be allowed in the system's settings")
            }
            let isReady = await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.configure()) }
            }
            guard isReady else {
                throw .deviceUnavailable("there is no camera that can be used: pass a videoCapturer, or a source")
            }
        }

        func start(delivering sink: any VideoSink) {
            captured.start(delivering: sink)
            queue.async { if self.configure() { self.session.startRunning() } }
        }

        func stop() {
            captured.stop()
            queue.async { self.session.stopRunning() }
        }

        /// - Returns: Whether there is a camera.
        private func configure() -> Bool {
            guard session.inputs.isEmpty else { return true }
            guard
                let camera = AVCaptureDevice.default(.builtInWideAngleCamera, for: .video, position: .front)
                    ?? AVCaptureDevice.default(for: .video),
                let input = try? AVCaptureDeviceInput(device: camera)
            else { return false }
            let output = AVCaptureVideoDataOutput()
            output.alwaysDiscardsLateVideoFrames = true
            output.videoSettings = [
                "\(kCVPixelBufferPixelFormatTypeKey)": kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            ]
            output.setSampleBufferDelegate(self, queue: queue)
            session.beginConfiguration()
            defer { session.commitConfiguration() }
            if session.canSetSessionPreset(.hd1280x720) { session.sessionPreset = .hd1280x720 }
            guard session.canAddInput(input), session.canAddOutput(output) else { return false }
            session.addInput(input)
            session.addOutput(output)
            coordinator = AVCaptureDevice.RotationCoordinator(device: camera, previewLayer: nil)
            return true
        }
    }

    extension CameraSource: AVCaptureVideoDataOutputSampleBufferDelegate {
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
            captured.capturer(
                capturer,
                didCapture: RTCVideoFrame(
                    buffer: RTCCVPixelBuffer(pixelBuffer: pixels), rotation: rotation,
                    timeStampNs: Int64(seconds * 1_000_000_000)))
        }
    }
#endif
