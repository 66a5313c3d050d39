#if os(iOS)
    import AVFoundation
    import Dispatch
    import Foundation
    public import RTCFrames
    import RTCWire

    /// Several cameras of an iPhone or iPad at once, in one session: the front and the back one, or an external one beside them.
    ///
    /// ```swift
    /// guard MultiCamera.isSupported else { … }
    /// let both = try await MultiCamera([front, back])
    /// let tracks = both.sources.map { VideoTrack(source: $0) }
    /// ```
    ///
    /// It has to be kept as long as one of its sources is used. The hardware has less for each than for one alone: formats become
    /// slower and smaller until all can run. A `CameraFeed` is not to be started meanwhile: the system gives a camera to one session.
    /// On a Mac and on Linux two feeds may be open at once.
    // Everything but `sources` and `told` is touched on the queue alone, once it is set up.
    public final class MultiCamera: @unchecked Sendable {
        /// Whether the hardware supports several cameras at once.
        public static var isSupported: Bool { AVCaptureMultiCamSession.isMultiCamSupported }

        /// The source of each camera, in the order of the cameras. The session runs while one of them is started.
        public let sources: [any VideoSource]
        private let members: [MultiCameraMember]
        private let session: AVCaptureMultiCamSession
        private let queue = DispatchQueue(label: "duet.devices.cameras", qos: .userInitiated)
        private let told = FeedEvents()
        private var rules: MultiCameraRules
        private var formats: [CaptureFormat] = []
        private var observers: [any NSObjectProtocol] = []

        /// Creates a session with several cameras.
        ///
        /// - Parameter request: The wanted frame size and frame rate of each camera.
        /// - Throws: ``DeviceError`` `unsupported` if the cameras cannot be combined, `disconnected`, `denied`, `busy`
        ///   or `failed`.
        public init(_ cameras: [MediaDevice], request: CaptureRequest = .hd720) async throws(DeviceError) {
            guard Self.isSupported else { throw DeviceError(.unsupported, "this machine has one camera at a time") }
            try SystemCapture.requirePermission(for: .video)
            session = AVCaptureMultiCamSession()
            members = cameras.map { MultiCameraMember($0) }
            sources = members
            rules = MultiCameraRules(cameras)
            for member in members {
                member.onChange = { [weak self] in self?.follow() }
                member.onDisconnect = { [weak self] in self?.handle(.disconnected($0)) }
            }
            let result = await withCheckedContinuation { waiter in
                queue.async { waiter.resume(returning: self.setUp(request)) }
            }
            try result.get()
        }

        deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

        /// The events of the cameras from now on: interruptions, resumptions, unplugged and failed cameras. After a
        /// failure, start the source again.
        public func events() -> AsyncStream<DeviceFeedEvent> { told.stream() }

        private func follow() {
            queue.async { self.carryOut(self.rules.handle(.wanted(self.members.map(\.isStarted)))) }
        }

        private func handle(_ event: MultiCameraRules.Event) {
            queue.async { self.carryOut(self.rules.handle(event)) }
        }

        private func carryOut(_ steps: [MultiCameraRules.Step]) {
            for step in steps {
                switch step {
                case .useFormats: for (member, format) in zip(members, formats) { try? member.use(format) }
                case .enable(let index, let isEnabled): members[index].connection?.isEnabled = isEnabled
                case .start: session.startRunning()
                case .stop: session.stopRunning()
                case .tell(let event): told.tell(event)
                }
            }
        }

        private func observe() {
            let centre = NotificationCenter.default
            let failed = AVCaptureSession.runtimeErrorNotification
            observers = [
                centre.addObserver(forName: failed, object: session, queue: nil) { @Sendable [weak self] notification in
                    self?.handle(.failed(SessionRules.Reaction(notification)))
                },
                centre.addObserver(forName: AVCaptureSession.wasInterruptedNotification, object: session, queue: nil) {
                    @Sendable [weak self] _ in self?.handle(.interrupted(SessionRules.interruption))
                },
                centre.addObserver(forName: AVCaptureSession.interruptionEndedNotification, object: session, queue: nil)
                { @Sendable [weak self] _ in self?.handle(.interruptionEnded) },
            ]
        }

        private func setUp(_ request: CaptureRequest) -> Result<Void, DeviceError> {
            do throws(DeviceError) {
                var devices: [AVCaptureDevice] = []
                for member in members { devices.append(try member.found()) }
                let usable = devices.map { device in
                    device.formats.filter(\.isMultiCamSupported).map { FrameworkFormat.format($0) }
                }
                var plan = try MultiCameraPlan(request, formats: usable)
                // Each camera is added with a format that is allowed beside other cameras.
                for (index, member) in members.enumerated() { try member.use(plan.chosen[index], of: devices[index]) }
                session.beginConfiguration()
                for (member, device) in zip(members, devices) {
                    guard member.join(session, device, queue) else {
                        session.commitConfiguration()
                        throw DeviceError(.unsupported, "\(member.device.name) does not go with the others")
                    }
                }
                session.commitConfiguration()
                repeat {
                    formats = plan.chosen
                    for (member, format) in zip(members, formats) { try member.use(format) }
                    guard session.hardwareCost > 1 else {
                        observe()
                        return .success(())
                    }
                } while plan.reduce()
                throw DeviceError(.unsupported, "the hardware cannot run these cameras at once")
            } catch {
                return .failure(error)
            }
        }
    }
#endif
