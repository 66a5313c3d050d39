#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import CoreMedia
    import Dispatch
    import Foundation

    extension AVCaptureDevice: FrameworkDevice {}

    /// Reports the cameras and microphones of discovery sessions, whose lists are observed. Notifications come on any
    /// thread, and only cause another look, on one queue.
    // Everything but `report` is touched on the queue alone.
    final class SystemDiscovery: DeviceDiscoveryBackend, @unchecked Sendable {
        /// Finds the device object for a handle when the device is opened.
        static let deviceHandles = DeviceHandleTable<AVCaptureDevice>()

        private let queue = DispatchQueue(label: "duet.devices.discovery")
        private var cameras: AVCaptureDevice.DiscoverySession?
        private var microphones: AVCaptureDevice.DiscoverySession?
        private var observations: [NSKeyValueObservation] = []
        private var deviceObservations: [NSKeyValueObservation] = []
        private var observers: [any NSObjectProtocol] = []
        private var report: (@Sendable (DiscoveryReport) -> Void)?

        private static var cameraTypes: [AVCaptureDevice.DeviceType] {
            #if os(macOS)
                [.builtInWideAngleCamera, .external, .continuityCamera, .deskViewCamera]
            #else
                [
                    .builtInWideAngleCamera, .builtInUltraWideCamera, .builtInTelephotoCamera, .external,
                    .continuityCamera,
                ]
            #endif
        }

        func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError) {
            queue.sync {
                self.report = report
                let cameras = AVCaptureDevice.DiscoverySession(
                    deviceTypes: Self.cameraTypes, mediaType: .video, position: .unspecified)
                let microphones = AVCaptureDevice.DiscoverySession(
                    deviceTypes: [.microphone], mediaType: .audio, position: .unspecified)
                self.cameras = cameras
                self.microphones = microphones
                observations = [cameras, microphones].map { session in
                    session.observe(\.devices) { @Sendable [weak self] _, _ in self?.lookAgain() }
                }
                #if !os(macOS)
                    // The single microphone is named after the route, with which ports come and go.
                    for name in [
                        AVAudioSession.routeChangeNotification, AVAudioSession.mediaServicesWereResetNotification,
                    ] {
                        observers.append(
                            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                                @Sendable [weak self] _ in self?.lookAgain()
                            })
                    }
                #endif
                look()
            }
        }

        func stop() {
            queue.async {
                for observation in self.observations + self.deviceObservations { observation.invalidate() }
                for observer in self.observers { NotificationCenter.default.removeObserver(observer) }
                (self.observations, self.deviceObservations, self.observers) = ([], [], [])
                (self.cameras, self.microphones, self.report) = (nil, nil, nil)
            }
        }

        private func lookAgain() { queue.async { self.look() } }

        private func look() {
            guard let report, let cameras = cameras?.devices, let microphones = microphones?.devices else { return }
            let seen = Self.seen(cameras: cameras, microphones: microphones)
            // A list may drop a device late: so each device is observed as well.
            for observation in deviceObservations { observation.invalidate() }
            deviceObservations = (cameras + microphones).flatMap { device in
                var states: [KeyPath<AVCaptureDevice, Bool>] = [\.isConnected, \.isSuspended]
                #if os(macOS)
                    states.append(\.isInUseByAnotherApplication)
                #endif
                return states.map { device.observe($0) { @Sendable [weak self] _, _ in self?.lookAgain() } }
            }
            report(.snapshot(seen))
        }

        private static func seen(cameras: [AVCaptureDevice], microphones: [AVCaptureDevice]) -> [SeenDevice] {
            let seenCameras = deviceHandles.handles(of: cameras).compactMap { handle in
                deviceHandles.withDevice(handle) { seenCamera($0, handle: handle) }
            }
            #if os(macOS)
                let seenMicrophones = deviceHandles.handles(of: microphones).compactMap { handle in
                    deviceHandles.withDevice(handle) { seenMicrophone($0, handle: handle, cameras: cameras) }
                }
            #else
                let handle = deviceHandles.handles(of: microphones).first
                let device = handle.flatMap { handle in
                    deviceHandles.withDevice(handle) { (handle: handle, name: $0.localizedName) }
                }
                let seenMicrophones = InputPorts.microphones(
                    InputPorts.ofSession, device: device, cameras: seenCameras)
            #endif
            return seenCameras + seenMicrophones
        }

        private static func seenCamera(_ device: AVCaptureDevice, handle: String) -> SeenDevice {
            let kind: MediaDevice.Kind =
                switch device.deviceType {
                case .external, .continuityCamera: .external
                // Made from another camera's images: nobody has plugged it in.
                #if os(macOS)
                    case .deskViewCamera: .virtual
                #endif
                default: .builtIn
                }
            var isReady = !device.isSuspended
            #if os(macOS)
                if device.isInUseByAnotherApplication { isReady = false }
            #endif
            let position: MediaDevice.Position =
                switch device.position {
                case .front: .front
                case .back: .back
                default: .unspecified
                }
            return SeenDevice(
                service: .avFoundation, handle: handle, stableID: device.uniqueID, media: .camera,
                name: device.localizedName, kind: kind, position: position,
                formats: FrameworkFormat.formats(of: device), controls: CameraControls(of: device),
                group: kind == .external ? device.uniqueID : nil, isReady: isReady)
        }

        #if os(macOS)
            private static func seenMicrophone(
                _ device: AVCaptureDevice, handle: String, cameras: [AVCaptureDevice]
            ) -> SeenDevice {
                let camera = cameras.first { $0.linkedDevices.contains { $0.uniqueID == device.uniqueID } }
                let isBuiltIn = device.uniqueID == "BuiltInMicrophoneDevice"
                return SeenDevice(
                    service: .avFoundation, handle: handle, stableID: device.uniqueID, media: .microphone,
                    name: device.localizedName, kind: isBuiltIn ? .builtIn : .external, group: camera?.uniqueID)
            }
        #endif
    }
#endif
