#if canImport(AVFoundation) && !os(visionOS)
    import AVFoundation
    import Foundation
    import Synchronization

    /// The system's memory of the cameras that a person chose in this app.
    final class SystemPreference: NSObject, CameraPreferenceBackend, @unchecked Sendable {
        private let observers = Mutex(PreferenceObservers())
        private static let keyPath = "systemPreferredCamera"

        override init() {
            super.init()
            // A class property, which Swift's key paths cannot reach.
            AVCaptureDevice.self.addObserver(self, forKeyPath: Self.keyPath, options: [.new], context: nil)
        }

        deinit { AVCaptureDevice.self.removeObserver(self, forKeyPath: Self.keyPath) }

        var systemPreferred: DeviceID? { AVCaptureDevice.systemPreferredCamera.map { DeviceID($0.uniqueID) } }

        func setUserPreferred(_ id: DeviceID) {
            let camera = AVCaptureDevice(uniqueID: id.rawValue)
            // Setting `nil` has no effect.
            if let camera, camera.isConnected { AVCaptureDevice.userPreferredCamera = camera }
        }

        func observe(for selector: CameraSelector, _ report: @escaping @Sendable (DeviceID?) -> Void) {
            observers.withLock { $0.add(selector, report) }
        }

        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            guard keyPath == Self.keyPath else {
                return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
            }
            let preferred = systemPreferred
            for report in observers.withLock({ $0.reports() }) { report(preferred) }
        }
    }
#endif
