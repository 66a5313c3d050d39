#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import CoreMedia
    import CoreVideo
    import Dispatch
    import Foundation
    import RTCFrames
    import RTCWire
    import Synchronization

    /// One camera in a session of its own.
    // Everything but `device`, `onEvent` and `delivered` is touched on the queue alone.
    final class SessionCamera: NSObject, CameraCapture, @unchecked Sendable {
        let device: MediaDevice
        private let onEvent: @Sendable (CaptureEvent) -> Void
        private let queue = DispatchQueue(label: "duet.devices.camera", qos: .userInitiated)
        private let session = AVCaptureSession()
        private let output = AVCaptureVideoDataOutput()
        private var input: AVCaptureDeviceInput?
        private var observation: NSKeyValueObservation?
        private var observers: [any NSObjectProtocol] = []
        private var sink: (any VideoSink)?
        private var wanted: CaptureFormat?
        private var preset: CapturePreset?
        /// What was set; `nil` for the camera's own.
        private var rate: Double?
        /// Asked for from anywhere, also by whoever is given a picture, which is on the queue.
        private let delivered = Mutex(
            CaptureFormat(
                format: CameraFormat(width: 0, height: 0, frameRates: [], pixelFormat: .nv12), frameRate: 0))

        init(device: MediaDevice, onEvent: @escaping @Sendable (CaptureEvent) -> Void) {
            self.device = device
            self.onEvent = onEvent
        }

        var format: CaptureFormat { delivered.withLock { $0 } }

        func open(_ wanted: CaptureFormat?) async -> Result<Void, DeviceError> {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.setUp(wanted)) }
            }
        }

        func start(delivering sink: any VideoSink) {
            queue.async {
                self.sink = sink
                self.run()
            }
        }

        func stop() {
            queue.async {
                self.sink = nil
                self.session.stopRunning()
            }
        }

        func close() async {
            await withCheckedContinuation { continuation in
                queue.async {
                    self.tearDown()
                    continuation.resume()
                }
            }
        }

        func set(_ setting: CameraSetting) throws(DeviceError) {
            let result = SystemDiscovery.ledger.withDevice(device.handle) { camera -> Result<Void, DeviceError> in
                do throws(DeviceError) {
                    try setting.apply(to: camera)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            guard let result else { throw gone }
            try result.get()
        }

        private var gone: DeviceError { DeviceError(.disconnected, "\(device.name) is not connected any more") }

        // MARK: On the queue

        private func setUp(_ wanted: CaptureFormat?) -> Result<Void, DeviceError> {
            SystemDiscovery.ledger.withDevice(device.handle) { setUp($0, wanted) } ?? .failure(gone)
        }

        private func setUp(_ camera: AVCaptureDevice, _ wanted: CaptureFormat?) -> Result<Void, DeviceError> {
            let input: AVCaptureDeviceInput
            do { input = try AVCaptureDeviceInput(device: camera) } catch {
                return .failure(DeviceError(device.isReady ? .failed : .busy, error.localizedDescription))
            }
            output.alwaysDiscardsLateVideoFrames = true
            output.setSampleBufferDelegate(self, queue: queue)
            preset = wanted.flatMap { SessionRules.preset(for: $0) }
            if let name = preset?.name, !camera.supportsSessionPreset(name) { preset = nil }
            self.wanted = wanted
            guard carryOut(CameraSteps.setUp(preset: preset, wantsFormat: wanted != nil), camera, adding: input) else {
                return .failure(DeviceError(.failed, "\(device.name) cannot be captured from"))
            }
            self.input = input
            observe(camera)
            return .success(())
        }

        /// - Returns: Whether input and output could be added.
        private func carryOut(
            _ steps: [CameraSteps.Step], _ camera: AVCaptureDevice, adding input: AVCaptureDeviceInput? = nil
        ) -> Bool {
            var isLocked = false
            for step in steps {
                switch step {
                case .beginConfiguration: session.beginConfiguration()
                case .commitConfiguration: session.commitConfiguration()
                case .addInput:
                    guard let input, session.canAddInput(input) else {
                        session.commitConfiguration()
                        return false
                    }
                    session.addInput(input)
                case .addOutput:
                    guard session.canAddOutput(output) else {
                        session.commitConfiguration()
                        return false
                    }
                    session.addOutput(output)
                case .choosePixels: usePixels()
                case .allowMultitasking:
                    #if !os(macOS)
                        let isPossible = session.isMultitaskingCameraAccessSupported
                        if isPossible { session.isMultitaskingCameraAccessEnabled = true }
                    #endif
                case .usePreset(let preset):
                    if session.canSetSessionPreset(preset.name) { session.sessionPreset = preset.name }
                case .lock: isLocked = (try? camera.lockForConfiguration()) != nil
                case .useFormat:
                    guard isLocked, let format = wanted.flatMap({ FrameworkFormat.find($0, of: camera) }) else { break }
                    #if !os(macOS)
                        if session.canSetSessionPreset(.inputPriority) { session.sessionPreset = .inputPriority }
                    #endif
                    camera.activeFormat = format
                case .useRate:
                    guard isLocked, let wanted else { break }
                    // Who leaves the rate to the camera may not set it: an exception.
                    if camera.isAutoVideoFrameRateEnabled { camera.isAutoVideoFrameRateEnabled = false }
                    // A duration out of the format's ranges is an exception.
                    let ranges = camera.activeFormat.videoSupportedFrameRateRanges.compactMap { range in
                        let shortest = FrameDuration(range.minFrameDuration)
                        let longest = FrameDuration(range.maxFrameDuration)
                        return shortest <= longest ? shortest...longest : nil
                    }
                    guard let duration = FrameDuration.nearest(to: wanted.frameRate, in: ranges) else { break }
                    let time = CMTimeMake(value: duration.value, timescale: duration.timescale)
                    camera.activeVideoMinFrameDuration = time
                    camera.activeVideoMaxFrameDuration = time
                    rate = duration.rate
                case .startRunning: session.startRunning()
                case .unlock: if isLocked { camera.unlockForConfiguration() }
                }
            }
            noteFormat(of: camera)
            return true
        }

        /// Whatever the camera has, the system makes NV12 of it. A form that it does not make is an exception.
        private func usePixels() {
            let form = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            guard output.availableVideoPixelFormatTypes.contains(form) else { return }
            output.videoSettings = ["\(kCVPixelBufferPixelFormatTypeKey)": form]
        }

        private func noteFormat(of camera: AVCaptureDevice) {
            let own = camera.activeFormat.videoSupportedFrameRateRanges.first?.maxFrameRate ?? 30
            let format = CaptureFormat(format: FrameworkFormat.format(camera.activeFormat), frameRate: rate ?? own)
            delivered.withLock { $0 = format }
        }

        private func run() {
            guard let camera = input?.device else { return }
            _ = carryOut(CameraSteps.start(preset: preset, wantsFormat: wanted != nil), camera)
        }

        private func tearDown() {
            sink = nil
            session.stopRunning()
            observation?.invalidate()
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
            (observation, observers) = (nil, [])
            output.setSampleBufferDelegate(nil, queue: nil)
            guard let input else { return }
            session.removeInput(input)
            session.removeOutput(output)
            self.input = nil
        }

        // MARK: Events, which come on any thread

        private func observe(_ camera: AVCaptureDevice) {
            observation = camera.observe(\.isConnected) { @Sendable [weak self] camera, _ in
                if !camera.isConnected { self?.tell { _ in .disconnected } }
            }
            observe(AVCaptureSession.wasInterruptedNotification) { _ in
                .interrupted("another app, a telephone call or the system has the camera")
            }
            observe(AVCaptureSession.interruptionEndedNotification) { _ in .resumed }
            let centre = NotificationCenter.default
            observers.append(
                centre.addObserver(forName: AVCaptureSession.runtimeErrorNotification, object: session, queue: nil) {
                    @Sendable [weak self] notification in
                    let error = notification.userInfo?[AVCaptureSessionErrorKey] as? NSError
                    self?.react(to: SessionRules.reaction(toError: error?.code ?? 0, error?.localizedDescription))
                })
        }

        private func observe(_ name: Notification.Name, _ event: @escaping @Sendable (SessionCamera) -> CaptureEvent) {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) {
                    @Sendable [weak self] _ in self?.tell(event)
                })
        }

        private func tell(_ event: @escaping @Sendable (SessionCamera) -> CaptureEvent) {
            queue.async {
                // After the end there is nothing to tell.
                guard self.input != nil else { return }
                self.onEvent(event(self))
            }
        }

        private func react(to reaction: SessionRules.Reaction) {
            queue.async {
                guard self.input != nil else { return }
                switch reaction {
                case .startAgain: if self.sink != nil { self.run() }
                case .fail(let error): self.onEvent(.failed(error))
                }
            }
        }
    }

    extension SessionCamera: AVCaptureVideoDataOutputSampleBufferDelegate {
        func captureOutput(
            _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
        ) {
            guard let sink, let pixels = CMSampleBufferGetImageBuffer(sampleBuffer),
                let buffer = CoreVideoBuffer(pixels)
            else { return }
            sink.deliver(VideoFrame(buffer: buffer, timestamp: time(of: sampleBuffer)))
        }

        /// On the engine's clock, which is the host's.
        private func time(of sampleBuffer: CMSampleBuffer) -> Instant {
            let host = CMClockGetHostTimeClock()
            var time = CMSampleBufferGetPresentationTimeStamp(sampleBuffer)
            if let clock = session.synchronizationClock { time = CMSyncConvertTime(time, from: clock, to: host) }
            return SessionRules.time(ofPictureAt: CMTimeGetSeconds(time), now: .now)
        }
    }

    extension CapturePreset {
        fileprivate var name: AVCaptureSession.Preset {
            switch self {
            case .vga: .vga640x480
            case .hd720: .hd1280x720
            case .hd1080: .hd1920x1080
            case .uhd4K: .hd4K3840x2160
            }
        }
    }

    extension FrameDuration {
        fileprivate init(_ time: CMTime) { self.init(value: time.value, timescale: time.timescale) }
    }
#endif
