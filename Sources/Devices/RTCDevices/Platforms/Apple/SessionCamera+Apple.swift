#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import CoreMedia
    import CoreVideo
    import Dispatch
    import Foundation
    import RTCFrames
    import RTCWire
    import Synchronization

    /// One camera in its own session.
    // All state but `device`, `onEvent` and `delivered` is used on the queue alone.
    final class SessionCamera: NSObject, PhotoCapture, @unchecked Sendable {
        let device: MediaDevice
        private let onEvent: @Sendable (CaptureEvent) -> Void
        private let queue = DispatchQueue(label: "duet.devices.camera", qos: .userInitiated)
        private let setup = SessionSetup()
        private var input: AVCaptureDeviceInput?
        private var observation: NSKeyValueObservation?
        private var observers: [any NSObjectProtocol] = []
        private var sink: (any VideoSink)?
        private var photos: PhotoOutput?
        /// The current format, read on any thread, including by a sink on the queue.
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
                self.setup.session.stopRunning()
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
            let result = SystemDiscovery.deviceHandles.withDevice(device.handle) {
                camera -> Result<Void, DeviceError> in
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
            SystemDiscovery.deviceHandles.withDevice(device.handle) { setUp($0, wanted) } ?? .failure(gone)
        }

        private func setUp(_ camera: AVCaptureDevice, _ wanted: CaptureFormat?) -> Result<Void, DeviceError> {
            let input: AVCaptureDeviceInput
            do { input = try AVCaptureDeviceInput(device: camera) } catch {
                return .failure(DeviceError(device.isReady ? .failed : .busy, error.localizedDescription))
            }
            setup.output.alwaysDiscardsLateVideoFrames = true
            setup.output.setSampleBufferDelegate(self, queue: queue)
            setup.want(wanted, of: camera)
            let steps = CameraSteps.setUp(preset: setup.preset, wantsFormat: wanted != nil)
            guard carryOut(steps, camera, adding: input) else {
                return .failure(DeviceError(.failed, "\(device.name) cannot be captured from"))
            }
            self.input = input
            observe(camera)
            return .success(())
        }

        /// - Returns: Whether the input and outputs could be added.
        private func carryOut(
            _ steps: [CameraSteps.Step], _ camera: AVCaptureDevice, adding input: AVCaptureDeviceInput? = nil,
            photos: PhotoOutput? = nil
        ) -> Bool {
            guard setup.carryOut(steps, camera, adding: input, photos: photos?.output) else { return false }
            let format = setup.format(of: camera)
            delivered.withLock { $0 = format }
            return true
        }

        private func run() {
            guard let camera = input?.device else { return }
            _ = carryOut(setup.startSteps, camera)
        }

        private func tearDown() {
            sink = nil
            setup.session.stopRunning()
            observation?.invalidate()
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
            (observation, observers) = (nil, [])
            setup.output.setSampleBufferDelegate(nil, queue: nil)
            photos?.end(gone)
            guard let input else { return }
            setup.session.removeInput(input)
            for output in setup.session.outputs { setup.session.removeOutput(output) }
            (self.input, photos) = (nil, nil)
        }

        // MARK: The session for photos, previews and apps

        /// The session that a preview layer shows.
        var session: AVCaptureSession { setup.session }

        /// Lets an app change the session, on the session's queue.
        func change<Value>(
            _ body: @escaping @Sendable (AVCaptureSession, AVCaptureDevice) throws -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try self.changeNow(body) }) }
            }
        }

        private func changeNow<Value>(
            _ body: (AVCaptureSession, AVCaptureDevice) throws -> Value
        ) throws -> Value {
            guard let camera = input?.device else { throw gone }
            setup.session.beginConfiguration()
            let before = (camera.activeFormat, setup.session.sessionPreset)
            let result = Result { try body(setup.session, camera) }
            setup.isFormatApps = setup.isFormatApps || before != (camera.activeFormat, setup.session.sessionPreset)
            _ = carryOut(setup.endChangeSteps, camera)
            return try result.get()
        }

        func takePhoto(_ settings: PhotoSettings, rotation: VideoRotation) async throws(DeviceError) -> Photo {
            let result = await withCheckedContinuation { waiter in
                queue.async { self.shoot(settings, rotation) { waiter.resume(returning: $0) } }
            }
            return try result.get()
        }

        private func shoot(_ settings: PhotoSettings, _ rotation: VideoRotation, _ waiter: @escaping PhotoOutput.Waiter)
        {
            guard let camera = input?.device else { return waiter(.failure(gone)) }
            let output = photos ?? PhotoOutput(of: device)
            if photos == nil {
                guard carryOut(setup.addPhotosSteps, camera, photos: output) else {
                    return waiter(.failure(DeviceError(.unsupported, "\(device.name) takes no photos")))
                }
                photos = output
            }
            output.take(settings, rotation, in: camera.activeFormat, waiter)
        }

        // MARK: Events, on any thread

        private func observe(_ camera: AVCaptureDevice) {
            observation = camera.observe(\.isConnected) { @Sendable [weak self] camera, _ in
                if !camera.isConnected { self?.tell { _ in .disconnected } }
            }
            observe(AVCaptureSession.wasInterruptedNotification) { _ in .interrupted(SessionRules.interruption) }
            observe(AVCaptureSession.interruptionEndedNotification) { _ in .resumed }
            let centre = NotificationCenter.default
            observers.append(
                centre.addObserver(
                    forName: AVCaptureSession.runtimeErrorNotification, object: setup.session, queue: nil
                ) {
                    @Sendable [weak self] notification in self?.react(to: SessionRules.Reaction(notification))
                })
        }

        private func observe(_ name: Notification.Name, _ event: @escaping @Sendable (SessionCamera) -> CaptureEvent) {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: setup.session, queue: nil) {
                    @Sendable [weak self] _ in self?.tell(event)
                })
        }

        private func tell(_ event: @escaping @Sendable (SessionCamera) -> CaptureEvent) {
            queue.async {
                // No events follow after the end.
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
            sink.deliver(VideoFrame(buffer: buffer, timestamp: setup.session.time(of: sampleBuffer)))
        }
    }
#endif
