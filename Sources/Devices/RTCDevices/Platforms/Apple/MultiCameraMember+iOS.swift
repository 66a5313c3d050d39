#if os(iOS)
    import AVFoundation
    import CoreMedia
    import CoreVideo
    import Dispatch
    import Foundation
    import RTCFrames
    import RTCWire
    import Synchronization

    /// One of several cameras in a session.
    // The handlers are set before the object is shared; the input and output are used on the session's queue alone.
    final class MultiCameraMember: NSObject, VideoSource, @unchecked Sendable {
        let device: MediaDevice
        var onChange: @Sendable () -> Void = {}
        var onDisconnect: @Sendable (MediaDevice) -> Void = { _ in }
        private let output = AVCaptureVideoDataOutput()
        private var input: AVCaptureDeviceInput?
        private(set) var connection: AVCaptureConnection?
        private var observation: NSKeyValueObservation?
        private weak var session: AVCaptureSession?
        private let rotation: SystemRotation
        private let sink = Mutex<(any VideoSink)?>(nil)

        init(_ device: MediaDevice) {
            self.device = device
            rotation = SystemRotation(for: device)
        }

        var isStarted: Bool { sink.withLock { $0 != nil } }

        func start(delivering sink: any VideoSink) { exchange(sink) }

        func stop() { exchange(nil) }

        private func exchange(_ sink: (any VideoSink)?) {
            let old = self.sink.withLock { current in
                defer { current = sink }
                return current
            }
            // What goes with the last reference to it does not go under the lock.
            withExtendedLifetime(old) {}
            onChange()
        }

        func found() throws(DeviceError) -> AVCaptureDevice {
            let found = SystemDiscovery.deviceHandles.withDevice(device.handle) { FoundCamera(device: $0) }
            guard let found else { throw DeviceError(.disconnected, "\(device.name) is not connected any more") }
            return found.device
        }

        private struct FoundCamera: @unchecked Sendable {
            let device: AVCaptureDevice
        }

        /// - Returns: Whether the session takes it. Inputs are joined to their own outputs by hand: the session would join each to all.
        func join(_ session: AVCaptureSession, _ camera: AVCaptureDevice, _ queue: DispatchQueue) -> Bool {
            guard let input = try? AVCaptureDeviceInput(device: camera), session.canAddInput(input) else {
                return false
            }
            session.addInputWithNoConnections(input)
            guard session.canAddOutput(output) else { return false }
            session.addOutputWithNoConnections(output)
            let form = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            if output.availableVideoPixelFormatTypes.contains(form) {
                output.videoSettings = ["\(kCVPixelBufferPixelFormatTypeKey)": form]
            }
            output.alwaysDiscardsLateVideoFrames = true
            output.setSampleBufferDelegate(self, queue: queue)
            let ports = input.ports(
                for: .video, sourceDeviceType: camera.deviceType, sourceDevicePosition: camera.position)
            guard !ports.isEmpty else { return false }
            let connection = AVCaptureConnection(inputPorts: ports, output: output)
            guard session.canAddConnection(connection) else { return false }
            session.addConnection(connection)
            UnrotatedCapture.deliver(connection)
            (self.input, self.connection, self.session) = (input, connection, session)
            observation = camera.observe(\.isConnected) { @Sendable [onDisconnect, device] camera, _ in
                if !camera.isConnected { onDisconnect(device) }
            }
            return true
        }

        /// Carries out what ``MultiCameraPlan`` says.
        ///
        /// - Parameter camera: `nil` once it has joined.
        func use(_ wanted: CaptureFormat, of camera: AVCaptureDevice? = nil) throws(DeviceError) {
            guard let camera = camera ?? input?.device else { return }
            let formats = camera.formats.filter(\.isMultiCamSupported)
            guard let format = FrameworkFormat.find(wanted, in: formats) else { return }
            let stage = camera.isCenterStageActive ? format.videoFrameRateRangeForCenterStage : nil
            let ranges = (stage.map { [$0] } ?? format.videoSupportedFrameRateRanges).compactMap {
                FrameDuration.range($0)
            }
            let time = FrameDuration.nearest(to: wanted.frameRate, in: ranges).map {
                CMTimeMake(value: $0.value, timescale: $0.timescale)
            }
            for step in MultiCameraPlan.steps {
                switch step {
                case .lock:
                    guard (try? camera.lockForConfiguration()) != nil else {
                        throw DeviceError(.busy, "another program sets up \(camera.localizedName)")
                    }
                case .useFormat: camera.activeFormat = format
                case .limitInput: if let time { input?.videoMinFrameDurationOverride = time }
                case .useRate:
                    guard let time else { break }
                    if camera.isAutoVideoFrameRateEnabled { camera.isAutoVideoFrameRateEnabled = false }
                    camera.activeVideoMinFrameDuration = time
                    camera.activeVideoMaxFrameDuration = time
                case .unlock: camera.unlockForConfiguration()
                }
            }
        }
    }

    extension MultiCameraMember: AVCaptureVideoDataOutputSampleBufferDelegate {
        func captureOutput(
            _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
        ) {
            guard let sink = sink.withLock({ $0 }), let pixels = CMSampleBufferGetImageBuffer(sampleBuffer),
                let buffer = CoreVideoBuffer(pixels), let session
            else { return }
            var frame = VideoFrame(buffer: buffer, timestamp: session.time(of: sampleBuffer))
            let angles = rotation.angles
            frame.rotation = angles.capture
            frame.screenRotation = angles.screen(isMirrored: rotation.isMirrored)
            sink.deliver(frame)
        }
    }
#endif
